import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { collectEvents } from "../../src/conversation/adapt/collect.ts";
import type { ChatEvent } from "../../src/conversation/event.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { ChatRequest } from "../../src/conversation/request.ts";
import type { ChatResponse, Choice, FinishKind, ResponsePart } from "../../src/conversation/response.ts";
import { asObject, type JsonObject, parseLoosely } from "../../src/protocols/json.ts";
import { openFrameReader, writeFrames } from "../../src/protocols/streams/stream-frames.ts";
import type { WireFrame } from "../../src/protocols/translation.ts";
import { codecOf } from "../support/codec-of.ts";
import { frame, plan, target } from "../support/conversation-arbitraries.ts";
import { type Recording, readRecordings, readSdkStreams } from "../support/recordings.ts";
import { readBySdk } from "../support/sdk-reader.ts";
import { seededRandom } from "../support/seed.ts";
import { streamFaults } from "../support/stream-grammar/stream-faults.ts";
import { usageFaults } from "../support/usage-faults.ts";
import { openVendorSchema } from "../support/vendor-schemas.ts";

/** Each takes a few seconds where nothing else runs. */
const MAX_MS = 180_000;

/** Every recording, whatever its protocol, written in this one: as a request to it and as its response. */
export function crossingLaws(to: ChatProtocol): void {
  describe(`every recording as ${to}`, () => {
    const recordings = [...readRecordings(), ...readSdkStreams()];
    const schema = openVendorSchema(to);
    const timeout = MAX_MS;

    it("is a request that the vendor's schema takes, or a refusal that names a field", { timeout }, () => {
      const faults: string[] = [];
      let written = 0;
      for (const { id, protocol, request } of recordings) {
        const asked = request === undefined ? undefined : codecOf(protocol).decodeRequest(request);
        if (asked === undefined || "refused" in asked) continue;
        const encoded = codecOf(to).encodeRequest(asked.value, target(to));
        if ("refused" in encoded) {
          if (encoded.refused.path === "") faults.push(`${id} is refused for nothing`);
          continue;
        }
        written += 1;
        const { body } = encoded.value;
        // What the caller's own body had wrong, it has wrong when it is given back as it was.
        const before = protocol === to ? schema.request(request) : [];
        if (before.length === 0) faults.push(...schema.request(body).map((fault) => `${id} ${fault}`));
        faults.push(...missingWords(asked.value, body).map((words) => `${id} lost ${words}`));
      }
      expect(faults).toEqual([]);
      expect(written).toBeGreaterThan(1000);
    });

    it("is an answer that the vendor's schema takes, with the same words, calls and counts", {
      timeout,
    }, () => {
      const faults: string[] = [];
      let written = 0;
      for (const recording of recordings) {
        const { id, protocol, stream, body } = recording;
        if (stream || recording.status !== 200) continue;
        const decoded = codecOf(protocol).decodeResponse(parseLoosely(body), plan(protocol));
        if ("error" in decoded || !isTellable(to, recording, decoded.response)) continue;
        const { body: told } = codecOf(to).encodeResponse(decoded.response, frame);
        written += 1;
        const before = protocol === to ? schema.response(parseLoosely(body)) : [];
        if (before.length === 0) faults.push(...schema.response(told).map((fault) => `${id} ${fault}`));
        const back = codecOf(to).decodeResponse(reparsed(told), plan(to));
        if ("error" in back) faults.push(`${id} became an error`);
        else
          faults.push(...contentFaults(to, decoded.response, back.response).map((fault) => `${id} ${fault}`));
        faults.push(...usageFaults(recording, to, reparsed(told)).map((fault) => `${id} ${fault}`));
      }
      expect(faults).toEqual([]);
      expect(written).toBeGreaterThan(900);
    });

    it("is a stream in the vendor's grammar and schema, with the same words, calls and counts", {
      timeout,
    }, () => {
      const faults: string[] = [];
      let written = 0;
      for (const recording of recordings.filter(isStream)) {
        const { id, protocol } = recording;
        const events = readEvents(recording);
        const collected = collectEvents(events);
        if ("response" in collected && !isTellable(to, recording, collected.response)) continue;
        const frames = writeEvents(to, events);
        written += 1;
        faults.push(...streamFaults(to, frames).map((fault) => `${id} ${fault}`));
        const own = protocol === to && events.some(({ type }) => type === "foreign");
        for (const data of own ? [] : dataOf(frames)) {
          faults.push(...schema.event(data).map((fault) => `${id} ${fault}`));
        }
        if (!("response" in collected)) continue;
        const back = collectEvents(decodeFrames(to, frames));
        if (!("response" in back)) faults.push(`${id} does not end`);
        else
          faults.push(
            ...contentFaults(to, collected.response, back.response).map((fault) => `${id} ${fault}`),
          );
        faults.push(...usageFaults(recording, to, ...dataOf(frames)).map((fault) => `${id} ${fault}`));
      }
      expect(faults).toEqual([]);
      expect(written).toBeGreaterThan(500);
    });

    it("is a stream that the official SDK reads, cut at random places", { timeout }, async () => {
      const random = seededRandom("TEST_SEED");
      const faults: string[] = [];
      for (const recording of recordings.filter(isStream)) {
        const events = readEvents(recording);
        const collected = collectEvents(events);
        if ("response" in collected && !isTellable(to, recording, collected.response)) continue;
        const stream = writeFrames(writeEvents(to, events));
        const most = random.whole(1, 400);
        const reading = readBySdk(to, stream, () => random.whole(1, most));
        if (!("response" in collected)) {
          const read = await reading.then(
            () => "",
            (error: unknown) => String(error),
          );
          if (read === "" && to !== "responses") faults.push(`${recording.id} looks finished`);
          continue;
        }
        const [choice] = collected.response.choices;
        const { text, calls } = choice === undefined ? { text: "", calls: [] } : content(choice);
        const read = await reading.catch((error: unknown) => ({ text: String(error), calls: [] }));
        if (read.text !== text) faults.push(`${recording.id} text ${read.text}`);
        const found = read.calls.filter((_, at) => isWhole(calls[at] ?? { input: undefined }));
        if (!isDeepStrictEqual(found, calls.filter(isWhole)))
          faults.push(`${recording.id} calls ${JSON.stringify(read.calls)}`);
      }
      expect(faults).toEqual([]);
    });
  });
}

/** Arguments that the limit cut short are whatever a client makes of them. */
function isWhole({ input }: { readonly input: unknown }): boolean {
  return typeof input === "object";
}

function isStream({ stream, status, body }: Recording): boolean {
  return stream && status === 200 && body !== "";
}

function readEvents({ protocol, body }: Recording): readonly ChatEvent[] {
  const reader = openFrameReader();
  return decodeFrames(protocol, [...reader.write(Buffer.from(body)), ...reader.end()]);
}

function decodeFrames(protocol: ChatProtocol, frames: readonly WireFrame[]): readonly ChatEvent[] {
  const run = codecOf(protocol).decodeStream(plan(protocol));
  return [...frames.flatMap((each) => run.step(each)), ...run.end()];
}

function writeEvents(protocol: ChatProtocol, events: readonly ChatEvent[]): readonly WireFrame[] {
  const run = codecOf(protocol).encodeStream(frame, openLosses({}));
  return [...events.flatMap((event) => run.step(event)), ...run.end()];
}

/** Whether a caller of `to` could have got this response, and it is whole. */
function isTellable(to: ChatProtocol, { protocol, body }: Recording, { choices }: ChatResponse): boolean {
  if (SHORTENED.test(body)) return false;
  return choices.every(({ parts, finish }) => {
    const calls = parts.filter((part) => part.kind === "tool-call");
    // Bare input is written where a caller declared such a tool; of chats, no schema or SDK knows it streamed.
    if (calls.some(({ custom }) => custom)) return to === "responses";
    // Only the vendor's own callers can let its code call their tools, which then says that all is over.
    if (calls.length > 0 && finish.unified === "stop") return to === protocol;
    // One server spliced two answers, of which the first breaks off in a call.
    return finish.unified === "length" || calls.every((call) => isWhole({ input: inputOf(call.arguments) }));
  });
}

/** Somebody cut the picture short by hand. */
const SHORTENED = /"result": ?"[^"]*[^\w+/="-]/;

/** The events of a stream as objects, but for errors, whose forms are no vendor's. */
function dataOf(frames: readonly WireFrame[]): readonly JsonObject[] {
  return frames
    .filter(({ data }) => data !== "[DONE]")
    .map(({ data }) => JSON.parse(data) as JsonObject)
    .filter(({ type, error }) => type !== "error" && type !== "response.failed" && error === undefined);
}

function reparsed(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** What differs between a response and what its caller reads. */
function contentFaults(to: ChatProtocol, said: ChatResponse, read: ChatResponse): readonly string[] {
  // Callers of these two ask for one response and get one.
  const one = to === "responses" || to === "messages";
  const wanted = said.choices.slice(0, one ? 1 : undefined).map((choice) => content(choice));
  const found = read.choices.map((choice) => content(choice));
  const expected = wanted.map((choice) => ({
    ...choice,
    // A call that the limit cut short is left out where calls come whole (rule 11).
    calls: to === "generate-content" ? choice.calls.filter(isWhole) : choice.calls,
    finish: TOLD[to]?.[choice.finish] ?? choice.finish,
  }));
  return isDeepStrictEqual(found, expected)
    ? []
    : [`says ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`];
}

/** What a response says to a person or a program, whatever its form. */
function content({ parts, finish }: Choice) {
  return {
    text: textOf(parts, "text"),
    thoughts: textOf(parts, "reasoning"),
    calls: parts.flatMap((part) =>
      part.kind === "tool-call" ? [{ name: part.name, input: inputOf(part.arguments) }] : [],
    ),
    finish: finish.unified,
  };
}

/** A word that nobody knows is told as a stop; a pause is a word of messages alone. */
const STOPS: Partial<Record<FinishKind, FinishKind>> = { other: "stop", pause: "stop" };
const TOLD: Readonly<Record<ChatProtocol, Partial<Record<FinishKind, FinishKind>>>> = {
  "chat-completions": STOPS,
  responses: STOPS,
  messages: { other: "stop" },
  "generate-content": STOPS,
};

function textOf(parts: readonly ResponsePart[], kind: "text" | "reasoning"): string {
  return parts.map((part) => (part.kind === kind ? part.text : "")).join("");
}

function inputOf(text: string): unknown {
  return text === "" ? {} : (asObject(parseLoosely(text)) ?? text);
}

/** Words of the conversation that the body does not have. */
function missingWords(request: ChatRequest, body: JsonObject): readonly string[] {
  const said = [...request.system, ...request.messages.flatMap(({ parts }) => parts)];
  const strings = new Set<string>();
  gather(body, strings);
  const all = [...strings].join("\n");
  return said.flatMap((part) => {
    const words = part.kind === "text" ? part.text : part.kind === "tool-call" ? part.name : "";
    return words.trim() === "" || all.includes(words) ? [] : [words];
  });
}

function gather(value: unknown, into: Set<string>): void {
  if (typeof value === "string") into.add(value);
  else if (typeof value === "object" && value !== null)
    for (const each of Object.values(value)) gather(each, into);
}
