import type { Writable } from "node:stream";
import { runCommandLine } from "./cli/command-line.ts";
import { readConfig } from "./config.ts";

const output = watchOutput(process.stdout, process.stderr);
const code = await runCommandLine(process.argv.slice(2), readConfig);
// An explicit exit: a command that failed half-way must not be kept alive by what it had opened.
process.exit(output.exitCode(code));

/** State of a command's output. */
interface Output {
  /** The exit code: that of the command, but 1 where it did its work and its output is lost. */
  exitCode(ofCommand: number): number;
}

/**
 * Takes the errors of a command's output, which would end it in its midst, past the database that it has opened. A
 * reader who has gone (`| head`) has what was wanted of it, and the command goes on to its end; on a full disk it
 * does too, and says that it has failed.
 */
function watchOutput(output: Writable, complaints: Writable): Output {
  let isLost = false;
  output.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE" || isLost) return;
    isLost = true;
    complaints.write(`faregate: can't write the output (${code})\n`);
  });
  // Nobody is left to be told.
  complaints.on("error", () => undefined);
  return { exitCode: (ofCommand) => ofCommand || Number(isLost) };
}
