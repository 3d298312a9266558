import type { CommandResult } from "./gateway.ts";

/** A command's words for people on its error output: its log's lines are for machines. */
export function complaints({ stderr }: Pick<CommandResult, "stderr">): string[] {
  return stderr.split("\n").filter((line) => line !== "" && !line.startsWith('{"level"'));
}
