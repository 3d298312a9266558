import type { Writable } from "node:stream";

/** What has become of a command's output. */
export interface Output {
  /** The exit code: that of the command, but 1 where it did its work and its output is lost. */
  exitCode(ofCommand: number): number;
}

/**
 * Takes the errors of a command's output, which would end it in its midst, past the database that it has opened. A
 * reader who has gone (`| head`) has what was wanted of it, and the command goes on to its end; on a full disk it
 * does too, and says that it has failed.
 */
export function watchOutput(output: Writable, complaints: Writable): Output {
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
