import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectEvents } from "../../src/conversation/adapt/collect.ts";
import { blankPlan } from "../../src/conversation/lower/plan.ts";
import { generateContent } from "../../src/protocols/generate-content/codec.ts";
import { decodeSchema } from "../../src/protocols/generate-content/decode-schema.ts";
import { camelKeys } from "../../src/protocols/generate-content/spelling.ts";
import { asObject, parseLoosely } from "../../src/protocols/json.ts";
import { openFrameReader } from "../../src/protocols/streams/stream-frames.ts";
import type { EncodedRequest, Translation } from "../../src/protocols/translation.ts";
import { frame, target } from "../support/conversation-arbitraries.ts";
import { discoveryJudge } from "../support/discovery-schema.ts";
import { type Recording, readRecordings } from "../support/recordings.ts";

const codec = generateContent.translation as Translation;
const PROTOCOL = "generate-content";
/** State is the vendor's own, as it is when it comes from the vendor itself. */
const plan = blankPlan({ protocol: PROTOCOL }, "seed");
const recordings = readRecordings().filter(({ protocol }) => protocol === PROTOCOL);
const requests = recordings.filter(({ request }) => request !== undefined && "contents" in request);
const finished = recordings.filter(({ status, body }) => status === 200 && body.includes("modelVersion"));
const piecemeal = finished.filter(({ body }) => body.includes("partialArgs"));
const responses = finished.filter((each) => !piecemeal.includes(each));
const judge = discoveryJudge();

describe("recorded generateContent exchanges", () => {
  it.each(requests)("request $id comes back as it was", (recording) => {
    const { body } = encoded(recording);
    expect(normalRequest(body)).toEqual(normalRequest(recording.request));
  });

  it.each(requests)("request $id is valid by the vendor's schema when written for others", (recording) => {
    // As if another protocol's caller had said it: its own fields go.
    const decoded = codec.decodeRequest(recording.request);
    if (!("value" in decoded)) throw decoded.refused;
    for (const schemas of ["whole", "subset"] as const) {
      const messages = decoded.value.messages.map(({ role, parts }) => ({
        role,
        parts: parts.filter(({ kind }) => kind !== "foreign"),
      }));
      const tools = decoded.value.tools.filter(({ kind }) => kind === "function");
      const stranger = { ...decoded.value, messages, tools, foreign: [] };
      const written = codec.encodeRequest(stranger, target(PROTOCOL, { quirks: { schemas } }));
      if (!("value" in written)) throw written.refused;
      expect(judge("GenerateContentRequest", JSON.parse(JSON.stringify(written.value.body)))).toEqual([]);
    }
  });

  it.each(responses)("answer $id comes back as it was, and streams what it says", (recording) => {
    const decoded = decodeResponse(recording.body, recording.stream);
    if (!("response" in decoded)) throw new Error(JSON.stringify(decoded));
    const { body, losses } = codec.encodeResponse(decoded.response, frame);
    expect(losses).toEqual([]);
    const told = JSON.parse(JSON.stringify(body));
    // One of the vendor's two services says a little more than its schema.
    const recorded = bodiesOf(recording).flatMap((each) => judge("GenerateContentResponse", each));
    expect(judge("GenerateContentResponse", told).filter((each) => !recorded.includes(each))).toEqual([]);
    expect(normalResponse([told])).toEqual(normalResponse(bodiesOf(recording)));
  });

  it.each(piecemeal)("answer $id has its arguments joined", ({ body, stream }) => {
    const decoded = decodeResponse(body, stream);
    if (!("response" in decoded)) throw new Error(JSON.stringify(decoded));
    const calls = decoded.response.choices.flatMap(({ parts }) =>
      parts.filter(({ kind }) => kind === "tool-call"),
    );
    expect(calls.length).toBe(body.match(/"name":\s*"/g)?.length);
    for (const [, said] of body.matchAll(/"stringValue":\s*"([^"\\]+)"/g)) {
      expect(JSON.stringify(calls)).toContain(said);
    }
  });

  it("survives recordings cut short and with bytes changed, and never takes a cut one for finished", () => {
    const cases = fc.tuple(fc.constantFrom(...responses), fc.nat(), fc.nat(), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(cases, ([{ body, stream }, at, size, noise]) => {
        const start = at % body.length;
        const end = Math.min(body.length, start + (size % 40));
        const mangled = body.slice(0, start) + noise + body.slice(end);
        if (!stream) return void codec.decodeResponse(parseLoosely(mangled), plan);
        decodeResponse(mangled, stream);
        const cut = body.slice(0, start);
        if ("response" in decodeResponse(cut, stream)) expect(cut).toContain("finishReason");
      }),
      { numRuns: 300 },
    );
  });
});

function encoded({ request }: Recording): EncodedRequest {
  const decoded = codec.decodeRequest(request);
  if (!("value" in decoded)) throw decoded.refused;
  const outcome = codec.encodeRequest(decoded.value, target(PROTOCOL));
  if (!("value" in outcome)) throw outcome.refused;
  return outcome.value;
}

function decodeResponse(body: string, stream: boolean) {
  if (!stream) return codec.decodeResponse(JSON.parse(body), plan);
  const run = codec.decodeStream(plan);
  const reader = openFrameReader();
  const frames = [...reader.write(Buffer.from(body)), ...reader.end()];
  return collectEvents([...frames.flatMap((each) => run.step(each)), ...run.end()]);
}

type Json = Readonly<Record<string, unknown>>;

function bodiesOf({ body, stream }: Recording): Json[] {
  if (!stream) return [JSON.parse(body)];
  const reader = openFrameReader();
  return [...reader.write(Buffer.from(body)), ...reader.end()].map(({ data }) => JSON.parse(data));
}

/** What the vendor reads alike: spellings, one or several entries of tools, ids, JSON Schema in either field. */
function normalRequest(raw: unknown): unknown {
  const { model: _, contents, tools, toolConfig, systemInstruction, generationConfig, ...rest } = camel(raw);
  const config = camel(generationConfig);
  // Text is what every response is.
  const {
    responseModalities: _modalities,
    responseSchema,
    responseJsonSchema,
    thinkingConfig,
    ...others
  } = config;
  const schema = responseJsonSchema ?? (responseSchema ? decodeSchema(camel(responseSchema)) : undefined);
  const entries = (Array.isArray(tools) ? tools : tools === undefined ? [] : [tools]).map(camel);
  const functions = entries
    .flatMap((entry) => (entry["functionDeclarations"] ?? []) as unknown[])
    .map(normalFunction);
  const tooling = camel(toolConfig);
  const calling = camel(tooling["functionCallingConfig"]);
  // A choice among some offers only those.
  const allowed = (calling["allowedFunctionNames"] ?? []) as unknown[];
  const several = allowed.length > 1;
  return {
    ...rest,
    system: partsOf(systemInstruction),
    contents: turnsOf(contents as unknown[]),
    functions: functions.filter(({ name }) => !several || allowed.includes(name)),
    hosted: entries
      .map(({ functionDeclarations: _, ...hosted }) => hosted)
      .filter((e) => Object.keys(e).length > 0),
    toolConfig:
      entries.length === 0
        ? undefined
        : several
          ? { ...tooling, functionCallingConfig: { mode: calling["mode"] } }
          : toolConfig,
    config: {
      ...others,
      ...(schema ? { schema: loose(schema) } : {}),
      ...(thinkingConfig ? { thinking: camel(thinkingConfig) } : {}),
    },
  };
}

/** Contents of one role that follow each other are one turn, and what is empty is none (rule 32). */
function turnsOf(contents: readonly unknown[]): unknown {
  const turns: { role: unknown; parts: unknown[] }[] = [];
  for (const content of contents) {
    const role = camel(content)["role"] ?? "user";
    const parts = partsOf(content).filter(
      (part) => part["text"] !== "" || part["thoughtSignature"] !== undefined,
    );
    const last = turns.at(-1);
    if (parts.length > 0 && last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) turns.push({ role, parts: [...parts] });
  }
  return turns;
}

function normalFunction(raw: unknown): Json {
  const { parameters, parametersJsonSchema, ...rest } = camel(raw);
  const schema = parametersJsonSchema ?? (parameters ? decodeSchema(camel(parameters)) : undefined);
  return { ...rest, schema: loose(schema) };
}

/** `const` is written as an enumeration of one, and the schema's own address is left out. */
function loose(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema ?? null), (_, value) => {
    if (typeof value !== "object" || value === null || !("const" in value)) return value;
    const { const: only, ...rest } = value;
    return { ...rest, enum: [only] };
  });
}

function partsOf(content: unknown): Json[] {
  const { parts = [] } = camel(content);
  return (Array.isArray(parts) ? parts : [parts]).map((raw) => {
    const part = camel(raw);
    const call = part["functionCall"];
    const result = part["functionResponse"];
    if (call !== undefined) return { ...part, functionCall: { args: {}, ...withoutId(call) } };
    if (result !== undefined) return { ...part, functionResponse: withoutId(result) };
    return part["fileData"] === undefined ? part : { ...part, fileData: camel(part["fileData"]) };
  });
}

function withoutId(raw: unknown): Json {
  const { id: _, ...rest } = camel(raw);
  return rest;
}

/** Responses of one exchange as one: neighbouring words joined, each candidate's last word on everything else. */
function normalResponse(bodies: readonly Json[]): unknown {
  const candidates = bodies.flatMap((body) => (body["candidates"] ?? []) as Json[]);
  const parts: Json[] = [];
  for (const part of candidates.flatMap((each) => partsOf(each["content"]) as Json[])) {
    const last = parts.at(-1);
    const joins = "text" in part && last && "text" in last && last["thought"] === part["thought"];
    if (part["text"] === "" && part["thoughtSignature"] === undefined) continue;
    if (joins && last["thoughtSignature"] === undefined) {
      parts[parts.length - 1] = { ...last, ...part, text: `${last["text"]}${part["text"]}` };
    } else {
      parts.push(part);
    }
  }
  const beside = Object.assign({}, ...candidates);
  const usage =
    bodies.map((body) => camel(body["usageMetadata"])).findLast((each) => "promptTokenCount" in each) ?? {};
  const { promptTokenCount = 0, toolUsePromptTokenCount = 0 } = usage as Record<string, number>;
  const metadata = camel(beside["groundingMetadata"]);
  return {
    parts,
    finish: beside["finishReason"],
    grounding: Object.keys(metadata).length === 0 ? undefined : metadata,
    urlContext: beside["urlContextMetadata"],
    feedback: bodies.find((body) => "promptFeedback" in body)?.["promptFeedback"],
    model: bodies[0]?.["modelVersion"],
    input: promptTokenCount + toolUsePromptTokenCount,
    output: usage["candidatesTokenCount"] ?? 0,
    thoughts: usage["thoughtsTokenCount"],
    cached: usage["cachedContentTokenCount"],
  };
}

function camel(value: unknown): Json {
  return camelKeys(asObject(value) ?? {});
}
