import { spawn } from "node:child_process";
import cluster from "node:cluster";

// Two processes under the built supervisor that are told to stop once both are ready. What they do then is said by the
// argument: `held` leaves a child behind that holds its channel open for a while, so the supervisor hears of an exit
// before it hears that the channel has closed; the second of `deaf` stands still and hears no signal at all.
const PROCESSES = 2;
const HELD_SECONDS = 2;
const ENDED_AFTER_MS = 1_000;
const [, , kind] = process.argv;

if (cluster.isPrimary) {
  const { superviseProcesses } = await import("../../dist/cli/processes.js");
  let ready = 0;
  const stop = new Promise((resolve) => {
    cluster.on("message", () => {
      ready += 1;
      if (ready === PROCESSES) resolve("SIGTERM");
    });
  });
  const log = { error: (fields, text) => process.stderr.write(`${text} ${JSON.stringify(fields)}\n`) };
  const code = await superviseProcesses(PROCESSES, {
    environment: {},
    log,
    stop,
    endedAfterMs: ENDED_AFTER_MS,
    serve: true,
    onListening: () => undefined,
  });
  process.stdout.write(`all stopped with ${code}\n`);
  // What is left behind holds only the channels.
  process.exit(code);
} else {
  if (kind === "held") {
    const stdio = ["ignore", "ignore", "ignore", process.channel.fd];
    spawn("sleep", [String(HELD_SECONDS)], { stdio, detached: true }).unref();
  }
  process.on("SIGTERM", () => process.exit(0));
  process.send("ready", () => {
    if (kind === "deaf" && cluster.worker.id === PROCESSES) process.kill(process.pid, "SIGSTOP");
  });
}
