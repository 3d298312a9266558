import { Deadlines } from "../base/async/deadlines.ts";
import { SlotList } from "../base/async/slot-list.ts";
import type { Clock } from "../base/clock.ts";
import { failpoint } from "../base/failpoint.ts";
import type { TextBilling } from "../billing/billing.ts";
import type { FailedRequests } from "../billing/failed-requests/failed-requests.ts";
import { allowedModel } from "../catalog/allowed-model.ts";
import type { Catalog, Model } from "../catalog/catalog.ts";
import { joinedLosses } from "../conversation/loss.ts";
import type { UpstreamLimits } from "../limits/upstream-limits.ts";
import type { RequestEnd } from "../observe/refusal.ts";
import { refusesState } from "../protocols/carried-state.ts";
import type { Candidates } from "../routing/candidate-iterator.ts";
import type { CandidateOrder } from "../routing/routes.ts";
import type { Candidate } from "../upstreams/call.ts";
import type { MovedConversations } from "../upstreams/memory/moved-conversations.ts";
import { checkAdditionalModels } from "./admit/additional-models.ts";
import type { ConversationKeys } from "./admit/conversation-key.ts";
import { ConversationState, movedOf, startsNewConversation } from "./admit/conversation-state.ts";
import type { FallbackChain } from "./admit/fallback-chain.ts";
import { fallbackModels } from "./admit/fallback-models.ts";
import { pinsOf } from "./admit/pins.ts";
import { readReferences } from "./admit/references.ts";
import { RequestForms } from "./admit/request-forms.ts";
import { outputLimitHeader, takeHold } from "./admit/take-hold.ts";
import { withoutUnpriced } from "./admit/unpriced-tools.ts";
import { type AttemptDeps, attemptAt } from "./attempt.ts";
import { type Exchange, settle, settleInternalError } from "./exchange.ts";
import { type AttemptFailure, failureBeforeSend, fallbackReasonOf, shuttingDown } from "./failures.ts";
import { betaLosses } from "./mode/own-fields.ts";
import type { RelayMode } from "./mode/relay-mode.ts";
import { RelayModes, type RelayModesDeps } from "./mode/relay-modes.ts";
import { openExchange } from "./open-exchange.ts";
import { KeepAlive } from "./response/keep-alive.ts";
import { countEnded, failedAttempt, requestEnd } from "./settle/count-ended.ts";
import { logFailedRequest } from "./settle/failed-request.ts";
import type { TokenCounts } from "./settle/token-counts.ts";
import { tokenEstimate } from "./settle/token-estimate.ts";
import { settleUnanswered } from "./settle-unanswered.ts";
import { recordDisconnect, shouldStop, throwIfCut } from "./shall-stop.ts";
import type { TextRequest } from "./text-request.ts";
import { PASSED_OVER, tokensOf, withinLimits } from "./within-limits.ts";

export interface RelayDeps extends AttemptDeps, RelayModesDeps {
  readonly catalog: { current(atMs?: number): Catalog };
  readonly billing: TextBilling;
  readonly failedRequests: Pick<FailedRequests, "record">;
  readonly clock: Clock;
  /** Learns from what vendors report. */
  readonly tokenCounts: Pick<TokenCounts, "ended">;
  readonly conversationKeys: ConversationKeys;
  readonly upstreamLimits: Pick<UpstreamLimits, "take">;
  readonly moves: Pick<MovedConversations, "find" | "findLate" | "isRepeated" | "note">;
}

export interface Relay {
  /**
   * Prepares an authenticated text request: chooses its candidates and holds its money. Rejects with a GatewayError and holds
   * nothing; the caller then releases the request's memory and its slot in the key's concurrency limit.
   */
  admit(request: TextRequest): Promise<Admitted>;
  /** Requests that are running now. */
  running(): number;
  /** Aborts all running requests and charges each for what it has received; resolves once all are settled. */
  abortAll(): Promise<void>;
}

/** A request whose money is held. */
export interface Admitted {
  /**
   * Runs the request to its end, which is always settled and counted. Throws a GatewayError or an UpstreamRejection if nothing
   * was sent to the caller. To be called once, right after admission.
   */
  run(): Promise<void>;
  /** The request's end for the log; undefined = it is still running. */
  end(): RequestEnd | undefined;
}

/** Runs text requests: checks permission, chooses candidates, holds the money, makes the attempts and settles. */
export function createRelay(deps: RelayDeps): Relay {
  const live = new SlotList<Exchange>();
  const keepAlives = new Deadlines<KeepAlive>(deps.clock);
  let whenIdle: (() => void) | undefined;

  return {
    async admit(received) {
      failpoint("request.accepted");
      const acceptedMs = deps.clock.nowMs();
      const catalog = deps.catalog.current(acceptedMs);
      const model = allowedModel(catalog, received.caller, received.model, received.protocol.name);
      const asked =
        model.id === received.model ? received : { ...received, model: model.id, alias: received.model };
      const request = withoutUnpriced(asked, catalog, model);
      checkAdditionalModels(request, catalog, model);
      const references = readReferences(request);
      const pins =
        references.ids.length === 0
          ? undefined
          : await pinsOf(deps.issuedIds, catalog, model, request, references);
      const conversation = deps.conversationKeys.of(request, catalog.settings);
      const moved = conversation && movedOf(deps.moves.find(conversation.id), catalog);
      const isPinned = pins !== undefined;
      const candidates = candidatesFor(deps, catalog, model, request, {
        pins,
        conversation,
        moved: moved && (startsNewConversation(request, deps.moves, moved) ? undefined : moved),
      });
      const { admission } = request;
      if (admission !== undefined) {
        const reserving = admission.reserveTokens(() => tokenEstimate(request, model));
        if (reserving !== undefined) await reserving;
        request.response.addHeaders(admission.headers);
      }
      // A summary request that replaces /compact is slightly longer, so that one is priced.
      const priced =
        request.compactionFallback === undefined ? request : { ...request, ...request.compactionFallback };
      const fallbacks =
        model.fallbacks === undefined ? undefined : fallbackModels(catalog, model, asked, acceptedMs);
      const taken = takeHold(deps.billing, catalog, model, priced, references, acceptedMs, fallbacks);
      const held = taken instanceof Promise ? await taken : taken;
      const exchange = openExchange(deps, catalog, request, held, acceptedMs, model);
      let forms: RequestForms;
      try {
        if (held.outputLimit !== undefined) request.response.addHeaders(outputLimitHeader(held.outputLimit));
        forms = new RequestForms(request, (form) => ({
          request: form,
          modes: new RelayModes(form, model, deps, catalog.allUpstreams, held.outputLimit),
          state: new ConversationState(form, catalog, { conversation, moved, isPinned }),
        }));
        if (request.streamed) exchange.keepAlive = new KeepAlive(keepAlives, exchange);
      } catch (error) {
        await settleInternalError(exchange, error);
        throw error;
      }
      live.add(exchange);
      const finish = (): void => {
        try {
          exchange.keepAlive?.end();
          running.forms.close();
          if (running.forms !== forms) forms.close();
          request.memory.release();
          admission?.finish(exchange.outcome && tokensOf(exchange.outcome));
          const fallback = exchange.fallbacks?.current;
          const answering = fallback?.request === exchange.request ? fallback.model : model;
          countEnded(deps, answering, exchange);
          logFailedRequest(deps.failedRequests, exchange);
          if (exchange.outcome !== undefined)
            deps.tokenCounts.ended(exchange.request, answering, exchange.outcome);
        } finally {
          if (live.delete(exchange) && live.size === 0) whenIdle?.();
        }
      };
      const running: RunningRequest = {
        exchange,
        model,
        candidates,
        forms,
        requested: { candidates, forms },
        finish,
      };
      return { run: () => run(deps, running), end: () => requestEnd(exchange) };
    },
    running: () => live.size,
    async abortAll() {
      if (live.size === 0) return;
      const idle = new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
      for (const exchange of live.members()) {
        exchange.isAborted = true;
        exchange.onAbort();
      }
      await idle;
      // Those who were cut are told so in this turn.
      await new Promise<void>((resolve) => setImmediate(resolve));
    },
  };
}

function candidatesFor(
  deps: RelayDeps,
  catalog: Catalog,
  model: Model,
  request: TextRequest,
  { pins, conversation, moved }: Pick<CandidateOrder, "pins" | "conversation" | "moved">,
): Candidates {
  return deps.routing.candidates(catalog, {
    model: model.id,
    group: request.caller.group,
    protocol: request.protocol.name,
    account: request.caller.accountId,
    pins,
    conversation,
    moved,
    issuer: request.state?.issuer,
  });
}

/** A running request and what its attempts need. */
interface RunningRequest {
  readonly exchange: Exchange;
  /** The model that is being tried. */
  model: Model;
  /** The candidates of the model that is being tried. */
  candidates: Candidates;
  forms: RequestForms;
  /** The candidates of the requested model, to which the conversation belongs. */
  readonly requested: { readonly candidates: Candidates; readonly forms: RequestForms };
  readonly finish: () => void;
}

/** Tries the candidates of the requested model, then those of its fallback models. Settles without a charge if none responds. */
async function run(deps: RelayDeps, running: RunningRequest): Promise<void> {
  const { exchange } = running;
  try {
    try {
      await exchange.hold.begun;
    } catch (error) {
      await settle(exchange, { reason: "no_upstream", candidate: null, summary: undefined, status: 503 });
      throw error;
    }
    const last = await askModel(deps, running);
    throwIfCut(exchange, last);
    const { fallbacks } = exchange;
    if (fallbacks === undefined) {
      if (!exchange.settled) await settleUnanswered(exchange, running.candidates, last, deps.errorType);
      return;
    }
    while (!exchange.settled && !shouldStop(exchange) && fallbacks.next() !== undefined) {
      openFallback(deps, running, fallbacks);
      throwIfCut(exchange, await askModel(deps, running));
    }
    if (exchange.settled) return;
    // The failure of the requested model tells the caller more than those of its fallbacks.
    const failure =
      exchange.attempts === 0 || shouldStop(exchange) ? last : (last ?? noCandidate(running.requested));
    fallbacks.giveUp();
    await settleUnanswered(exchange, running.requested.candidates, failure, deps.errorType);
  } catch (error) {
    exchange.notes.refusal = error;
    await settleInternalError(exchange, error);
    throw error;
  } finally {
    running.finish();
  }
}

function noCandidate({ candidates }: RunningRequest["requested"]): AttemptFailure {
  return {
    retryable: true,
    timedOut: false,
    health: { kind: "neutral" },
    error: candidates.unavailableError(),
  };
}

/** Switches to the upstreams of a fallback model and keeps what is known about the conversation's state. */
function openFallback(deps: RelayDeps, running: RunningRequest, { current }: FallbackChain): void {
  if (current === undefined) return;
  const { exchange, requested } = running;
  const { catalog } = exchange;
  const { model, request, bound, price } = current;
  const conversation = deps.conversationKeys.of(request, catalog.settings);
  if (running.forms !== requested.forms) running.forms.close();
  running.model = model;
  running.candidates = candidatesFor(deps, catalog, model, request, {
    pins: undefined,
    conversation,
    moved: undefined,
  });
  const { state } = requested.forms.original;
  const modes = new RelayModes(request, model, deps, catalog.allUpstreams);
  running.forms = new RequestForms(request, () => ({ request, modes, state }));
  exchange.bound = bound;
  exchange.priced = { model: model.id, price };
}

/** Tries the candidates of one model until one responds. Undefined = the exchange has ended, or there was no candidate. */
async function askModel(deps: RelayDeps, running: RunningRequest): Promise<AttemptFailure | undefined> {
  const { exchange, candidates, forms } = running;
  let last: AttemptFailure | undefined;
  /** The first failure of a candidate that refused the request's state. */
  let refused: AttemptFailure | undefined;
  const capacity = candidates.waitForCapacity();
  if (capacity !== undefined) await capacity;
  recordDisconnect(exchange);
  if (exchange.isAborted) last = failureBeforeSend(shuttingDown());
  for (const candidate of shouldStop(exchange) ? [] : candidates) {
    const estimateOf = () => tokenEstimate(forms.at(candidate).request, running.model);
    const asked = await withinLimits(deps, exchange, candidate, estimateOf, () =>
      attempt(deps, running, candidate),
    );
    if (asked !== PASSED_OVER) last = asked;
    if (exchange.isAborted && exchange.attempts === 0) last = failureBeforeSend(shuttingDown());
    if (shouldStop(exchange)) break;
    if (asked === PASSED_OVER) {
      candidates.passOver();
      continue;
    }
    if (last?.lacksCall === true && forms.markUnsupported(candidate)) {
      candidates.retrySame();
      last = await attempt(deps, running, candidate);
      if (shouldStop(exchange)) break;
    }
    if (last !== undefined && forms.isStateCarried && isStateRefusal(last)) {
      forms.stateRefused();
      candidates.stateRefused();
      if (refused === undefined) await findElsewhere(deps, running);
      refused ??= last;
      if (exchange.isAborted) last = failureBeforeSend(shuttingDown());
      if (shouldStop(exchange)) break;
    } else if (last === undefined || !last.retryable) break;
  }
  if (
    refused !== undefined &&
    last !== undefined &&
    (last.retryable || isStateRefusal(last)) &&
    !shouldStop(exchange)
  ) {
    forms.dropState();
    const candidate = candidates.retryWithoutState();
    if (candidate !== undefined) last = (await attempt(deps, running, candidate)) && refused;
  }
  if (last === undefined && !exchange.settled) exchange.fallbacks?.failed("unavailable");
  return last;
}

/** After the first refusal of a conversation's state: another process may have moved the conversation. */
async function findElsewhere(
  deps: RelayDeps,
  { exchange, candidates, forms }: RunningRequest,
): Promise<void> {
  const moved = movedOf(await forms.findLate(deps.moves), exchange.catalog);
  recordDisconnect(exchange);
  if (moved === undefined) return;
  forms.relocate(moved);
  candidates.relocate(moved);
}

function isStateRefusal({ error }: AttemptFailure): boolean {
  return "statement" in error && refusesState(error.statement);
}

/** Makes one attempt. Undefined = the exchange has ended. */
async function attempt(
  deps: RelayDeps,
  { exchange, candidates, forms, requested }: RunningRequest,
  candidate: Candidate,
): Promise<AttemptFailure | undefined> {
  const { request, modes, state } = forms.at(candidate);
  exchange.request = request;
  const preferred = requested.candidates.preferredCandidate();
  let mode: RelayMode;
  try {
    const opened = modes.open(candidate, state.termsAt(candidate, preferred));
    mode = opened instanceof Promise ? await openUnlessAborted(exchange, modes, opened) : opened;
  } catch (error) {
    const failure = failureBeforeSend(error);
    deps.routing.report(candidate, failure.health, exchange.request.caller.accountId);
    exchange.fallbacks?.failed(fallbackReasonOf(failure));
    // The next candidate may have a slot for what this one can't express.
    return { ...failure, retryable: true };
  }
  exchange.attempts += 1;
  exchange.lastCandidate = candidate;
  exchange.reason = candidates.reason();
  exchange.losses = joinedLosses(request.dropped, betaLosses(request, candidate), mode.losses);
  failpoint("upstream.before-send");
  const failure = await attemptAt(deps, exchange, candidate, mode);
  // A refused state doesn't count as the model's failure.
  if (failure !== undefined && !isStateRefusal(failure))
    exchange.fallbacks?.failed(fallbackReasonOf(failure));
  if (failure !== undefined) exchange.failedFirst ??= failedAttempt(candidate, failure);
  if (failure === undefined && exchange.firstByteMs !== null) {
    const moved = state.movedTo(candidate, preferred, mode.foreignValues);
    if (moved !== undefined) deps.moves.note(moved, exchange.request.scan.values);
  }
  return failure;
}

/** Waits for what a mode needs. Nothing has been sent yet, so a disconnect or a shutdown ends the wait at once. */
function openUnlessAborted(
  exchange: Exchange,
  modes: RelayModes,
  opening: Promise<RelayMode>,
): Promise<RelayMode> {
  exchange.request.response.onDisconnect(() => {
    exchange.clientGone = true;
    modes.close();
  });
  exchange.onAbort = () => modes.close();
  return opening.then((mode) => {
    // Either may also have happened at the moment the mode became ready.
    if (shouldStop(exchange)) throw shuttingDown();
    return mode;
  });
}
