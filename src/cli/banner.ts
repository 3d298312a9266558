import type { Config } from "../config.ts";
import type { Welcome } from "./open-catalog.ts";

/**
 * Tells where the gateway answers and how to try it. For a person, and the same lines wherever they go, so that tools
 * read the address (PORT=0) off them.
 */
export function printWelcome(config: Config, url: string, welcome: Welcome): void {
  const publicUrl = config.publicUrl ?? url;
  const key = welcome.firstKey;
  const model = welcome.sandboxUrl === undefined ? "MODEL" : "text-large";
  const curl = `curl ${publicUrl}/v1/chat/completions -H 'Authorization: Bearer ${key ?? "<API_KEY>"}' -d '{"model":"${model}","messages":[{"role":"user","content":"Hello"}]}'`;
  const lines = [
    "",
    `  Faregate is ready.`,
    "",
    `  Base URL    ${publicUrl}`,
    `  Dashboard   ${publicUrl}/`,
    `  API docs    ${publicUrl}/docs`,
    ...(welcome.sandboxUrl === undefined
      ? []
      : [
          `  Sandbox     ${welcome.sandboxUrl} (the demo catalog's upstream; set FAREGATE_CONFIG for real vendors)`,
        ]),
    key === undefined
      ? "  API key     keys are shown once, when made: faregate keys create --account NAME"
      : `  API key     ${key}   (shown this once)`,
    ...signInLines(welcome.firstUser),
    "",
    "  Try it:",
    `  ${curl}`,
    "",
  ];
  console.log(lines.join("\n"));
}

function signInLines(user: Welcome["firstUser"]): readonly string[] {
  if (user === undefined) return [];
  return user.madePassword === undefined
    ? [`  Sign in     ${user.email} with the password of FAREGATE_BOOTSTRAP_PASSWORD`]
    : [
        `  Sign in     ${user.email} / ${user.madePassword} (shown this once; you will be asked for your own)`,
      ];
}
