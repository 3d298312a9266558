import { describe, expect, it } from "vitest";
import { target } from "../../../test/support/conversation-arbitraries.ts";
import type { ChatRequest } from "../../conversation/request.ts";
import { asObject } from "../json.ts";
import { PROTOCOLS } from "../table.ts";

const SMALL = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "q" }] };

const decode = (body: object) => {
  const outcome = PROTOCOLS.messages.translation?.decodeRequest(body);
  if (outcome === undefined) throw new Error("no translation");
  return outcome;
};
const refusal = (body: object): unknown => {
  const outcome = decode(body);
  return "refused" in outcome ? outcome.refused : undefined;
};

describe("an effort and a limit that messages state", () => {
  const decoded = (more: object): ChatRequest => {
    const outcome = decode({ ...SMALL, ...more });
    if (!("value" in outcome)) throw outcome.refused;
    return outcome.value;
  };

  it("takes the effort of the last instruction that states one, which need not have words", () => {
    const said = (effort: string, more: object = {}): object => ({
      role: "system",
      output_config: { effort },
      ...more,
    });
    const turn = { role: "user", content: "q" };
    const { messages, reasoning, foreign } = decoded({
      messages: [turn, said("low"), { role: "assistant", content: "a" }, turn, said("high")],
      output_config: { effort: "medium" },
    });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect([reasoning, foreign]).toEqual([{ enabled: true, effort: "high" }, []]);
    const worded = decoded({ messages: [turn, said("low", { content: "Be brief." })] });
    expect(worded.messages.at(-1)).toMatchObject({ role: "system", parts: [{ text: "Be brief." }] });
    expect(worded.reasoning).toMatchObject({ effort: "low" });
    expect(refusal({ ...SMALL, messages: [turn, { role: "system" }] })).toMatchObject({
      path: "messages[1].content",
    });
    expect(refusal({ ...SMALL, messages: [turn, said("loud")] })).toMatchObject({
      path: "messages[1].output_config.effort",
    });
  });

  it.each([
    ["messages", 0, "max_tokens", []],
    ["chat-completions", 1, "max_tokens", [{ path: "max_tokens", reason: "weakened" }]],
    ["responses", 16, "max_output_tokens", [{ path: "max_tokens", reason: "weakened" }]],
    ["generate-content", 1, "generationConfig.maxOutputTokens", [{ path: "max_tokens", reason: "weakened" }]],
  ] as const)(
    "takes a limit of 0, which fills the cache alone, as the least of %s",
    (name, least, at, losses) => {
      const encoded = PROTOCOLS[name].translation?.encodeRequest(decoded({ max_tokens: 0 }), target(name));
      if (encoded === undefined || !("value" in encoded)) throw new Error("refused");
      const value = at.split(".").reduce<unknown>((found, key) => asObject(found)?.[key], encoded.value.body);
      expect([value, encoded.value.losses]).toEqual([least, losses]);
    },
  );
});
