import { parseArgs } from "node:util";
import { startServer } from "./server.ts";
import { loadTokenizer } from "./tokens.ts";
import { createWorld, DEFAULT_TASK_MS } from "./world.ts";

const HELP = `faregate sandbox: an upstream to develop against

  node sandbox/dist/main.js [--host 127.0.0.1] [--port 9090] [--pace-ms 0] [--task-ms 2000]
                            [--name sandbox] [--journal FILE] [--exit-with-parent]

  --port 0             picks a free port; the one line on stdout says which
  --pace-ms N          waits N milliseconds between the chunks of every stream
  --task-ms N          images, videos and assets take N milliseconds
  --name NAME          sandboxes of different names refuse each other's signatures
  --journal FILE       also appends the journal to a file
  --exit-with-parent   ends when standard input closes (with an IPC channel it ends when that closes)
`;

/** Loading takes a third of a second of CPU: not while a gateway beside it is still starting. */
const WARM_UP_DELAY_MS = 1_000;

/** An hour: whoever waits longer has mistyped. */
const MAX_WAIT_MS = 3_600_000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      host: { type: "string", default: "127.0.0.1" },
      port: { type: "string", default: "9090" },
      "pace-ms": { type: "string", default: "0" },
      "task-ms": { type: "string", default: String(DEFAULT_TASK_MS) },
      name: { type: "string", default: "sandbox" },
      journal: { type: "string" },
      "exit-with-parent": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const world = createWorld({
    name: values.name,
    paceMs: wholeNumber("--pace-ms", values["pace-ms"], MAX_WAIT_MS),
    taskMs: wholeNumber("--task-ms", values["task-ms"], MAX_WAIT_MS),
    ...(values.journal === undefined ? {} : { journalFile: values.journal }),
  });
  const sandbox = await startServer(world, values.host, wholeNumber("--port", values.port, 65_535));
  process.stdout.write(`${JSON.stringify({ sandbox: sandbox.url })}\n`);
  setTimeout(() => void loadTokenizer(), WARM_UP_DELAY_MS).unref();
  endWith(values["exit-with-parent"], () => sandbox.close());
}

function wholeNumber(flag: string, text: string, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= max) return value;
  throw new Error(`${flag} must be a whole number from 0 to ${max}, not "${text}"`);
}

/** Ends on a signal, or with the parent, so that a gateway killed with -9 leaves no sandbox behind. */
function endWith(parent: boolean, close: () => Promise<void>): void {
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    void close().then(() => process.exit(0));
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  // With an IPC channel, standard input may be /dev/null, whose end says nothing about the parent.
  if (process.send !== undefined) process.on("disconnect", end);
  if (!parent) return;
  process.stdin.on("end", end);
  process.stdin.on("close", end);
  process.stdin.on("error", end);
  process.stdin.resume();
}

main().catch((error: unknown) => {
  process.stderr.write(`faregate sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
