import type { Call } from "../call.ts";
import type { TextProtocol } from "../exchange.ts";
import { newHexId } from "../ids.ts";
import { isAbsent, isObject, type Json, type JsonObject, numberOf, parseJson } from "../json.ts";
import { Refusal, refuse } from "../refusal.ts";
import { sendError, sendResponse, strikeBeforeHeaders } from "../reply.ts";
import { parseDirectives } from "../scenario.ts";
import { createSeeded, seedOf } from "../seeded.ts";
import { credentialRefusal } from "../text-route.ts";
import { countTokens, loadTokenizer } from "../tokens.ts";
import { NO_USAGE } from "../usage.ts";
import { bareNumbers, CACHED_OVER_BY, spoilUsage } from "../usage-fault.ts";
import type { World } from "../world.ts";
import { encodeOpenaiError, OPENAI_BAD_KEY, OPENAI_NO_CREDIT, scriptedOpenaiError } from "./openai-errors.ts";

const DEFAULT_DIMENSIONS = 1_536;
const MAX_DIMENSIONS = 4_096;
const MAX_INPUTS = 2_048;

/** How vectors and errors are told. */
export type VectorsForm = Pick<
  TextProtocol,
  "encodeError" | "requestIdHeader" | "newRequestId" | "scriptedError" | "badKey" | "errorHeaders"
> & {
  noCredit?: TextProtocol["noCredit"];
  /** Absent = in OpenAI's form. */
  encode?(vectors: number[][], tokens: number, asked: Json | undefined): JsonObject;
  headers?(tokens: number): Record<string, string>;
};

const embeddingsForm = {
  encodeError: encodeOpenaiError,
  requestIdHeader: "x-request-id",
  newRequestId: (): string => newHexId("req_", 32),
  scriptedError: scriptedOpenaiError,
  badKey: OPENAI_BAD_KEY,
  noCredit: OPENAI_NO_CREDIT,
};

interface EmbeddingsRequest {
  model: string;
  /** The embedded texts; token lists are written out so that equal lists embed alike. */
  inputs: { text: string; tokens: number }[];
  dimensions: number;
  base64: boolean;
}

/** POST /v1/embeddings in OpenAI's form: unit vectors fixed by their text. */
export function serveEmbeddings(world: World, call: Call): Promise<void> {
  return serveVectors(world, call, embeddingsForm);
}

/** The same request, answered in any form. */
export async function serveVectors(world: World, call: Call, form: VectorsForm): Promise<void> {
  const { track } = call;
  try {
    const refused = credentialRefusal(call.credential, { ...embeddingsForm, ...form });
    if (refused !== undefined) throw new Refusal(refused);
    await loadTokenizer();
    const request = decodeRequest(call.body);
    track.model = request.model;
    const directives = parseDirectives(request.inputs.map((input) => input.text).join("\n"));
    const traits = { ...call, model: request.model, digest: call.body.toString("latin1") };
    const scenario = world.scripts.scenarioFor(directives, traits);
    track.tag = scenario.tag ?? null;
    if (await strikeBeforeHeaders(call, scenario, form)) return;
    const tokens = request.inputs.reduce((total, input) => total + input.tokens, 0);
    track.usage = () => ({ ...NO_USAGE, inputUncached: tokens });
    const over = scenario.usage === "cached_over" ? CACHED_OVER_BY : 0;
    const usage = spoilUsage({ prompt_tokens: tokens + over, total_tokens: tokens }, scenario.usage);
    const written = form.encode?.(vectorsOf(request), tokens, parseJson(call.body.toString("utf8")));
    const body = JSON.stringify(
      written ?? { object: "list", data: embed(request), model: request.model, usage },
    );
    await sendResponse(call, scenario, bareNumbers(body, scenario.usage), {
      [form.requestIdHeader]: form.newRequestId(),
      ...form.headers?.(tokens),
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    track.refused = error.error.status;
    sendError(call, form, error.error);
  }
}

function decodeRequest(bytes: Buffer): EmbeddingsRequest {
  const body = parseJson(bytes.toString("utf8"));
  if (!isObject(body)) return refuse("We could not parse the JSON body of your request.");
  const model = body["model"];
  if (typeof model !== "string" || model === "") return refuse("you must provide a model parameter");
  const inputs = decodeInputs(body["input"]);
  const dimensions = numberOf(body["dimensions"]) ?? DEFAULT_DIMENSIONS;
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MAX_DIMENSIONS) {
    return refuse(
      `Invalid 'dimensions': expected an integer from 1 to ${MAX_DIMENSIONS}.`,
      "dimensions",
      "invalid_value",
    );
  }
  return { model, inputs, dimensions, base64: body["encoding_format"] === "base64" };
}

/** A text, a list of texts, a list of tokens, or a list of lists of tokens. */
function decodeInputs(value: Json | undefined): EmbeddingsRequest["inputs"] {
  if (isAbsent(value))
    return refuse("Missing required parameter: 'input'.", "input", "missing_required_parameter");
  const list = Array.isArray(value) && typeof value[0] !== "number" ? value : [value];
  if (list.length === 0 || list.length > MAX_INPUTS) {
    return refuse(`'$.input' is invalid: expected 1 to ${MAX_INPUTS} inputs.`, "input", "invalid_value");
  }
  return list.map((input) => {
    if (typeof input === "string" && input !== "") return { text: input, tokens: countTokens(input) };
    if (Array.isArray(input) && input.every((token) => typeof token === "number")) {
      return { text: input.join(","), tokens: input.length };
    }
    return refuse("'$.input' is invalid.", "input", "invalid_value");
  });
}

function vectorsOf({ inputs, dimensions }: EmbeddingsRequest): number[][] {
  return inputs.map(({ text }) => Array.from(vectorOf(text, dimensions)));
}

function embed({ inputs, dimensions, base64 }: EmbeddingsRequest): JsonObject[] {
  return inputs.map(({ text }, index) => {
    const vector = vectorOf(text, dimensions);
    const embedding = base64 ? Buffer.from(vector.buffer).toString("base64") : Array.from(vector);
    return { object: "embedding", index, embedding };
  });
}

/** A unit vector: equal texts get equal vectors. */
function vectorOf(text: string, dimensions: number): Float32Array {
  const seeded = createSeeded(seedOf(text));
  const vector = Float32Array.from({ length: dimensions }, () => seeded.below(2_001) / 1_000 - 1);
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
