import fc from "fast-check";
import { expect, it } from "vitest";
import { casesOf } from "../support/cases.ts";
import { chargeOfVerdict, type JudgedAnswer, verdictOf } from "../support/judged-answer.ts";
import { TEXT_PROTOCOLS } from "../support/text-caller.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1").toString("base64");

const candidate = (parts: readonly object[], more: object = {}): object => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
});

const COUNTS = {
  promptTokenCount: 20,
  cachedContentTokenCount: 4,
  cacheTokensDetails: [{ modality: "AUDIO", tokenCount: 1 }],
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 14 },
    { modality: "AUDIO", tokenCount: 6 },
  ],
  candidatesTokenCount: 9,
  candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 5 }],
  thoughtsTokenCount: 3,
  toolUsePromptTokenCount: 2,
  totalTokenCount: 34,
  serviceTier: "priority",
};

const GROUNDING = {
  groundingMetadata: {
    webSearchQueries: ["q"],
    groundingChunks: [{ web: { uri: "https://a.example", title: "A" } }],
    groundingSupports: [{ segment: { startIndex: 0, endIndex: 5 }, groundingChunkIndices: [0] }],
  },
};

const CALL = { functionCall: { id: "c1", name: "f", args: { some_name: { inner_name: 1 } } } };

/** Streams of which each event has what the protocol can hold. */
const STREAMS: readonly (readonly object[])[] = [
  [
    candidate([{ text: "Hm.", thought: true }]),
    candidate([{ text: "Hello." }, { thoughtSignature: "c2ln", text: "" }]),
    { ...candidate([], { finishReason: "STOP", ...GROUNDING }), usageMetadata: COUNTS, responseId: "r1" },
  ],
  [candidate([CALL], { finishReason: "STOP" }), { usageMetadata: COUNTS }],
  [candidate([CALL])],
  [
    candidate([{ functionCall: { name: "f", willContinue: true } }]),
    candidate([
      { functionCall: { partialArgs: [{ jsonPath: "$.city", stringValue: "Rome" }], willContinue: true } },
    ]),
    candidate([{ functionCall: {} }], { finishReason: "STOP" }),
  ],
  [candidate([{ inlineData: { mimeType: "image/png", data: PNG } }], { finishReason: "STOP" })],
  [candidate([{ executableCode: { language: "PYTHON", code: "print(1)" } }], { finishReason: "MAX_TOKENS" })],
  [candidate([{ text: "He" }], { finishReason: "MALFORMED_FUNCTION_CALL" })],
  [candidate([{ text: "He" }], { finishReason: "FINISH_REASON_UNSPECIFIED" })],
  [candidate([{ fileData: { mimeType: "image/png", fileUri: "https://a.example/b.png" } }])],
  [{ promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 } }],
  [{ ...candidate([{ text: "Hi." }], { finishReason: 10 }), createTime: "2026-01-01T00:00:00Z" }],
];

/** The names that the protocol gives its fields, each in the spelling that is drawn for it; arguments have names of their own. */
function spelled(value: unknown, isSnake: () => boolean): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => spelled(each, isSnake));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      isSnake() ? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name,
      name === "args" ? inner : spelled(inner, isSnake),
    ]),
  );
}

const spellings = fc.oneof(
  { weight: 1, arbitrary: fc.constant([true]) },
  { weight: 2, arbitrary: fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }) },
);

const cases = fc.record({
  events: fc.constantFrom(...STREAMS),
  spelling: spellings,
  heard: fc.nat({ max: 3 }),
  leaves: fc.boolean(),
  client: fc.constantFrom(...TEXT_PROTOCOLS),
  streamed: fc.boolean(),
});

it("is judged, charged and told alike in either spelling of the native protocol's fields, forwarded or translated", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ events, spelling, heard, leaves, client, streamed }) => {
      let at = 0;
      const isSnake = (): boolean => spelling[at++ % spelling.length] ?? false;
      const sent = heard === 0 ? events : events.slice(0, heard);
      const answer = (all: readonly unknown[]): JudgedAnswer => ({
        client,
        upstream: "generate-content",
        streamed,
        leaves: streamed && leaves,
        pieces: streamed
          ? all.map((event) => `data: ${JSON.stringify(event)}\n\n`)
          : [JSON.stringify(all.at(-1))],
      });
      const expected = await verdictOf(answer(sent));
      const verdict = await verdictOf(answer(sent.map((event) => spelled(event, isSnake))));
      const where = JSON.stringify([client, streamed, leaves, spelling, sent]);
      expect(chargeOfVerdict(verdict), where).toEqual(chargeOfVerdict(expected));
      if (client === "generate-content") return;
      expect(untimed(verdict.told), where).toBe(untimed(expected.told));
    }),
    { numRuns: casesOf(1_000) },
  );
});

/** Without when the gateway wrote it, and ids that it made up. */
function untimed(told: string): string {
  return told.replace(/"(created|created_at|completed_at)":\d+/g, '"$1":0');
}

it("is charged for a call that came in snake_case, where its caller leaves or its upstream counts nothing", async () => {
  const part = { function_call: { name: "look_up_the_weather", args: { in_city: "Rome" } } };
  const event = { candidates: [{ index: 0, content: { parts: [part] }, finish_reason: "STOP" }] };
  for (const client of TEXT_PROTOCOLS) {
    for (const leaves of [false, true]) {
      const pieces = [`data: ${JSON.stringify(event)}\n\n`];
      const answer = { client, upstream: "generate-content", streamed: true, pieces, leaves } as const;
      const { usage, told } = await verdictOf(answer);
      expect(usage?.outputVisible, `${client} ${leaves}`).toBeGreaterThan(5);
      if (!leaves) expect(told).toContain("in_city");
    }
  }
});
