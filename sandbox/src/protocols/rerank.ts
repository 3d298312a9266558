import type { Call } from "../call.ts";
import { newHexId } from "../ids.ts";
import { isObject, type Json, type JsonObject, numberOf, objectOr, parseJson } from "../json.ts";
import { Refusal, refuse, type VendorError } from "../refusal.ts";
import { type ErrorForm, sendError, sendResponse, strikeBeforeHeaders } from "../reply.ts";
import { parseDirectives } from "../scenario.ts";
import { createSeeded, seedOf } from "../seeded.ts";
import { credentialRefusal } from "../text-route.ts";
import { countTokens, loadTokenizer } from "../tokens.ts";
import { NO_USAGE } from "../usage.ts";
import { bareNumbers, CACHED_OVER_BY, spoilUsage } from "../usage-fault.ts";
import type { World } from "../world.ts";

/** The error form of Jina's API. */
const rerankForm: ErrorForm & {
  scriptedError(status: number): VendorError;
  badKey: VendorError;
  noCredit: VendorError;
} = {
  encodeError: (error) => ({ detail: error.message }),
  requestIdHeader: "x-request-id",
  newRequestId: () => newHexId("", 32),
  scriptedError: (status) => ({ status, message: `The request was scripted to fail with ${status}.` }),
  badKey: { status: 401, message: "Invalid API key, please check your API key." },
  noCredit: { status: 402, message: "Insufficient account balance." },
};

interface RerankRequest {
  model: string;
  query: string;
  documents: string[];
  topN: number;
  withDocuments: boolean;
}

/** POST /v1/rerank in the form of Jina and Cohere: documents by relevance to a query. */
export async function serveRerank(world: World, call: Call): Promise<void> {
  const { track } = call;
  try {
    const refused = credentialRefusal(call.credential, rerankForm);
    if (refused !== undefined) throw new Refusal(refused);
    await loadTokenizer();
    const request = decodeRequest(call.body);
    track.model = request.model;
    const traits = { ...call, model: request.model, digest: call.body.toString("latin1") };
    const scenario = world.scripts.scenarioFor(parseDirectives(request.query), traits);
    track.tag = scenario.tag ?? null;
    if (await strikeBeforeHeaders(call, scenario, rerankForm)) return;
    const tokens = request.documents.reduce(
      (total, document) => total + countTokens(document),
      countTokens(request.query) * request.documents.length,
    );
    track.usage = () => ({ ...NO_USAGE, inputUncached: tokens });
    const over = scenario.usage === "cached_over" ? CACHED_OVER_BY : 0;
    const usage = spoilUsage({ total_tokens: tokens, prompt_tokens: tokens + over }, scenario.usage);
    const body = JSON.stringify({ model: request.model, object: "list", usage, results: rank(request) });
    await sendResponse(call, scenario, bareNumbers(body, scenario.usage), {
      "x-request-id": newHexId("", 32),
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    track.refused = error.error.status;
    sendError(call, rerankForm, error.error);
  }
}

function decodeRequest(bytes: Buffer): RerankRequest {
  const body = parseJson(bytes.toString("utf8"));
  if (!isObject(body)) return refuse("The body is not a JSON object.");
  const { model, query, documents } = body;
  if (typeof model !== "string" || model === "") return refuse("model: Field required");
  const text = typeof query === "string" ? query : objectOr(query)["text"];
  if (typeof text !== "string") return refuse("query: Field required");
  if (!Array.isArray(documents) || documents.length === 0) return refuse("documents: Field required");
  const texts = documents.map(documentText);
  const asked = numberOf(body["top_n"]) ?? texts.length;
  if (asked < 1) return refuse("top_n: Input should be greater than or equal to 1");
  const withDocuments = body["return_documents"] !== false;
  return { model, query: text, documents: texts, topN: Math.min(asked, texts.length), withDocuments };
}

function documentText(document: Json, index: number): string {
  const text = typeof document === "string" ? document : objectOr(document)["text"];
  return typeof text === "string"
    ? text
    : refuse(`documents.${index}: Input should be a string or an object with text`);
}

/** Share of the query's words found in a document, and a seeded trifle that breaks ties. */
function rank({ query, documents, topN, withDocuments }: RerankRequest): JsonObject[] {
  const wanted = wordsIn(query);
  const scored = documents.map((text, index) => {
    const found = wordsIn(text);
    const shared = [...wanted].filter((word) => found.has(word)).length / Math.max(wanted.size, 1);
    const trifle = createSeeded(seedOf(`${query}\0${text}`)).below(1_000) / 100_000;
    const score = Number((shared * 0.98 + trifle).toFixed(6));
    return { index, relevance_score: score, ...(withDocuments ? { document: { text } } : {}) };
  });
  return scored.sort((left, right) => right.relevance_score - left.relevance_score).slice(0, topN);
}

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
