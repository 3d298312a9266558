import { describe, expect, it } from "vitest";
import { origin, target } from "../../../test/support/conversation-arbitraries.ts";
import { openLosses, outcomeOf } from "../loss.ts";
import type { ChatRequest, Part } from "../request.ts";
import { type Opaque, opaqueFor, opaqueIn, unwrapOpaque, wrapOpaque } from "../state/opaque.ts";
import type { ProtocolCapabilities } from "./capabilities.ts";
import { lowerRequest } from "./lower-request.ts";
import type { EncodeTarget } from "./plan.ts";

const capabilities: ProtocolCapabilities = {
  protocol: "messages",
  rank: 1,
  slots: new Set(["temperature", "cache", "reasoning", "user"]),
  toolNames: { maxLength: 24, also: "" },
  callIds: { maxLength: 40, also: "" },
  maxUserLength: 64,
  minOutputTokens: 1,
  maxStops: 1,
  customTools: false,
  namespaces: false,
  manyAnswers: false,
  prefill: "refuse",
  media: { inline: [], byUrl: [], schemes: [] },
  assistantMedia: false,
  manyChoices: false,
  responseMedia: [],
  argumentsAs: "object",
  blocksInTurn: true,
  stateSlots: ["reasoning"],
  reasoningRideOn: [],
  stateAfterWords: true,
  responseCitations: "none",
};

const blank: ChatRequest = {
  protocol: "responses",
  model: "m",
  stream: false,
  includeUsage: false,
  system: [],
  messages: [{ role: "user", parts: [{ kind: "text", text: "hi" }] }],
  tools: [],
  sampling: {},
  limits: {},
  foreign: [],
  echo: {},
  fieldNames: { topP: "top_p", toolChoice: "tool_choice", reasoningState: "encrypted_content", n: "n" },
};

function prepare(request: Partial<ChatRequest>, to: EncodeTarget = target("messages")) {
  const losses = openLosses(blank.fieldNames);
  const outcome = outcomeOf(() => lowerRequest({ ...blank, ...request }, capabilities, to, losses));
  if ("refused" in outcome) return { refused: outcome.refused.path, lost: [] as string[] };
  return { ...outcome.value, lost: losses.list().map(({ path, reason }) => `${path} ${reason}`) };
}

function partsOf(outcome: ReturnType<typeof prepare>): readonly Part[] {
  if (!("plan" in outcome)) throw new Error(`refused ${outcome.refused}`);
  return outcome.request.messages.flatMap(({ parts }) => parts);
}

describe("preparing a request", () => {
  it("makes the ids of calls and results what the model takes, alike in every turn", () => {
    const to = target("messages", { quirks: { callIdLength: 9 } });
    const turns = (id: string): Partial<ChatRequest> => ({
      messages: [
        { role: "assistant", parts: [{ kind: "tool-call", id, name: "f", arguments: "{}" }] },
        { role: "user", parts: [{ kind: "tool-result", callId: id, parts: [] }] },
      ],
    });
    expect(partsOf(prepare(turns("D681PevKs"), to))).toMatchObject([
      { id: "D681PevKs" },
      { callId: "D681PevKs" },
    ]);
    for (const other of ["toolu_01A09q90qw90lq917835lq9", "call_1234", "short", "D681Pev-s"]) {
      const [call, result] = partsOf(prepare(turns(other), to)) as unknown as {
        id: string;
        callId: string;
      }[];
      expect(call?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
      expect(result?.callId).toBe(call?.id);
    }
  });

  it("drops the hints that the model refuses, and says so", () => {
    const to = target("messages", { quirks: { refuses: ["user", "penalties", "verbosity"] } });
    const sampling = { presencePenalty: 0, temperature: 1 };
    const outcome = prepare({ protocol: "messages", user: "u", verbosity: "low", sampling }, to);
    expect("plan" in outcome && outcome.request).not.toHaveProperty("user");
    expect("plan" in outcome && outcome.request).not.toHaveProperty("verbosity");
    expect("plan" in outcome && outcome.request.sampling).toEqual({ temperature: 1 });
    expect(outcome.lost).toEqual([
      "presencePenalty model-refuses",
      "user model-refuses",
      "verbosity model-refuses",
    ]);
  });

  it("lets a model that always thinks think the least where it shall not", () => {
    const to = target("messages", { quirks: { thinkingOff: false } });
    const outcome = prepare({ reasoning: { enabled: false, budgetTokens: 0 } }, to);
    expect("plan" in outcome && outcome.request.reasoning).toEqual({ enabled: true, effort: "minimal" });
    expect(outcome.lost).toEqual(["reasoning weakened"]);
  });

  it("shortens the end user's name to one that no other becomes, and leaves a protocol's own alone", () => {
    const long = (end: string): string => "u".repeat(70) + end;
    const one = prepare({ user: long("1") });
    const told = "plan" in one ? one.request.user : undefined;
    expect(told).toHaveLength(64);
    expect(one.lost).toEqual(["user weakened"]);
    expect(prepare({ user: long("1") })).toHaveProperty("request.user", told);
    expect(prepare({ user: long("2") })).not.toHaveProperty("request.user", told);
    expect(prepare({ user: "u-1@example.com" })).toMatchObject({
      request: { user: "u-1@example.com" },
      lost: [],
    });
    const own = prepare({ user: long("1"), protocol: "messages" });
    expect(own).toMatchObject({ request: { user: long("1") }, lost: [] });
  });

  it("tells other protocols in words what only the caller's can say", () => {
    const reference = { type: "tool_reference", tool_name: "t" };
    const foreign = {
      kind: "foreign",
      value: reference,
      ifUnsupported: "drop",
      path: "p",
      words: "Call t.",
    } as const;
    const told = (protocol: "responses" | "messages") =>
      prepare({ messages: [{ role: "user", parts: [{ ...foreign, protocol }] }] });
    expect(partsOf(told("responses"))).toEqual([{ kind: "text", text: "Call t." }]);
    expect(told("responses").lost).toEqual(["p weakened"]);
    expect(partsOf(told("messages"))).toMatchObject([{ kind: "foreign", value: reference }]);
  });

  it("refuses to force tools on a model that refuses it", () => {
    const to = target("messages", { quirks: { forcedTools: false } });
    const tools = [{ kind: "function", name: "t", strict: false }] as const;
    expect(prepare({ tools, toolChoice: { kind: "required" } }, to)).toMatchObject({
      refused: "tool_choice",
    });
    expect(prepare({ tools, toolChoice: { kind: "auto" } }, to)).toHaveProperty(
      "request.toolChoice.kind",
      "auto",
    );
  });

  it("drops hints without a slot, named as the caller spelled them", () => {
    const outcome = prepare({ sampling: { temperature: 1, topP: 0.5 }, parallelToolCalls: false });
    expect(outcome.lost).toEqual(["top_p no-slot", "parallelToolCalls no-slot"]);
    expect("plan" in outcome && outcome.request.sampling).toEqual({ temperature: 1 });
  });

  it("refuses what changes the meaning, naming the field", () => {
    const foreign = [{ path: "previous_response_id", value: "r", ifUnsupported: "refuse" }] as const;
    expect(prepare({ foreign }).refused).toBe("previous_response_id");
    expect(
      prepare({ messages: [{ role: "assistant", parts: [{ kind: "text", text: "so" }] }] }).refused,
    ).toBe("messages");
    const hosted = {
      kind: "hosted",
      protocol: "responses",
      name: "web_search",
      value: {},
      path: "tools[0]",
    } as const;
    const forced = {
      tools: [{ ...hosted, ifUnsupported: "drop" }],
      toolChoice: { kind: "required" },
    } as const;
    expect(prepare(forced).refused).toBe("tool_choice");
    expect(prepare({ tools: [{ ...hosted, ifUnsupported: "refuse" }] }).refused).toBe("tools[0]");
    expect(prepare({ tools: [{ ...hosted, ifUnsupported: "drop" }] }).lost).toEqual(["tools[] no-slot"]);
  });

  it("asks as often as answers are wanted where a request makes one, and refuses more than eight", () => {
    const several = prepare({ n: 8 });
    expect(several).toMatchObject({ plan: { copies: 8 }, lost: [] });
    expect("plan" in several && several.request.n).toBeUndefined();
    expect(prepare({ n: 1 })).toMatchObject({ plan: { copies: 1 }, request: { n: 1 } });
    const capable = { ...target("messages"), quirks: { manyAnswers: true } };
    expect(prepare({ n: 9 }, capable)).toMatchObject({ plan: { copies: 1 }, request: { n: 9 } });
    expect(prepare({ n: 9 }).refused).toBe("n");
  });

  it("keeps state for its minter byte for byte and shows it to no other (rule 36)", () => {
    const state = (issued: Opaque["origin"]): Partial<ChatRequest> => ({
      messages: [
        { role: "user", parts: [{ kind: "text", text: "x" }] },
        {
          role: "assistant",
          parts: [
            { kind: "reasoning", text: "hm", opaque: { origin: issued, value: "s" } },
            { kind: "tool-call", id: "c", name: "n", arguments: "{}" },
          ],
        },
        { role: "user", parts: [{ kind: "tool-result", callId: "c", parts: [] }] },
      ],
    });
    expect(partsOf(prepare(state(origin("messages"))))[1]).toMatchObject({ opaque: { value: "s" } });
    for (const other of [
      origin("responses"),
      { ...origin("messages"), upstream: "elsewhere" },
      { ...origin("messages"), model: "model-2" },
    ]) {
      const outcome = prepare(state(other));
      expect(outcome.lost).toEqual(["encrypted_content other-issuer"]);
      expect(partsOf(outcome).map(({ kind }) => kind)).toEqual(["text", "tool-call", "tool-result"]);
    }
  });

  it("puts state back onto the call or text that it was taken off", () => {
    const of = (owner: string) => ({ origin: origin("messages"), value: `state of ${owner}`, of: owner });
    const outcome = prepare({
      messages: [
        {
          role: "assistant",
          parts: [
            { kind: "text", text: "x" },
            { kind: "reasoning", text: "", opaque: of("") },
            { kind: "tool-call", id: "a", name: "n", arguments: "{}" },
            { kind: "reasoning", text: "", opaque: of("a") },
          ],
        },
        { role: "user", parts: [{ kind: "tool-result", callId: "a", parts: [] }] },
      ],
    });
    expect(partsOf(outcome).slice(0, 2)).toMatchObject([
      { kind: "text", opaque: { value: "state of " } },
      { kind: "tool-call", opaque: { value: "state of a" } },
    ]);
  });

  it("gives names and ids that fit, alike in declaration, choice, call and result (rules 21, 29, 30)", () => {
    const long = "a_name_that_is_far_too_long_to_fit";
    const outcome = prepare({
      tools: [
        { kind: "function", name: long, namespace: "group", strict: false },
        { kind: "custom", name: "patch", description: "d" },
      ],
      toolChoice: { kind: "tool", name: long },
      messages: [
        { role: "user", parts: [{ kind: "text", text: "x" }] },
        {
          role: "assistant",
          parts: [
            { kind: "tool-call", id: "call|1", name: long, namespace: "group", arguments: "{}" },
            { kind: "tool-call", id: "call2", name: "patch", arguments: "text", custom: true },
          ],
        },
        { role: "user", parts: [{ kind: "tool-result", callId: "call|1", parts: [] }] },
      ],
    });
    if (!("plan" in outcome)) throw new Error(outcome.refused);
    const { tools, toolChoice } = outcome.request;
    const [, first, second, result] = partsOf(outcome);
    const name = tools[0]?.name ?? "";
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,24}$/);
    expect(toolChoice).toEqual({ kind: "tool", name });
    expect(first).toMatchObject({ name });
    expect(second).toMatchObject({ name: "patch", arguments: '{"input":"text"}' });
    expect(first?.kind === "tool-call" && result?.kind === "tool-result" && first.id === result.callId).toBe(
      true,
    );
    expect(outcome.plan.tools.get(name)).toEqual({ name: long, namespace: "group" });
    expect(outcome.plan.tools.get("patch")).toEqual({ name: "patch", custom: true });
  });

  it("answers a schema by a forced tool where the model has no field for it (rule 40)", () => {
    const responseFormat = { kind: "schema", name: "point", schema: { type: "object" } } as const;
    const outcome = prepare({ responseFormat }, target("messages", { quirks: { structuredOutput: "tool" } }));
    if (!("plan" in outcome)) throw new Error(outcome.refused);
    expect(outcome.plan.responseTool).toBe("point");
    expect(outcome.request.toolChoice).toEqual({ kind: "tool", name: "point" });
    expect(outcome.request.responseFormat).toBeUndefined();
  });

  it("tells the upstream as many stop sequences as it takes and plans to cut at the others (rule 39)", () => {
    const outcome = prepare({ limits: { stop: ["a", "b", "c"] } });
    expect("plan" in outcome && [outcome.request.limits.stop, outcome.plan.stops]).toEqual([
      ["a"],
      ["b", "c"],
    ]);
  });
});

describe("opaque state", () => {
  it("comes out of a foreign slot as it went in, and bare state out of its own", () => {
    const state = { origin: origin("generate-content"), value: "é\n=", of: "call" };
    expect(unwrapOpaque(wrapOpaque(state))).toEqual(state);
    expect(opaqueIn(opaqueFor("messages", state), "messages")).toEqual(state);
    const bare = opaqueIn("EqQBCkYIA", "messages");
    expect(bare.origin).toEqual({ protocol: "messages" });
    expect(opaqueFor("messages", bare)).toBe("EqQBCkYIA");
  });

  it("is never made of what only looks like it", () => {
    for (const word of [
      "gw1.",
      "gw1.e30",
      "gw1.%%%",
      `gw1.${Buffer.from('{"p":"x","v":"y"}').toString("base64url")}`,
    ]) {
      expect(unwrapOpaque(word)).toBeUndefined();
    }
  });
});
