import { it } from "vitest";
import type { ChatEvent } from "../../src/conversation/event.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { parseLoosely } from "../../src/protocols/json.ts";
import { openFrameReader } from "../../src/protocols/streams/stream-frames.ts";
import { casesOf } from "./cases.ts";
import { codecOf } from "./codec-of.ts";
import { frame, plan, target } from "./conversation-arbitraries.ts";
import { type Mangler, openMangler } from "./mangle.ts";
import { type SeededRandom, seededRandom } from "./seed.ts";
import { streamFaults } from "./stream-grammar/stream-faults.ts";

/** Over the four codecs; `FAREGATE_FUZZ_CASES` asks for more. */
const CASES = Number(process.env["FAREGATE_FUZZ_CASES"] ?? casesOf(50_000)) / CHAT_PROTOCOLS.length;

/** Ten times what a case takes on a busy machine. */
const MAX_MS_PER_CASE = 20;

/** The bodies that are changed before they are read: at least one of each kind. */
export interface Samples {
  readonly requests: readonly unknown[];
  readonly responses: readonly unknown[];
  readonly streams: readonly string[];
}

/**
 * No byte sequence makes a codec throw, and whatever comes in, a stream that goes out ends once or not
 * at all. A third of the cases each: callers' requests, plain responses, streams; what is read is written
 * in a protocol that is drawn.
 */
export function fuzzLaw(protocol: ChatProtocol, samples: Samples): void {
  it(`throws nothing in ${CASES} cases`, { timeout: CASES * MAX_MS_PER_CASE }, () => {
    const random = seededRandom("TEST_SEED");
    const mangler = openMangler(random, wordsOf([...samples.requests, ...samples.responses]));
    for (let at = 0; at < CASES; at += 1) {
      const other = CHAT_PROTOCOLS[random.whole(0, CHAT_PROTOCOLS.length - 1)] ?? protocol;
      const input = drawn(at, samples, mangler, random);
      try {
        INPUTS[at % INPUTS.length]?.(protocol, other, input, random);
      } catch (cause) {
        const told = input instanceof Buffer ? input.toString("latin1") : JSON.stringify(input);
        throw new Error(`case ${at}, toward ${other}: ${told}`, { cause });
      }
    }
  });
}

type Input = Buffer | { readonly value: unknown };

/** The operations on requests, plain responses and streams, in turn. */
const INPUTS: readonly ((
  protocol: ChatProtocol,
  other: ChatProtocol,
  input: Input,
  random: SeededRandom,
) => void)[] = [
  (protocol, other, input) => {
    const decoded = codecOf(protocol).decodeRequest(jsonOf(input));
    if ("value" in decoded) codecOf(other).encodeRequest(decoded.value, target(other));
  },
  (protocol, other, input) => {
    const decoded = codecOf(protocol).decodeResponse(jsonOf(input), plan(protocol));
    if ("response" in decoded) codecOf(other).encodeResponse(decoded.response, frame);
  },
  (protocol, other, input, random) => {
    const events = readStream(protocol, input instanceof Buffer ? input : Buffer.alloc(0), random);
    const ends = events.findIndex(({ type }) => type === "finish" || type === "error");
    const after = events.slice(ends);
    if (ends === -1) throw new Error("does not end");
    if (after.some(({ type }) => type !== "finish") && after.length > 1)
      throw new Error("goes on after its end");
    const run = codecOf(other).encodeStream(frame, openLosses({}));
    const frames = [...events.flatMap((event) => run.step(event)), ...run.end()];
    // Items of the vendor's own tools go to its own callers as they came, whatever they are.
    const asTheyCame = events.some(({ type }) => type === "foreign");
    const faults = streamFaults(other, frames).filter((fault) => !asTheyCame && !PASSED_ON.has(fault));
    if (faults.length > 0) throw new Error(faults.join("; "));
  },
];

/** Errors that pass on the upstream's words, for the caller to judge. */
const PASSED_ON: ReadonlySet<string> = new Set([
  "arguments are an object",
  // A word that nobody knows is told as a stop.
  "an answer that calls does not say stop",
]);

function drawn(at: number, samples: Samples, mangler: Mangler, random: SeededRandom): Input {
  const kind = at % INPUTS.length;
  if (kind === 2)
    return random.whole(0, 9) === 0 ? mangler.noise() : mangler.stream(oneOf(samples.streams, random));
  const sample = oneOf(kind === 0 ? samples.requests : samples.responses, random);
  switch (random.whole(0, 9)) {
    case 0:
      return mangler.noise();
    case 1:
      return mangler.bytes(JSON.stringify(sample));
    default:
      return { value: mangler.json(sample) };
  }
}

function oneOf<T>(values: readonly T[], random: SeededRandom): T {
  return values[random.whole(0, values.length - 1)] as T;
}

/** The vendor's own names of fields and kinds, to be met in wrong places. */
function wordsOf(values: readonly unknown[]): readonly string[] {
  // Names that every object has by inheritance.
  const words = new Set<string>(["type", "__proto__", "constructor", "toString", "hasOwnProperty"]);
  const gather = (value: unknown): void => {
    if (typeof value === "string" && /^\w{1,30}$/.test(value)) words.add(value);
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) words.add(key);
      gather(inner);
    }
  };
  values.forEach(gather);
  return [...words];
}

function jsonOf(input: Input): unknown {
  return Buffer.isBuffer(input) ? parseLoosely(input.toString("utf8")) : input.value;
}

function readStream(protocol: ChatProtocol, bytes: Buffer, random: SeededRandom): readonly ChatEvent[] {
  const reader = openFrameReader();
  const run = codecOf(protocol).decodeStream(plan(protocol));
  const events: ChatEvent[] = [];
  const most = random.whole(1, 2_000);
  for (let at = 0; at < bytes.length; ) {
    const end = at + random.whole(1, most);
    for (const each of reader.write(bytes.subarray(at, end))) events.push(...run.step(each));
    at = end;
  }
  for (const each of reader.end()) events.push(...run.step(each));
  return [...events, ...run.end()];
}
