import type { Caller } from "../../accounts/caller.ts";
import { readTags, TAGS_HEADER, withEndUser } from "../../accounts/tags.ts";
import type { MemoryGrant } from "../../base/async/memory-budget.ts";
import { type BodyScan, createBodyScan } from "../../base/json/json-scan.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { compactsItself } from "../../relay/admit/compacting.ts";
import type { Admission } from "../../relay/admit/entrance.ts";
import { watchOf } from "../../relay/admit/watch.ts";
import { openStateSearch } from "../../relay/admit/wrapped-state.ts";
import type { Admitted } from "../../relay/relay.ts";
import type { ClientResponse } from "../../relay/response/client-response.ts";
import type { TextRequest } from "../../relay/text-request.ts";
import { isHereOrSmall, readBody, TEXT_BODY_BYTES } from "../body/body.ts";
import { memoryRefused } from "../body/body-memory.ts";
import { refusing } from "../body/json-body.ts";
import { authenticate, authenticateLate } from "../core/credentials.ts";
import type { RequestContext } from "../core/endpoint.ts";
import { queryText } from "../core/endpoint.ts";
import { knownError } from "../core/error-response.ts";
import { routeText } from "../core/log-failure.ts";
import type { HttpDeps } from "../deps.ts";
import { AdaptedResponse, type Adapter, type ErrorForm } from "./adapted-response.ts";
import { openTriggerSearch, ownCompaction, readCompactionForm } from "./compaction.ts";
import { neutralHeaders, sessionHeader } from "./neutral-headers.ts";
import { openClientResponse } from "./raw-response.ts";
import { endUserOf, readTextFields } from "./text-fields.ts";

/** The facts of a text call that a route knows before its body is read. */
export interface TextCall {
  readonly protocol: ProtocolName;
  /** Native endpoints name model and stream in the path. */
  readonly path?: { readonly model: string; readonly streamed: boolean };
  readonly arrayStream?: boolean;
  readonly queryKeys?: readonly string[];
  /** The call has a form of its own, which is answered by way of the protocol's. */
  readonly adapter?: Adapter;
  /** `/v1/responses/compact`. */
  readonly compacts?: true;
}

/** An adapted body is read into values at once; prompts and batches of texts are far smaller. */
const ADAPTED_BYTES = 8 * 1024 * 1024;
const ADAPTED_WEIGHT = 4;

/**
 * Answers one text request: let in before its body is read, which is scanned as it arrives, then relayed.
 * What the relay has admitted it counts itself; all that is refused before is counted here.
 */
export async function respondWithText(
  deps: HttpDeps,
  context: RequestContext,
  call: TextCall,
): Promise<void> {
  const startedMs = deps.clock.monotonicMs();
  const incoming = context.request.raw;
  const protocol = PROTOCOLS[call.protocol];
  context.about.endpoint = call.protocol;
  context.about.startedMs = startedMs;
  const errors: ErrorForm = {
    type: deps.errorType,
    encode: (statement) => protocol.encodeError(statement, context.request.id),
  };
  const queryKeys = call.queryKeys ?? [];
  let caller: Caller | undefined;
  let admission: Admission | undefined;
  let memory: MemoryGrant | undefined;
  let scan: BodyScan | undefined;
  let admitted: Admitted;
  try {
    const found = authenticate(incoming, queryKeys, deps);
    caller = found instanceof Promise ? await found : found;
    context.about.caller = caller;
    const entering = deps.entrance.admit(caller, isHereOrSmall(incoming));
    if (entering !== undefined) {
      admission = await entering;
      Object.assign(context.headers, admission?.headers);
    }
    const headers = neutralHeaders(incoming);
    const tags = readTags(incoming.headers[TAGS_HEADER], caller);
    memory = deps.bodies.grantOf(caller);

    let { adapter } = call;
    const trigger = protocol.endpoint.compactPath === undefined ? undefined : openTriggerSearch();
    const scanner = createBodyScan(watchOf(call.protocol, deps.catalog.current().bodyFields));
    const search = openStateSearch(call.protocol);
    const form =
      adapter === undefined
        ? { limitBytes: TEXT_BODY_BYTES, weight: 1 }
        : { limitBytes: ADAPTED_BYTES, weight: ADAPTED_WEIGHT };
    const terms = { grant: memory, pace: deps.bodies.pace, ...form };
    let body = await readBody(incoming, terms, {
      write(chunk) {
        refusing(() => scanner.write(chunk));
        search.write(chunk);
        trigger?.write(chunk);
      },
    });
    const again = authenticateLate({ caller, sinceMs: startedMs }, incoming, queryKeys, deps);
    caller = again instanceof Promise ? await again : again;
    scan = refusing(() => scanner.end());
    const state = search.end();
    const compactionForm =
      call.compacts === true
        ? "call"
        : readCompactionForm(protocol.endpoint, scan, body, trigger?.found() === true);
    const isVendors =
      compactionForm !== undefined &&
      state === undefined &&
      compactsItself(
        deps.catalog.current(),
        caller,
        { protocol: call.protocol, model: scan.last("model")?.value },
        compactionForm,
      );
    let compactionFallback: TextRequest["compactionFallback"];
    if (compactionForm !== undefined) {
      const ours = ownCompaction(compactionForm);
      const refusal = memory.growTo(scan.length * ADAPTED_WEIGHT);
      if (!isVendors) {
        if (refusal !== undefined) throw memoryRefused(refusal);
        adapter = ours;
      } else if (refusal === undefined)
        compactionFallback = {
          ...adapted(ours, body, call.protocol),
          response: responseOf(context, errors, ours),
        };
    }
    let prompts: number | undefined;
    if (adapter !== undefined) ({ body, scan, prompts } = adapted(adapter, body, call.protocol));
    const { model, streamed, responses } = readTextFields(protocol, scan, call.path);

    const beta = queryText(context.request, "beta");
    admitted = await deps.relay.admit({
      id: context.request.id,
      caller,
      route: routeText(context.request),
      protocol,
      model,
      streamed: streamed && call.compacts !== true,
      responses,
      arrayStream: call.arrayStream ?? false,
      body,
      memory,
      admission,
      scan,
      state,
      compacts: isVendors ? compactionForm : undefined,
      compactionFallback,
      prompts: prompts === 1 ? undefined : prompts,
      headers,
      tags: caller.tagKeys.length === 0 ? tags : withEndUser(tags, endUserOf(protocol, scan), caller),
      query: beta === undefined ? NO_QUERY : { beta },
      response: responseOf(context, errors, adapter),
      session: sessionHeader(incoming, deps.catalog.current().settings.affinityHeader),
      startedMs,
    });
  } catch (error) {
    memory?.release();
    admission?.finish();
    const named = call.path?.model ?? scan?.last("model")?.value;
    countRefused(deps, context, { protocol: call.protocol, caller, named, startedMs, error });
    throw error;
  }
  context.about.isLogged = true;
  context.about.ended = admitted;
  // Not awaited, so that nothing of what reading took is kept while the upstream works.
  return admitted.run();
}

function adapted(
  adapter: Adapter,
  received: readonly Buffer[],
  protocol: ProtocolName,
): { readonly body: Buffer[]; readonly scan: BodyScan; readonly prompts: number | undefined } {
  const asked = JSON.parse(Buffer.concat(received).toString("utf8"));
  const body = Buffer.from(JSON.stringify(adapter.request(asked)));
  const scanner = createBodyScan(watchOf(protocol));
  scanner.write(body);
  return { body: [body], scan: refusing(() => scanner.end()), prompts: adapter.prompts?.(asked) };
}

function responseOf(
  context: RequestContext,
  errors: ErrorForm,
  adapter: Adapter | undefined,
): ClientResponse {
  const response = openClientResponse(context.raw, context.headers);
  return adapter === undefined ? response : new AdaptedResponse(response, adapter, errors);
}

interface Refused {
  readonly protocol: ProtocolName;
  readonly caller: Caller | undefined;
  /** The request's name of its model, if it was read so far. */
  readonly named: unknown;
  readonly startedMs: number;
  readonly error: unknown;
}

/** Only a model that its caller may use is told: others would be a series for each word that is made up. */
function countRefused(deps: HttpDeps, { raw, about }: RequestContext, refused: Refused): void {
  const { caller, named, error } = refused;
  const isKnown = caller !== undefined && typeof named === "string";
  const model = (isKnown && deps.catalog.current().callable(caller, named)?.id) || null;
  about.model = model;
  const { status } = knownError(error);
  deps.metrics.requestEnded({
    endpoint: refused.protocol,
    model,
    status: raw.destroyed ? 0 : status,
    firstByteMs: null,
    totalMs: deps.clock.monotonicMs() - refused.startedMs,
    usage: {},
    chargeNanos: 0n,
    writtenOffNanos: 0n,
  });
}

const NO_QUERY: TextRequest["query"] = {};
