import { type Call, sha256 } from "./call.ts";
import type { Exchange, TextProtocol } from "./exchange.ts";
import { isObject, type JsonObject, parseJson, stringOr } from "./json.ts";
import { createLru } from "./lru.ts";
import { playStream } from "./playback.ts";
import { lastUserText, type Prompt } from "./prompt.ts";
import { Refusal, type VendorError } from "./refusal.ts";
import { sendError, sendResponse, strikeBeforeHeaders } from "./reply.ts";
import { planResponses, type Response, withFreshIds } from "./response.ts";
import { parseDirectives, type Scenario } from "./scenario.ts";
import { digestOf, type Segment, segmentsOf, tokensOfSegments } from "./segments.ts";
import { countTokens, loadTokenizer, tokenizerLoaded } from "./tokens.ts";
import { type InputUsage, inputTotal, NO_USAGE, type Usage } from "./usage.ts";
import { bareNumbers } from "./usage-fault.ts";
import type { World } from "./world.ts";

/** The facts in a path besides its protocol. */
export interface TextPath {
  model: string;
  stream: boolean;
  framing: "sse" | "array";
}

/** A request as far as it can be understood without knowing what came before it. */
interface Prepared {
  sha256: string;
  prompt: Prompt;
  /** From the directive in the prompt. */
  scenario: Scenario;
  segments: Segment[];
  digest: string;
  /** The plan for that scenario, made at first use. */
  responses: Response[] | undefined;
}

/** Benchmarks repeat one body: preparing it once leaves only what differs per request. */
const MEMO_ENTRIES = 512;
const MEMO_BODY_LIMIT = 8_192;
const prepared = createLru<Prepared>(MEMO_ENTRIES);
/** Bodies that name these depend on what was stored before. */
const STATEFUL = /previous_response_id|item_reference|signature|encrypted_content/i;

/** Answers one request of a text protocol, plain or streamed, with whatever faults are asked. */
export async function serveText(
  world: World,
  call: Call,
  protocol: TextProtocol,
  path: TextPath,
): Promise<void> {
  const { track } = call;
  const refusal = credentialRefusal(call.credential, protocol);
  if (refusal !== undefined) return refuseCall(call, protocol, refusal);
  if (!tokenizerLoaded()) await loadTokenizer();
  const ready = prepare(world, call, protocol, path);
  if ("status" in ready) return refuseCall(call, protocol, ready);
  const { prompt } = ready;
  track.model = prompt.model;
  track.stream = prompt.stream;
  track.sha256 = ready.sha256;
  const scenario = world.scripts.scenarioFor(ready.scenario, {
    ...call,
    model: prompt.model,
    digest: ready.digest,
  });
  track.tag = scenario.tag ?? null;
  if (await strikeBeforeHeaders(call, scenario, protocol)) return;
  const exchange = startExchange(world, call, protocol, path, ready, scenario);
  track.responseId = exchange.id;
  track.usage = (whole) => (whole ? exchange.usage : partialUsage(call, exchange));
  const headers = { [protocol.requestIdHeader]: protocol.newRequestId() };
  if (prompt.stream && !scenario.lost) return sendStream(world, call, protocol, exchange, scenario, headers);
  const body = bareNumbers(JSON.stringify(protocol.encodeResponse(exchange)), exchange.usageFault);
  track.sent.textLength = exchange.responses.reduce((length, response) => length + response.text.length, 0);
  return sendResponse(call, scenario, body, headers);
}

/** Keys beginning `bad-` and `poor-` are refused as the vendor refuses unknown and unpaid ones. */
export function credentialRefusal(
  credential: string | undefined,
  form: Pick<TextProtocol, "badKey" | "noCredit">,
): VendorError | undefined {
  if (credential?.startsWith("bad-")) return form.badKey;
  if (credential?.startsWith("poor-")) return form.noCredit;
  return undefined;
}

function refuseCall(call: Call, protocol: TextProtocol, error: VendorError): void {
  call.track.refused = error.status;
  sendError(call, protocol, error);
}

function prepare(world: World, call: Call, protocol: TextProtocol, path: TextPath): Prepared | VendorError {
  const text = call.body.toString("utf8");
  const key = text.length <= MEMO_BODY_LIMIT ? `${call.path}\0${text}` : undefined;
  const known = key === undefined ? undefined : prepared.get(key);
  if (known !== undefined) return known;
  const body = parseJson(text);
  if (!isObject(body)) return { status: 400, message: "We could not parse the JSON body of your request." };
  call.track.model = path.model || stringOr(body["model"], "");
  try {
    const made = prepareBody(world, call, protocol, path, body);
    if (key !== undefined && !STATEFUL.test(text)) prepared.set(key, made);
    return made;
  } catch (error) {
    if (error instanceof Refusal) return error.error;
    throw error;
  }
}

function prepareBody(
  world: World,
  call: Call,
  protocol: TextProtocol,
  path: TextPath,
  body: JsonObject,
): Prepared {
  const context = { pathModel: path.model, pathStream: path.stream, mint: world.mint, store: world.store };
  const prompt = protocol.decodeRequest(body, context);
  const segments = segmentsOf(prompt);
  return {
    sha256: sha256(call.body),
    prompt,
    scenario: parseDirectives(lastUserText(prompt.turns)),
    segments,
    digest: digestOf(segments),
    responses: undefined,
  };
}

function startExchange(
  world: World,
  call: Call,
  protocol: TextProtocol,
  path: TextPath,
  ready: Prepared,
  scenario: Scenario,
): Exchange {
  const { prompt } = ready;
  const responses = responsesFor(ready, scenario);
  return {
    prompt,
    responses,
    usage: {
      ...readCache(world, call, ready),
      outputVisible: responses.reduce((total, response) => total + response.outputVisible, 0),
      outputReasoning: responses.reduce((total, response) => total + response.outputReasoning, 0),
    },
    usageFault: scenario.usage,
    createdSeconds: Math.floor(world.clock.nowMs() / 1_000),
    id: protocol.newId(),
    mint: world.mint,
    store: world.store,
    framing: path.framing,
  };
}

function responsesFor(ready: Prepared, scenario: Scenario): Response[] {
  if (scenario !== ready.scenario) return planResponses(ready.prompt, scenario, ready.digest);
  ready.responses ??= planResponses(ready.prompt, scenario, ready.digest);
  return withFreshIds(ready.responses);
}

function readCache(world: World, call: Call, { prompt, segments }: Prepared): InputUsage {
  const scope = `${prompt.protocol}\0${prompt.model}\0${call.fingerprint ?? ""}`;
  if (prompt.caching === "automatic") return world.cache.readAutomatic(scope, segments);
  if (segments.every((segment) => segment.cache === undefined)) {
    return { ...NO_USAGE, inputUncached: tokensOfSegments(segments) };
  }
  return world.cache.readMarked(scope, segments);
}

/** The usage of a response that broke off: the input, and the tokens that were sent. */
function partialUsage(call: Call, exchange: Exchange): Usage {
  const { sent } = call.track;
  if (inputTotal(exchange.usage) === 0 || !call.response.headersSent) return { ...NO_USAGE };
  if (!exchange.prompt.stream) return exchange.usage;
  const outputVisible = countTokens(sent.visible) + sent.longTokens;
  // Thinking comes first: once anything visible went out, all of it had been produced.
  const outputReasoning = outputVisible > 0 ? exchange.usage.outputReasoning : countTokens(sent.reasoning);
  return { ...exchange.usage, outputVisible, outputReasoning };
}

async function sendStream(
  world: World,
  call: Call,
  protocol: TextProtocol,
  exchange: Exchange,
  scenario: Scenario,
  headers: Record<string, string>,
): Promise<void> {
  const type =
    exchange.framing === "array"
      ? "application/json"
      : (protocol.streamType ?? "text/event-stream; charset=utf-8");
  call.response.writeHead(200, { "content-type": type, "cache-control": "no-cache", ...headers });
  const faults = { ...scenario, paceMs: scenario.paceMs ?? world.paceMs };
  const failure = (sentFrames: number): string | Buffer =>
    protocol.encodeStreamError(exchange, protocol.scriptedError(scenario.error ?? 500), sentFrames);
  await playStream(call.response, protocol.encodeStream(exchange), faults, call.track.sent, failure);
}
