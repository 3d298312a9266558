import { NEVER_REMOVED } from "./reserved-fields.ts";

/** The parts of a vendor's refusal that are read. */
export interface RefusalWords {
  readonly code: string;
  readonly type: string;
  readonly message: string;
}

/** The refusals of vendors that an option of the upstream cures. `name` is the field or beta that the option has to name. */
const REMEDIES: readonly (readonly [vendor: string, words: RegExp, option: (name: string) => string])[] = [
  [
    "OpenAI and Azure",
    // https://platform.openai.com/docs/guides/error-codes
    /(?:unsupported|unknown) parameter: '?(?<name>\w+)(?![\w[]|\.\w)/i,
    removed,
  ],
  [
    "OpenAI's chats, and servers alike",
    /unrecognized request arguments? supplied: (?<name>\w+)(?![\w[]|\.\w)/i,
    removed,
  ],
  ["Anthropic, Mistral and vLLM", /(?:^|\s)(?<name>\w+): extra inputs are not permitted/i, removed],
  ["Gemini and Vertex AI", /unknown name "(?<name>\w+)": cannot find field/i, removed],
  ["Groq", /property '(?<name>\w+)' is unsupported/i, removed],
  [
    "Anthropic",
    /unexpected value\(s\) `(?<name>[\w.-]+)`.{0,80}anthropic-beta/i,
    (name) => `betas: { drop: [${name}] }`,
  ],
  [
    // https://docs.litellm.ai/docs/tutorials/claude_code_beta_headers
    "Bedrock, Azure and Vertex AI",
    /invalid beta flag/i,
    () => "betas: { drop: [...] }, with the betas that the caller asks for in anthropic-beta",
  ],
  [
    "OpenAI",
    /mismatched_organization|openai-organization header|member of an organization/i,
    () => "headers: { openai-organization: ... }, with the organization of the key",
  ],
  [
    "OpenAI",
    /mismatched_project|openai-project header/i,
    () => "headers: { openai-project: ... }, with the project of the key",
  ],
  ["OpenAI", /missing required parameter: '?(?:safety_identifier|user)\b/i, () => "end_user: account"],
];

/** Above the longest words that a row reads. */
const MAX_READ = 2_000;

/** The option of the upstream that would cure the refusal, as it is written in a catalog file; undefined = none is known. */
export function optionRemedy({ code, type, message }: RefusalWords): string | undefined {
  const said = `${code} ${type} ${message.slice(0, MAX_READ)}`;
  for (const [, words, option] of REMEDIES) {
    const found = words.exec(said);
    if (found === null) continue;
    const name = found.groups?.["name"] ?? "";
    // An option may not remove a field that every request needs.
    if (option === removed && NEVER_REMOVED.has(name)) continue;
    return option(name);
  }
  return undefined;
}

function removed(name: string): string {
  return `body: { remove: [${name}] }`;
}
