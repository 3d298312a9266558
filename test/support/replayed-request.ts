import type { Recording } from "./recordings.ts";

/** A recorded request as bytes of a caller, and what an upstream must receive of them. */
export interface ReplayedRequest {
  readonly path: string;
  readonly body: string;
  /** The caller's bytes with the upstream's model name in place of the caller's. */
  readonly forwarded: string;
  readonly upstreamPath: string;
  /** A chat stream whose caller did not ask for usage: the gateway asks, and keeps the response to itself. */
  readonly usageUnasked: boolean;
}

/**
 * Writes a recorded request the way no serialiser would write it back: odd whitespace that the seed
 * chooses. The record's number stands in blanks and tabs after the body, so that the upstream knows which
 * answer to give as long as every byte arrives.
 */
export function replayRequest(
  recording: Recording,
  number: number,
  upstreamModel: string,
  random: () => number,
): ReplayedRequest {
  const native = recording.protocol === "generate-content";
  const request = recording.request ?? {
    ...minimalRequest(recording),
    ...advisorOf(recording),
    ...compactionOf(recording),
  };
  const write = (model: string): string => writeOddly(native ? request : { ...request, model }, number, seed);
  const seed = Math.floor(random() * 1_000);
  const action = recording.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const paths = PATHS[recording.protocol];
  return {
    path: native ? `/v1beta/models/${encodeURIComponent(recording.model)}:${action}` : paths,
    upstreamPath: native ? `/v1beta/models/${encodeURIComponent(upstreamModel)}:${action}` : paths,
    body: write(recording.model),
    forwarded: write(upstreamModel),
    usageUnasked: recording.protocol === "chat-completions" && recording.stream && !asksUsage(request),
  };
}

/** The advisor of a request that was not recorded, but on whose response an advisor has worked. */
function advisorOf({ model, body }: Recording): object {
  if (!body.includes("advisor_message")) return {};
  return { tools: [{ type: "advisor_20260301", name: "advisor", model }] };
}

/** The same of one that was summarised on the way. */
function compactionOf({ protocol, body }: Recording): object {
  if (protocol !== "messages" || !/"type": ?"compaction"/.test(body)) return {};
  return { context_management: { edits: [{ type: "compact_20260112" }] } };
}

const PATHS = {
  "chat-completions": "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
  "generate-content": "",
} as const;

const MARK_BITS = 14;

/** The number that `replayRequest` wrote after a body; undefined where the bytes did not survive. */
export function numberOf(body: string): number | undefined {
  const mark = /[ \t]*$/.exec(body)?.[0] ?? "";
  if (mark.length !== MARK_BITS) return undefined;
  return Number.parseInt(mark.replaceAll(" ", "0").replaceAll("\t", "1"), 2);
}

function writeOddly(request: object, number: number, seed: number): string {
  const blanks = ["", " ", "\n", "\t", "  ", " \r\n "];
  let at = seed;
  const blank = (): string => blanks[at++ % blanks.length] ?? "";
  const indent = seed % 4;
  const members = Object.entries(request)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        `${blank()}${JSON.stringify(key)}${blank()}:${blank()}${JSON.stringify(value, null, indent)}${blank()}`,
    );
  const mark = number.toString(2).padStart(MARK_BITS, "0").replaceAll("0", " ").replaceAll("1", "\t");
  return `${blank()}{${members.join(",")}}${mark}`;
}

function minimalRequest({ protocol, stream }: Recording): Record<string, unknown> {
  const said = { role: "user", content: "What was asked was not recorded." };
  switch (protocol) {
    case "chat-completions":
      return { messages: [said], stream };
    case "responses":
      return { input: [said], stream };
    case "messages":
      return { max_tokens: 1_024, messages: [said], stream };
    case "generate-content":
      return { contents: [{ role: "user", parts: [{ text: said.content }] }] };
  }
}

function asksUsage(request: Readonly<Record<string, unknown>>): boolean {
  return (request["stream_options"] as { include_usage?: unknown } | undefined)?.include_usage === true;
}
