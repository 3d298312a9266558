import { writeExact } from "../../base/json/exact-json.ts";
import { ERROR_WORDS, statesError } from "../errors/error-body.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asArray, asIndex, asName, asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { keyFilter } from "../streams/byte-filter.ts";
import { mediaInLists } from "../streams/media-counts.ts";
import {
  type MeteringRules,
  recordCall,
  recordError,
  recordFinish,
  recordId,
  recordMedia,
  recordServiceTerm,
  recordStart,
  recordUnexpectedFormat,
  recordUnspecifiedFinish,
  recordUsage,
  type StreamState,
  type ToolRuns,
} from "../streams/metering-rules.ts";
import type { TextSink } from "../streams/output-text.ts";
import { type Buckets, inclusiveInput, metered, UsageCounter } from "../streams/usage-counts.ts";
import { usageReader } from "../streams/usage-reader.ts";
import { isEmptyFile, mediaIn } from "./decode-candidate.ts";
import { finishWord, hasUnspecifiedFinish, responseWord } from "./enums.ts";
import { decodeFinish, isFailure } from "./finish.ts";
import { callIn, isInForm, isUnnamed } from "./form.ts";
import { camelResponse, snakeCase } from "./spelling.ts";

const rules: MeteringRules = {
  callerFinishes: new Set(["MAX_TOKENS"]),
  declines: (word) => decodeFinish(word, "")?.unified === "content-filter",
  openEnded: true,
  readResponse(stated, state) {
    const body = camelResponse(stated);
    read(body, state);
    const parts = asObjects(body["candidates"]).flatMap(partsOf);
    if (parts.some(isUnnamed)) recordUnexpectedFormat(state);
    recordMedia(
      state,
      parts.flatMap((part) => mediaIn(part) ?? []),
    );
  },
  readEvent: (event, state, name) => read(camelResponse(event), state, name),
  responseText: (body, text) => readText(camelResponse(body), text),
  eventText: (event, text) => readText(camelResponse(event), text),
  billedCalls,

  openByteFilter() {
    const matters = openMatters();
    const holdsCandidates = openCandidatesLook();
    return (frame, start, end) => !holdsCandidates(frame, start, end) || matters(frame, start, end);
  },

  buckets(usage) {
    const tally = new UsageCounter();
    const prompt = tally.count(usage, "promptTokenCount");
    // Input that hosted tools read is input as well; it is never cached, and no part of the prompt (rule 3).
    const toolInput = tally.count(usage, "toolUsePromptTokenCount");
    const input = prompt === undefined ? undefined : prompt + (toolInput ?? 0);
    const cache = { cacheRead: tally.count(usage, "cachedContentTokenCount") };
    const candidates = tally.count(usage, "candidatesTokenCount");
    // The vendor leaves zeros out (rule 7); a count it did state but that is impossible stays missing.
    const leftOut = usage["candidatesTokenCount"] === undefined && prompt !== undefined;
    const output = outputBuckets({
      input,
      words: leftOut ? 0 : candidates,
      thoughts: tally.count(usage, "thoughtsTokenCount"),
      total: tally.count(usage, "totalTokenCount"),
    });
    // https://ai.google.dev/api/generate-content#UsageMetadata
    return metered(tally, inclusiveInput(tally, input, cache), output, usage, {
      input: mediaInLists(tally, usage["promptTokensDetails"], usage["toolUsePromptTokensDetails"]),
      cached: mediaInLists(tally, usage["cacheTokensDetails"]),
      output: mediaInLists(tally, usage["candidatesTokensDetails"]),
    });
  },
};

interface OutputCounts {
  readonly input: number | undefined;
  readonly words: number | undefined;
  readonly thoughts: number | undefined;
  readonly total: number | undefined;
}

/**
 * Thoughts are counted beside the words (rule 3); where the total says so, within them, as Gemini's own API and Vertex AI's
 * have done at times. What the total alone tells of are thoughts too (rule 4).
 */
function outputBuckets({ input, words, thoughts, total }: OutputCounts): Buckets {
  if (input === undefined || words === undefined || total === undefined)
    return { outputVisible: words, outputReasoning: thoughts };
  const isWithin = thoughts !== undefined && thoughts <= words && total === input + words;
  const visible = isWithin ? words - thoughts : words;
  const unstated = Math.max(0, total - input - visible - (thoughts ?? 0));
  return {
    outputVisible: visible,
    outputReasoning: thoughts === undefined && unstated === 0 ? undefined : (thoughts ?? 0) + unstated,
  };
}

/** Reads usage off generateContent, plain and streamed. */
export const generateContentUsage = usageReader(rules);

/** Every event is a whole response in small. */
function read(body: JsonObject, state: StreamState, name = ""): void {
  if (name === "error" || statesError(body)) {
    recordError(state, decodeStatedError(body), name === "" && isRaised(asObject(body["error"])));
    return;
  }
  state.started = true;
  recordId(state, body["responseId"]);
  const usage = asObject(body["usageMetadata"]);
  recordServiceTerm(state, "tier", usage?.["serviceTier"]);
  recordServiceTerm(state, "tier", tierOfTraffic(usage?.["trafficType"]));
  recordUsage(state, usage);
  for (const candidate of asObjects(body["candidates"])) {
    if (!isInForm(candidate)) recordUnexpectedFormat(state);
    for (const part of partsOf(candidate)) recordPart(part, state);
    recordGrounding(state, asObject(candidate["groundingMetadata"]));
    const finish = finishWord(body, candidate);
    // The vendor leaves the first one's index out, as it does with every zero.
    const index = asIndex(candidate["index"]);
    recordStart(state, index);
    if (hasUnspecifiedFinish(candidate)) recordUnspecifiedFinish(state, index);
    if (finish === "") continue;
    recordFinish(state, finish, index);
    state.failed ||= isFailure(finish);
  }
  const blocked = responseWord("blockReason", asObject(body["promptFeedback"])?.["blockReason"]);
  if (blocked !== "") {
    state.finish = asName(blocked);
    state.declined = true;
    state.finished = true;
  }
}

/** Pieces of a call have no name behind the first; one that begins without is nobody's to run. */
function recordPart(part: JsonObject, state: StreamState): void {
  if (isUnnamed(part) && !state.named) {
    recordUnexpectedFormat(state);
    return;
  }
  state.named ||= callIn(part) !== undefined;
  state.output ||= part["text"] !== "" && !isEmptyFile(part);
}

/** Notes what a response was grounded in: queries, and the kinds of sources that tell whose they are. */
function recordGrounding(state: StreamState, grounding: JsonObject | undefined): void {
  if (grounding === undefined) return;
  for (const query of asArray(grounding["webSearchQueries"])) recordCall(state, SEARCH, query);
  for (const query of asArray(grounding["imageSearchQueries"]))
    if (typeof query === "string" && query !== "") recordCall(state, IMAGE_SEARCH, query);
  const chunks = asObjects(grounding["groundingChunks"]);
  const has = (kind: string): boolean => chunks.some((chunk) => asObject(chunk[kind]) !== undefined);
  if (has("web")) recordCall(state, WEB_SOURCES, "web");
  // A request for a widget gets its token even if the text cites no place.
  if (has("maps") || asName(grounding["googleMapsWidgetContextToken"]) !== undefined)
    recordCall(state, MAPS, "request");
}

const SEARCH = "google_search";
const MAPS = "google_maps";
/** Not billed by these names, but told apart until the whole response is known. */
const IMAGE_SEARCH = "google_search image";
const WEB_SOURCES = "google_search sources";

/**
 * The vendor bills queries, empty and repeated ones left out, or once for a request that has any, as its models' prices
 * say (`GEMINI_TOOLS`): https://ai.google.dev/gemini-api/docs/google-search#pricing, and the same of images and Maps at
 * https://cloud.google.com/vertex-ai/generative-ai/pricing. Queries of Maps stand among those of the web, or nowhere: all
 * of a response whose only sources are places are of Maps, else Maps counts as one.
 */
function billedCalls(noted: ToolRuns): ToolRuns {
  const queries = noted.get(SEARCH);
  const images = Array.from(noted.get(IMAGE_SEARCH) ?? [], (query) => `image: ${query}`);
  const maps = noted.get(MAPS);
  const isMapsAlone = maps !== undefined && !noted.has(WEB_SOURCES) && images.length === 0;
  const searches = isMapsAlone ? [] : [...(queries ?? []), ...images];
  const billed = new Map<string, ReadonlySet<string>>();
  if (searches.length > 0) billed.set(SEARCH, new Set(searches));
  if (maps !== undefined) billed.set(MAPS, (isMapsAlone ? queries : undefined) ?? maps);
  return billed;
}

/** `ON_DEMAND`, `ON_DEMAND_PRIORITY`, `ON_DEMAND_FLEX`: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/priority-paygo */
function tierOfTraffic(type: unknown): unknown {
  return typeof type === "string" ? type.replace(/^ON_DEMAND_|^TRAFFIC_TYPE_/, "") : undefined;
}

/** The vendor's clients raise an object that states an HTTP status, in an event without a name; all else they pass over. */
function isRaised(error: JsonObject | undefined): boolean {
  const code = error?.["code"];
  return typeof code === "number" && code >= 400 && code < 600;
}

function readText(body: JsonObject, text: TextSink): void {
  for (const candidate of asObjects(body["candidates"])) {
    for (const part of partsOf(candidate)) {
      if (part["thought"] === true) text.reasoning(part["text"]);
      else text.visible(part["text"]);
      const media = mediaIn(part);
      if (media !== undefined) text.media(media);
      const call = asObject(part["functionCall"]);
      text.visible(call?.["name"]);
      if (call?.["args"] !== undefined) text.visible(writeExact(call["args"]));
      for (const piece of asObjects(call?.["partialArgs"])) text.visible(piece["stringValue"]);
      if (isStateAlone(part)) text.state(part["thoughtSignature"]);
      text.visible(asObject(part["executableCode"])?.["code"]);
    }
  }
}

/** State beside a text or a call is a part of that. */
function isStateAlone(part: JsonObject): boolean {
  return (
    asText(part["text"]) === "" &&
    Object.keys(part).every((key) => key === "text" || key.startsWith("thought"))
  );
}

function partsOf(candidate: JsonObject): readonly JsonObject[] {
  const content = asObject(candidate["content"]);
  return asObjects(content?.["parts"]);
}

const FIELDS_THAT_MATTER = ["usageMetadata", "finishReason", "promptFeedback", "groundingMetadata"];

const openMatters = keyFilter(
  ...FIELDS_THAT_MATTER.flatMap((field) => [field, snakeCase(field)]),
  ...ERROR_WORDS,
);

/** A frame without the key is no piece of a response, and may be a bare error. */
const openCandidatesLook = keyFilter("candidates");
