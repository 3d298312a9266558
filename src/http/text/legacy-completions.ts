import { GatewayError } from "../../errors.ts";
import { asArray, asObject, asObjects, type JsonObject } from "../../protocols/json.ts";
import type { Adapter } from "./adapted-response.ts";

/** The legacy endpoint's default: https://platform.openai.com/docs/api-reference/completions */
const DEFAULT_MAX_TOKENS = 16;

/**
 * `/v1/completions` by way of chat completions: the prompt becomes a user's turn. What chat has no word for is refused: text
 * around a gap, the prompt in the response, log probabilities of the old form, and the best of several. Each of several prompts is
 * a request of its own to the upstream, all at once, and answered by `n` choices, in order.
 */
export const legacyCompletions: Adapter = {
  request(body) {
    const { prompt, suffix, echo, logprobs, best_of: bestOf, max_tokens: maxTokens, ...rest } = body;
    if (!isAbsent(suffix) && suffix !== "") throw refused("suffix", "inserting text before a suffix");
    if (!isAbsent(echo) && echo !== false) throw refused("echo", "echoing the prompt");
    if (!isAbsent(logprobs)) throw refused("logprobs", "log probabilities in the legacy form");
    if (!isAbsent(bestOf) && bestOf !== (rest["n"] ?? 1))
      throw refused("best_of", "the best of several completions");
    // Chat vendors refuse it, and some servers write on without end.
    if (maxTokens === 0) throw refused("max_tokens", "a completion without a token");
    const prompts = readPrompts(prompt);
    return {
      ...rest,
      n: prompts.length === 1 ? rest["n"] : prompts.length * responsesEach(rest["n"], prompts.length),
      messages: prompts.map((content) => ({ role: "user", content })),
      max_tokens: isAbsent(maxTokens) ? DEFAULT_MAX_TOKENS : maxTokens,
    };
  },
  prompts: ({ prompt }) => readPrompts(prompt).length,
  plain: (response) => ({
    ...headOf(response),
    choices: asObjects(response["choices"]).map((choice) =>
      choiceOf(choice, asObject(choice["message"])?.["content"]),
    ),
    usage: response["usage"],
  }),
  event(event) {
    const choices = asObjects(event["choices"]);
    // A chunk of a role or of thoughts says nothing here.
    const kept = choices.filter(
      (choice) => (asObject(choice["delta"])?.["content"] ?? "") !== "" || choice["finish_reason"] != null,
    );
    const usage = event["usage"];
    if (kept.length === 0 && asObject(usage) === undefined) return [];
    return [
      {
        ...headOf(event),
        choices: kept.map((choice) => choiceOf(choice, asObject(choice["delta"])?.["content"])),
        usage,
      },
    ];
  },
};

function headOf({ id, created, model }: JsonObject): JsonObject {
  return { id, object: "text_completion", created, model };
}

function choiceOf({ index, finish_reason: finish }: JsonObject, text: unknown): JsonObject {
  return { text: typeof text === "string" ? text : "", index, logprobs: null, finish_reason: finish ?? null };
}

/** Each of several responses is a request of its own; clients that send prompts in batches send twenty (LangChain). */
const MAX_RESPONSES = 32;

function readPrompts(prompt: unknown): readonly string[] {
  const prompts = Array.isArray(prompt) ? asArray(prompt) : [prompt];
  const texts = prompts.filter((each) => typeof each === "string");
  if (texts.length > MAX_RESPONSES) throw tooMany("prompt");
  if (texts.length > 0 && texts.length === prompts.length && !texts.includes("")) return texts;
  const isTokens = prompts.some((each) => typeof each === "number" || Array.isArray(each));
  const message = isAbsent(prompt)
    ? "`prompt` is required."
    : isTokens
      ? "`prompt` contains tokens, which only the model's vendor can read. Send text."
      : "`prompt` must be a non-empty text, or a list of non-empty texts.";
  throw new GatewayError("invalid_request", message, { param: "prompt" });
}

/** The number of responses to each of several prompts. */
function responsesEach(n: unknown, prompts: number): number {
  if (isAbsent(n)) return 1;
  if (typeof n !== "number" || !Number.isInteger(n) || n < 1)
    throw new GatewayError("invalid_request", "`n` must be a whole number from 1 on.", { param: "n" });
  if (n * prompts > MAX_RESPONSES) throw tooMany("n");
  return n;
}

function tooMany(param: string): GatewayError {
  const message = `At most ${MAX_RESPONSES} choices per request are supported, over all prompts. Request fewer.`;
  return new GatewayError("invalid_request", message, { param });
}

function refused(param: string, what: string): GatewayError {
  const message = `\`${param}\` requests ${what}, which isn't supported on this endpoint. Remove it.`;
  return new GatewayError("invalid_request", message, { param });
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
