import { basename, relative } from "node:path";
import type { ParseArgsConfig } from "node:util";
import type { Config } from "../config.ts";

/** One command: its help is made from these fields, so that it cannot differ from what is parsed. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Positional arguments as shown in the usage line, such as "FILE". */
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Command lines that work, shown by --help. */
  readonly examples: readonly string[];
  /** Exit code where it fails before it has a result, of commands whose code 1 is one; else 1. */
  readonly failureCode?: number;
  /** Gives the exit code; throws CommandFailure for a failure that one sentence explains. */
  run(input: CommandInput): Promise<number>;
}

export interface CommandOption {
  readonly type: "string" | "boolean";
  /** Shown as the value's name, such as "NAME". */
  readonly value?: string;
  readonly help: string;
}

export interface CommandInput {
  readonly config: Config;
  readonly positionals: readonly string[];
  text(option: string): string | undefined;
  flag(option: string): boolean;
}

/** Ends a command with exit code 1 and this sentence, no stack. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}

/** A command called with options that don't fit: exit code 2. */
export class UsageError extends CommandFailure {}

/** A command line as whoever reads it can repeat it: a clone has no `faregate` on the path. */
export function commandLine(command: string): string {
  const [, program = ""] = process.argv;
  if (basename(program) !== "faregate.js") return `faregate ${command}`;
  return `node ${relative(process.cwd(), program)} ${command}`;
}

/** Commands in a text, as they can be repeated. */
export function asTyped(text: string): string {
  return text.replace(/(?<![\w-])faregate (?=[a-z-]|COMMAND)/g, commandLine(""));
}

/** The options of a command as `parseArgs` takes them; every command has --help. */
export function parseOptions(command: Command): NonNullable<ParseArgsConfig["options"]> {
  return {
    help: { type: "boolean", short: "h" },
    ...Object.fromEntries(Object.entries(command.options).map(([name, { type }]) => [name, { type }])),
  };
}

/** The --help text of a command. */
export function helpOf(command: Command): string {
  const usage = [
    commandLine(command.name),
    ...command.positionals,
    ...(Object.keys(command.options).length ? ["[options]"] : []),
  ];
  const options = Object.entries(command.options).map(([name, option]) => {
    const flag = `--${name}${option.value ? ` ${option.value}` : ""}`;
    return `  ${flag.padEnd(24)} ${option.help}`;
  });
  return [
    `${command.summary}`,
    "",
    `Usage: ${usage.join(" ")}`,
    ...(options.length ? ["", "Options:", ...options] : []),
    "",
    command.examples.length > 1 ? "Examples:" : "Example:",
    ...command.examples.map((example) => `  ${asTyped(example)}`),
    "",
  ].join("\n");
}

/** Reads the option `--models`; undefined = all models. An empty list is refused as a mistake. */
export function readModelIds(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const ids = text
    .split(",")
    .map((id) => id.trim())
    .filter(Boolean);
  if (ids.length > 0) return ids;
  throw new UsageError("--models takes model ids, separated by commas; omit it for all models");
}
