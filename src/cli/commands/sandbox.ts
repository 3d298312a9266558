import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Command, CommandFailure } from "../command.ts";
import { sandboxEntry } from "../sandbox-program.ts";

/** Runs only the sandbox upstream, in its own program, as a development vendor for any gateway. */
export const sandboxCommand: Command = {
  name: "sandbox",
  summary: "run only the sandbox upstream, on its own port",
  positionals: [],
  options: {
    host: { type: "string", value: "HOST", help: "address to listen on (default 127.0.0.1)" },
    port: { type: "string", value: "PORT", help: "port to listen on, 0 = any free one (default 9090)" },
    "task-ms": {
      type: "string",
      value: "N",
      help: "duration of image, video and asset tasks in milliseconds (default 2000)",
    },
    journal: { type: "string", value: "FILE", help: "also append the request log to this file" },
  },
  examples: ["faregate sandbox --port 9090 --task-ms 500", "curl http://127.0.0.1:9090/_sandbox/journal"],
  async run({ text }) {
    const args = ["host", "port", "task-ms", "journal"].flatMap((name) => {
      const value = text(name);
      return value === undefined ? [] : [`--${name}`, value];
    });
    const child = spawn(process.execPath, [sandboxEntry(), ...args], { stdio: "inherit" });
    // The child gets the terminal's Ctrl-C itself; a SIGTERM to us is passed on.
    const pass = (): void => void child.kill("SIGTERM");
    process.on("SIGTERM", pass);
    process.on("SIGINT", () => undefined);
    const [code] = (await once(child, "exit")) as [number | null];
    process.off("SIGTERM", pass);
    if (code) throw new CommandFailure(`the sandbox ended with exit code ${code}`);
    return 0;
  },
};
