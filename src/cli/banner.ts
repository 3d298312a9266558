import type { Config } from "../config.ts";
import { commandLine } from "./command.ts";
import type { Welcome } from "./open-catalog.ts";

/**
 * Tells where the gateway answers and how to try it. For a person, and the same lines wherever they go, so that tools
 * read the address (PORT=0) off them.
 */
export function printWelcome(config: Config, url: string, welcome: Welcome): void {
  const publicUrl = config.publicUrl ?? url;
  const key = welcome.firstKey;
  const isGiven = isFromEnvironment(config, welcome);
  const lines = [
    "",
    `  Faregate is ready.`,
    "",
    `  Base URL    ${publicUrl}`,
    `  Dashboard   ${publicUrl}/`,
    `  API docs    ${publicUrl}/docs`,
    ...(welcome.sandboxUrl === undefined
      ? []
      : [`  Sandbox     ${welcome.sandboxUrl} (simulates the demo's models; see README, "A real vendor")`]),
    ...(welcome.asItIs ? ["  Catalog     from the database; FAREGATE_CONFIG is not set"] : []),
    key === undefined
      ? `  API key     create one (shown once): ${commandLine("keys create --account NAME")}`
      : `  API key     ${isGiven ? `the one in ${KEY_VARIABLE}` : `${key}   (shown only once)`}`,
    ...(welcome.emptyAccount === undefined
      ? []
      : [
          `  Balance     account ${welcome.emptyAccount} has a zero balance: add credit in the dashboard, or set its balance in the catalog file`,
        ]),
    ...signInLines(welcome.firstUser),
    "",
    "  Try it:",
    `  ${firstRequest(publicUrl, welcome, isGiven)}`,
    "",
  ];
  console.log(lines.join("\n"));
}

const KEY_VARIABLE = "FAREGATE_BOOTSTRAP_KEY";

/** A key from the environment is known to its operator, and more people read a log than an environment. */
function isFromEnvironment({ bootstrapKey }: Config, { firstKey }: Welcome): boolean {
  return firstKey !== undefined && firstKey === bootstrapKey;
}

function firstRequest(url: string, { firstKey, chatModel }: Welcome, isGiven: boolean): string {
  const key = isGiven
    ? `-H "Authorization: Bearer $${KEY_VARIABLE}"`
    : `-H 'Authorization: Bearer ${firstKey ?? "<API_KEY>"}'`;
  if (chatModel === undefined) return `curl ${url}/v1/models ${key}`;
  const body = JSON.stringify({ model: chatModel, messages: [{ role: "user", content: "Hello" }] });
  return `curl ${url}/v1/chat/completions ${key} -d ${inShell(body)}`;
}

function inShell(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function signInLines(user: Welcome["firstUser"]): readonly string[] {
  if (user === undefined) return [];
  return user.madePassword === undefined
    ? [`  Sign in     ${user.email} with the password in FAREGATE_BOOTSTRAP_PASSWORD`]
    : [`  Sign in     ${user.email} / ${user.madePassword} (shown only once; you'll be asked to change it)`];
}
