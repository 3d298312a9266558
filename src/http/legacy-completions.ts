import { GatewayError } from "../errors.ts";
import { asArray, asObject, asObjects, type JsonObject } from "../protocols/json.ts";
import type { Adapter } from "./adapted-answer.ts";

/** As the legacy endpoint has it where the caller states none: https://platform.openai.com/docs/api-reference/completions */
const DEFAULT_MAX_TOKENS = 16;

/**
 * `/v1/completions` by way of chat completions: the prompt becomes a user's turn. What chat has no word for is refused: text
 * around a gap, the prompt in the answer, log probabilities of the old form, the best of several, and several prompts.
 */
export const legacyCompletions: Adapter = {
  request(body) {
    const { prompt, suffix, echo, logprobs, best_of: bestOf, max_tokens: maxTokens, ...rest } = body;
    if (!isAbsent(suffix) && suffix !== "") throw refused("suffix", "text to be inserted before other text");
    if (!isAbsent(echo) && echo !== false) throw refused("echo", "an answer that repeats its prompt");
    if (!isAbsent(logprobs)) throw refused("logprobs", "log probabilities; chat completions have them");
    if (!isAbsent(bestOf) && bestOf !== (rest["n"] ?? 1))
      throw refused("best_of", "the best of several answers");
    return {
      ...rest,
      messages: [{ role: "user", content: readPrompt(prompt) }],
      max_tokens: isAbsent(maxTokens) ? DEFAULT_MAX_TOKENS : maxTokens,
    };
  },
  plain: (answer) => ({
    ...headOf(answer),
    choices: asObjects(answer["choices"]).map((choice) =>
      choiceOf(choice, asObject(choice["message"])?.["content"]),
    ),
    ...(answer["usage"] === undefined ? {} : { usage: answer["usage"] }),
  }),
  event(event) {
    const choices = asObjects(event["choices"]);
    // A chunk of a role or of thoughts says nothing here.
    const told = choices.filter(
      (choice) => (asObject(choice["delta"])?.["content"] ?? "") !== "" || choice["finish_reason"] != null,
    );
    const usage = event["usage"];
    if (told.length === 0 && asObject(usage) === undefined) return [];
    return [
      {
        ...headOf(event),
        choices: told.map((choice) => choiceOf(choice, asObject(choice["delta"])?.["content"])),
        ...(usage === undefined ? {} : { usage }),
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

function readPrompt(prompt: unknown): string {
  const given = Array.isArray(prompt) && prompt.length === 1 ? asArray(prompt)[0] : prompt;
  if (typeof given === "string" && given !== "") return given;
  const message = isAbsent(prompt)
    ? "`prompt` is required."
    : "`prompt` must be one text, or a list of one; several prompts and tokens are not taken here.";
  throw new GatewayError("invalid_request", message, { param: "prompt" });
}

function refused(param: string, what: string): GatewayError {
  const message = `\`${param}\` asks for ${what}, which is not served on this endpoint; leave it out.`;
  return new GatewayError("invalid_request", message, { param });
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
