import { describe, expect, it } from "vitest";
import type { ResponsePlan } from "../conversation/lower/plan.ts";
import { decodeStream as decodeChat } from "./chat-completions/decode-stream.ts";
import { chatCompletionsUsage } from "./chat-completions/usage.ts";
import { decodeStream as decodeContent } from "./generate-content/decode-stream.ts";
import { generateContentUsage } from "./generate-content/usage.ts";
import { asObject } from "./json.ts";
import { decodeStream as decodeMessages } from "./messages/decode-stream.ts";
import { messagesUsage } from "./messages/usage.ts";
import { decodeStream as decodeResponses } from "./responses/decode-stream.ts";
import { responsesUsage } from "./responses/usage.ts";

const FIELDS = 20_000;

const COUNTS = {
  prompt_tokens: 7,
  completion_tokens: 3,
  input_tokens: 7,
  output_tokens: 3,
  promptTokenCount: 7,
  candidatesTokenCount: 3,
};

/** A usage object with far more fields than any vendor's, and how often all of them have been listed. */
function wideUsage(): { usage: object; listed: () => number } {
  let listed = 0;
  const fields = Object.fromEntries(Array.from({ length: FIELDS }, (_, at) => [`field${at}`, at]));
  const usage = new Proxy(
    { ...COUNTS, ...fields },
    {
      ownKeys(target) {
        listed += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  return { usage, listed: () => listed };
}

const ANSWERS = {
  "chat completions": [
    chatCompletionsUsage,
    (usage: object) => ({ choices: [{ message: { content: "Hi" }, finish_reason: "stop" }], usage }),
  ],
  messages: [
    messagesUsage,
    (usage: object) => ({
      type: "message",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      usage,
    }),
  ],
  responses: [
    responsesUsage,
    (usage: object) => ({ status: "completed", output: [], usage, tool_usage: { image_gen: usage } }),
  ],
  "generate content": [
    generateContentUsage,
    (usage: object) => ({
      candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
      usageMetadata: usage,
    }),
  ],
} as const;

const PLAN: ResponsePlan = { origin: "o", seed: "s" } as unknown as ResponsePlan;

const EVENTS = {
  "chat completions": [decodeChat, (usage: object) => ({ choices: [], usage })],
  "messages, at the start": [
    decodeMessages,
    (usage: object) => ({ type: "message_start", message: { content: [], usage } }),
  ],
  "messages, later": [decodeMessages, (usage: object) => ({ type: "message_delta", delta: usage, usage })],
  responses: [
    decodeResponses,
    (usage: object) => ({ type: "response.in_progress", response: { output: [], usage } }),
  ],
  "generate content": [
    decodeContent,
    (usage: object) => ({ candidates: [{ content: { parts: [{ text: "Hi" }] } }], usageMetadata: usage }),
  ],
} as const;

describe("usage with thousands of fields", () => {
  it.each(Object.entries(ANSWERS))(
    "is kept in part, and listed once for each place: %s",
    (_, [reader, answer]) => {
      const { usage, listed } = wideUsage();
      const { usage: read } = reader.readPlain(answer(usage));
      const raw = asObject(read?.raw) ?? {};
      expect(Object.keys(raw).length).toBeLessThan(300);
      expect(read?.tokens).toMatchObject({ inputUncached: 7, outputVisible: 3 });
      expect(raw["omitted_fields"]).toBeGreaterThan(FIELDS - 300);
      expect(listed()).toBeLessThanOrEqual(2);
    },
  );

  it.each(Object.entries(EVENTS))(
    "is listed once for each event that is translated: %s",
    (_, [machine, event]) => {
      const { usage, listed } = wideUsage();
      let state: unknown = machine.initial(PLAN);
      for (let at = 0; at < 5; at += 1) {
        const value = event(usage);
        [state] = machine.step(state as never, { name: "", data: "{}", value, exact: value } as never);
      }
      expect(listed()).toBeLessThanOrEqual(5);
    },
  );
});
