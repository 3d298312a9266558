import { writeExact } from "../../base/json/exact-json.ts";
import type { Citation } from "../../conversation/request.ts";
import { asArray, asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { lettersOf, RepeatedText } from "../repeated-text.ts";

/**
 * The citations of a text in the vendor's `groundingMetadata`: chunks are sources, supports are passages
 * that rest on them. Its offsets are bytes, ours UTF-16 units; where a passage does not stand where it is
 * said to (several parts of text are counted in different ways), it is searched for.
 */
export function decodeGrounding(metadata: JsonObject, text: string): readonly Citation[] {
  const chunks = asObjects(metadata["groundingChunks"]);
  const supports = asObjects(metadata["groundingSupports"]).slice(0, MAX_CITATIONS);
  const bytes = supports.length === 0 ? Buffer.alloc(0) : Buffer.from(text);
  const sources = chunks.map(decodeChunk);
  const repeated = new RepeatedText(lettersOf(sources));
  return supports.flatMap((support) => {
    const segment = asObject(support["segment"]) ?? {};
    const place = placeOf(segment, text, bytes);
    return asArray(support["groundingChunkIndices"])
      .map((index) => (typeof index === "number" ? sources[index] : undefined))
      .filter((source) => source !== undefined)
      .filter((source) => repeated.takes(lettersOf([source])))
      .map((source): Citation => ({ ...source, ...place }));
  });
}

function decodeChunk(chunk: JsonObject): Citation {
  const cited = asObject(chunk["web"] ?? chunk["retrievedContext"] ?? chunk["maps"]) ?? {};
  const { uri, title, text: quote } = cited;
  return {
    url: typeof uri === "string" ? uri : undefined,
    title: typeof title === "string" ? title : undefined,
    quote: typeof quote === "string" ? quote : undefined,
    source: { protocol: "generate-content", value: { chunk } },
  };
}

function placeOf(segment: JsonObject, text: string, bytes: Buffer): Pick<Citation, "start" | "end"> {
  const passage = asText(segment["text"]);
  const from = countOf(segment["startIndex"]);
  const start = bytes.toString("utf8", 0, from).length;
  if (passage === "") {
    const to = countOf(segment["endIndex"]);
    return to <= from || to > bytes.length ? {} : { start, end: bytes.toString("utf8", 0, to).length };
  }
  const found = text.startsWith(passage, start) ? start : text.indexOf(passage);
  return found === -1 ? {} : { start: found, end: found + passage.length };
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** A text and what it cites; `part`: its index in the content. */
export interface CitedText {
  readonly part: number;
  readonly text: string;
  readonly citations: readonly Citation[];
}

/** The citations as `groundingMetadata`; undefined where there are none. */
export function encodeGrounding(texts: readonly CitedText[]): JsonObject | undefined {
  const groundingChunks: JsonObject[] = [];
  const known = new Map<string, number>();
  const repeated = new RepeatedText(texts.reduce((sum, { text }) => sum + text.length, 0));
  const groundingSupports = texts.flatMap(({ part, text, citations }) =>
    citations.map((citation) => {
      const chunk = encodeChunk(citation);
      const key = writeExact(chunk);
      const index = known.get(key) ?? groundingChunks.push(chunk) - 1;
      known.set(key, index);
      return { segment: encodeSegment(part, text, citation, repeated), groundingChunkIndices: [index] };
    }),
  );
  return groundingSupports.length === 0 ? undefined : { groundingChunks, groundingSupports };
}

function encodeChunk({ url, title, quote, source }: Citation): JsonObject {
  const own = source.protocol === "generate-content" ? asObject(source.value["chunk"]) : undefined;
  if (own !== undefined) return own;
  const titled = title === undefined ? {} : { title };
  if (url !== undefined) return { web: { uri: url, ...titled } };
  return { retrievedContext: { ...titled, text: quote } };
}

/** A citation without a place is of the whole text. Where it is says as much as its words. */
function encodeSegment(
  part: number,
  text: string,
  { start = 0, end = text.length }: Citation,
  repeated: RepeatedText,
): JsonObject {
  const words = text.slice(start, end);
  return {
    partIndex: part === 0 ? undefined : part,
    startIndex: Buffer.byteLength(text.slice(0, start)),
    endIndex: Buffer.byteLength(text.slice(0, end)),
    text: repeated.takes(words.length) ? words : undefined,
  };
}

/** Answers cite a few dozen passages; each costs a search in the text. */
const MAX_CITATIONS = 1000;
