import { parseArgs } from "node:util";
import { version } from "../base/package-files.ts";
import { closestMatch } from "../base/text.ts";
import type { Config } from "../config.ts";
import { asTyped, type Command, commandLine, helpOf, parseOptions, UsageError } from "./command.ts";
import { accountsCreditCommand } from "./commands/accounts-credit.ts";
import { accountsDetailsCommand } from "./commands/accounts-details.ts";
import { applyCommand } from "./commands/apply.ts";
import { budgetsListCommand } from "./commands/budgets-list.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { exportCommand } from "./commands/export.ts";
import { keysCreateCommand } from "./commands/keys.ts";
import { keysListCommand } from "./commands/keys-list.ts";
import { keysRevokeCommand } from "./commands/keys-revoke.ts";
import { ledgerVerifyCommand } from "./commands/ledger.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { modelsCommand } from "./commands/models.ts";
import { passwordCommand } from "./commands/password.ts";
import { pricesCommand } from "./commands/prices.ts";
import { reconcileCommand } from "./commands/reconcile.ts";
import { requestsCommand } from "./commands/requests.ts";
import { rotateMasterKeyCommand } from "./commands/rotate-master-key.ts";
import { sandboxCommand } from "./commands/sandbox.ts";
import { signInCommand } from "./commands/sign-in.ts";
import { startCommand } from "./commands/start.ts";
import { stopDatabaseCommand } from "./commands/stop-database.ts";
import { usersCommand } from "./commands/users.ts";
import { sentenceOf } from "./failure-sentence.ts";

/** In the order of the overview. */
export const COMMANDS: readonly Command[] = [
  startCommand,
  applyCommand,
  exportCommand,
  modelsCommand,
  pricesCommand,
  requestsCommand,
  reconcileCommand,
  migrateCommand,
  ledgerVerifyCommand,
  accountsCreditCommand,
  accountsDetailsCommand,
  budgetsListCommand,
  keysListCommand,
  keysCreateCommand,
  keysRevokeCommand,
  usersCommand,
  passwordCommand,
  signInCommand,
  sandboxCommand,
  rotateMasterKeyCommand,
  doctorCommand,
  stopDatabaseCommand,
];

/** Runs the command that the arguments name and gives the exit code: 0 done, 1 failed, 2 misused, others as the command says. */
export async function runCommandLine(args: readonly string[], readConfig: () => Config): Promise<number> {
  // `help start` is what others call `start --help`.
  const asked = args[0] === "help" ? [...args.slice(1), "--help"] : args;
  const first = asked[0] ?? "";
  if (first === "" || isHelp(first)) {
    console.log(overview());
    return first === "" ? 2 : 0;
  }
  if (first === "--version" || first === "-v") {
    console.log(version());
    return 0;
  }
  const command = COMMANDS.find(({ name }) => name.split(" ").every((word, index) => asked[index] === word));
  if (command !== undefined)
    return runCommand(command, asked.slice(command.name.split(" ").length), readConfig);
  const below = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  if (below.length > 0 && isHelp(asked[1])) {
    console.log(below.map(helpOf).join("\n"));
    return 0;
  }
  return misused(`unknown command "${args.join(" ").slice(0, 60)}"${insteadOf(first)}`);
}

/** The suggestions for an unknown command: those of the named group, or the likely meaning of a typo. */
function insteadOf(first: string): string {
  const meant = closestMatch(first, COMMANDS.map(groupOf));
  if (meant === undefined) return "; see faregate --help";
  const there = COMMANDS.filter((command) => groupOf(command) === meant);
  return `; did you mean ${there.map(({ name }) => `"${name}"`).join(" or ")}? See faregate ${meant} --help`;
}

/** The first word of its name: commands that share it are told of together. */
function groupOf({ name }: Command): string {
  return name.split(" ", 1)[0] ?? name;
}

function isHelp(word: string | undefined): boolean {
  return word === "--help" || word === "-h";
}

async function runCommand(
  command: Command,
  args: readonly string[],
  readConfig: () => Config,
): Promise<number> {
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    // Strict: a misspelt --prune must not be silently ignored.
    parsed = parseArgs({
      args: [...args],
      options: parseOptions(command),
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    return misused(`${mistakeOf(error, command)} (see faregate ${command.name} --help)`);
  }
  const { values, positionals } = parsed;
  if (values["help"]) {
    console.log(helpOf(command));
    return 0;
  }
  const missing = command.positionals[positionals.length];
  const surplus = positionals[command.positionals.length];
  if (missing !== undefined || surplus !== undefined) {
    const mistake =
      missing === undefined ? `unexpected argument "${surplus}"` : `missing argument ${missing}`;
    return misused(`${mistake} (see faregate ${command.name} --help)`);
  }
  let config: Config | undefined;
  try {
    config = readConfig();
    return await command.run({
      config,
      positionals,
      text: (option) => (typeof values[option] === "string" ? values[option] : undefined),
      flag: (option) => values[option] === true,
    });
  } catch (error) {
    if (error instanceof UsageError) return misused(`${error.message} (see faregate ${command.name} --help)`);
    console.error(sentenceOf(error, config).replace(/^/gm, "faregate: "));
    return command.failureCode ?? 1;
  }
}

/** The mistake in a command's options, in one sentence: Node's own messages take several lines. */
function mistakeOf(error: unknown, command: Command): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, option, mistake] =
    /^Option '(?:-\w, )?(--[\w-]+)[^']*' (argument is ambiguous|argument missing|does not take)/.exec(
      message,
    ) ?? [];
  if (mistake === "does not take") return `${option} takes no value`;
  if (mistake === "argument missing") return `${option} takes a value`;
  if (mistake !== undefined)
    return `${option} takes a value; write one that begins with a dash as ${option}=VALUE`;
  const [, unknown] = /^Unknown option '([^']+)'/.exec(message) ?? [];
  if (unknown === undefined) return message;
  const meant = closestMatch(
    unknown,
    Object.keys(parseOptions(command)).map((name) => `--${name}`),
  );
  return `unknown option ${unknown}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

function misused(sentence: string): number {
  console.error(`faregate: ${asTyped(sentence)}`);
  return 2;
}

function overview(): string {
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(20)} ${summary}`);
  return [
    "Faregate: many AI models behind one account and one API key.",
    "",
    `Usage: ${commandLine("COMMAND [options]")}`,
    "",
    ...lines,
    "",
    `${commandLine("COMMAND --help")} shows options and examples of a command; --version prints the version.`,
    "Settings are environment variables; docs/operations.md lists them.",
    "",
  ].join("\n");
}
