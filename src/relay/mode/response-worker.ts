import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort } from "node:worker_threads";
import { parseExact, writeExact } from "../../base/json/exact-json.ts";
import type { CallWithState } from "../../conversation/adapt/calls-with-state.ts";
import type { Loss } from "../../conversation/loss.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import type { JsonObject } from "../../conversation/request.ts";
import type { OutputText, ResponseSummary } from "../../protocols/protocol.ts";
import { scrubResponse } from "../../protocols/streams/scrub-stream.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { createScrubber, type ScrubbedUpstream } from "../../upstreams/scrub/scrubber.ts";
import { joinedUsage } from "../fan-out/joined-usage.ts";
import { type ResponseReading, type ResponseTerms, readWhole } from "./whole-response.ts";

/** A response to be read, or one to be scrubbed. `echo`: of the frame, as JSON, since threads hand each other doubles only. */
export type ResponseMessage =
  | {
      readonly body: Uint8Array<ArrayBuffer>;
      readonly upstream: ProtocolName;
      readonly terms: ResponseTerms;
      readonly echo: string;
      /** How many responses were joined to this one; 1 = it is one. */
      readonly copies: number;
      readonly wantsCalls: boolean;
    }
  | { readonly body: Uint8Array<ArrayBuffer>; readonly upstreams: readonly ScrubbedUpstream[] };

/** The result of reading; `summary` and `error` are JSON. */
export interface ResponseRead {
  readonly summary: string;
  readonly finished: boolean;
  /** `body` absent: the response is passed on as it came. */
  readonly passed?:
    | { readonly body?: Uint8Array; readonly losses: readonly Loss[] }
    | { readonly error: string };
  readonly calls: readonly CallWithState[];
}

export type ResponseReply =
  | { readonly read: ResponseRead }
  | { readonly scrubbed: Uint8Array }
  | { readonly thrown: { readonly name: string; readonly message: string; readonly stack: string } };

/** The summary of a response as data. */
export type PlainSummary = Omit<ResponseSummary, "outputText" | "parts"> & {
  readonly text: OutputText;
  readonly parts?: readonly PlainSummary[] | undefined;
};

/** Beyond it, states of calls are forgotten, which they may be: whoever asks for them hashes them on the event loop. */
const CALLS_CHARACTERS = 256 * 1024;

/**
 * Responses from this size on leave nothing behind: an idle thread would not collect its last response and its text for hours.
 */
const COLLECTED_BYTES = 4 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

parentPort?.on("message", (message: ResponseMessage) => {
  const { byteLength } = message.body;
  const reply = replyTo(message);
  const bytes = "read" in reply ? bodyOf(reply.read) : "scrubbed" in reply ? reply.scrubbed : undefined;
  // A small body lies in memory that others share, which cannot be moved.
  const isOwn = bytes !== undefined && bytes.buffer.byteLength === bytes.byteLength;
  const moved = isOwn ? [bytes.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(reply, moved);
  // In a turn of its own, when nothing here refers to them any more.
  if (byteLength >= COLLECTED_BYTES) setImmediate(collect);
});

function replyTo(message: ResponseMessage): ResponseReply {
  const body = Buffer.from(message.body.buffer);
  try {
    if ("upstreams" in message) return { scrubbed: scrubResponse(body, createScrubber(message.upstreams)) };
    const { terms, upstream, copies, wantsCalls, echo } = message;
    const { usage } = PROTOCOLS[upstream];
    const calls: CallWithState[] = [];
    let characters = 0;
    const onCall = (call: CallWithState): void => {
      characters += call.id.length + call.name.length + call.arguments.length;
      if (characters <= CALLS_CHARACTERS) calls.push(call);
    };
    const reading = readWhole(
      withEcho(terms, echo),
      copies === 1 ? usage : joinedUsage(usage, () => copies, []),
      [body],
      wantsCalls ? onCall : undefined,
    );
    return { read: plain(reading, body, calls) };
  } catch (cause) {
    const { name, message: text, stack } = cause instanceof Error ? cause : new Error(String(cause));
    return { thrown: { name, message: text, stack: stack ?? "" } };
  }
}

function withEcho(terms: ResponseTerms, echo: string): ResponseTerms {
  const { form } = terms;
  if (form.kind !== "written") return terms;
  const frame = { ...form.conversion.frame, echo: parseExact(echo) as JsonObject };
  return { ...terms, form: { ...form, conversion: { ...form.conversion, frame } } };
}

function plain(
  { summary, finished, passed }: ResponseReading,
  body: Buffer,
  calls: readonly CallWithState[],
): ResponseRead {
  const read = { summary: writeExact(plainSummary(summary)), finished, calls };
  if (passed === undefined) return read;
  if ("error" in passed) return { ...read, passed: { error: writeExact(passed.error) } };
  const [first, ...more] = passed.body;
  const { losses } = passed;
  if (first === body && more.length === 0) return { ...read, passed: { losses } };
  const whole = more.length === 0 && first !== undefined ? first : Buffer.concat(passed.body);
  return { ...read, passed: { body: whole, losses } };
}

function plainSummary({ outputText, parts, ...summary }: ResponseSummary): PlainSummary {
  return {
    ...summary,
    text: outputText(),
    parts: parts?.map(plainSummary),
  };
}

function bodyOf({ passed }: ResponseRead): Uint8Array | undefined {
  return passed !== undefined && "body" in passed ? passed.body : undefined;
}
