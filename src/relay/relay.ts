import { Deadlines } from "../base/async/deadlines.ts";
import { SlotList } from "../base/async/slot-list.ts";
import type { Clock } from "../base/clock.ts";
import { failpoint } from "../base/failpoint.ts";
import { allTokens, type ChargeReason, type Outcome, type TextBilling } from "../billing/billing.ts";
import { allowedModel } from "../catalog/allowed-model.ts";
import type { Catalog, Model } from "../catalog/catalog.ts";
import { joinedLosses } from "../conversation/loss.ts";
import type { UsedTokens } from "../limits/admission.ts";
import { refusesState } from "../protocols/carried-state.ts";
import type { Candidates } from "../routing/candidate-iterator.ts";
import type { CandidateOrder } from "../routing/routes.ts";
import type { Candidate } from "../upstreams/call.ts";
import type { MovedConversations } from "../upstreams/memory/moved-conversations.ts";
import { totalInput, totalOutput } from "../usage/usage.ts";
import { checkAdditionalModels } from "./admit/additional-models.ts";
import type { ConversationKeys } from "./admit/conversation-key.ts";
import { beginsAnew, ConversationState, movedOf } from "./admit/conversation-state.ts";
import type { FallbackChain } from "./admit/fallback-chain.ts";
import { fallbackModels } from "./admit/fallback-models.ts";
import { pinsOf } from "./admit/pins.ts";
import { readReferences } from "./admit/references.ts";
import { RequestForms } from "./admit/request-forms.ts";
import { outputLimitHeader, takeHold } from "./admit/take-hold.ts";
import { withoutUnpriced } from "./admit/unpriced-tools.ts";
import { type AttemptDeps, attemptAt } from "./attempt.ts";
import { type Exchange, settle, settleBug } from "./exchange.ts";
import { type AttemptFailure, fallbackReasonOf, refusedMode, stopping } from "./failures.ts";
import { betaLosses } from "./mode/own-fields.ts";
import type { RelayMode } from "./mode/relay-mode.ts";
import { RelayModes, type RelayModesDeps } from "./mode/relay-modes.ts";
import { openExchange } from "./open-exchange.ts";
import { Bridge } from "./response/bridge.ts";
import { countEnded, failedAttempt } from "./settle/count-ended.ts";
import type { TokenCounts } from "./settle/token-counts.ts";
import { tokenEstimate } from "./settle/token-estimate.ts";
import { settleUnanswered } from "./settle-unanswered.ts";
import type { TextRequest } from "./text-request.ts";

export interface RelayDeps extends AttemptDeps, RelayModesDeps {
  readonly catalog: { current(atMs?: number): Catalog };
  readonly billing: TextBilling;
  readonly clock: Clock;
  /** Learns from what vendors report. */
  readonly tokenCounts: Pick<TokenCounts, "ended">;
  readonly conversationKeys: ConversationKeys;
  readonly moves: Pick<MovedConversations, "find" | "findLate" | "isRepeated" | "note">;
}

export interface Relay {
  /**
   * Takes up one text request that was let in: whom to ask is known, its money is held. Rejects with GatewayError and
   * nothing held; what it came with, its memory and its place among its key's requests, is then the caller's to give back.
   */
  admit(request: TextRequest): Promise<Admitted>;
  /** Requests that are running now. */
  running(): number;
  /** Cuts what still runs and charges it as an abort; resolves when all of it is settled. */
  cutAll(): Promise<void>;
}

/** A request whose money is held. */
export interface Admitted {
  /**
   * Carries it to its end, settled and counted whatever that is: answered, or thrown as GatewayError or UpstreamRejection with
   * nothing sent to the caller. Call it at once, once.
   */
  carry(): Promise<void>;
  /** How it ended, as its receipt says it; undefined = it has not yet. */
  reason(): ChargeReason | undefined;
}

/** The path of a text request: may it, whom to ask, hold; then attempts in order, settle. */
export function createRelay(deps: RelayDeps): Relay {
  const live = new SlotList<Exchange>();
  const beats = new Deadlines<Bridge>(deps.clock);
  let whenIdle: (() => void) | undefined;

  return {
    async admit(given) {
      failpoint("request.accepted");
      const acceptedMs = deps.clock.nowMs();
      const catalog = deps.catalog.current(acceptedMs);
      const model = allowedModel(catalog, given.caller, given.model, given.protocol.name);
      const asked = model.id === given.model ? given : { ...given, model: model.id, alias: given.model };
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
        moved: moved && (beginsAnew(request, deps.moves, moved) ? undefined : moved),
      });
      const { admission } = request;
      if (admission !== undefined) {
        const reserving = admission.reserveTokens(() => tokenEstimate(request, model));
        if (reserving !== undefined) await reserving;
        request.response.addHeaders(admission.headers);
      }
      // A summary request that replaces /compact is slightly longer, so that one is priced.
      const priced = request.instead === undefined ? request : { ...request, ...request.instead };
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
        if (request.streamed) exchange.bridge = new Bridge(beats, exchange);
      } catch (error) {
        await settleBug(exchange, error);
        throw error;
      }
      live.add(exchange);
      const over = (): void => {
        try {
          exchange.bridge?.end();
          carried.forms.close();
          if (carried.forms !== forms) forms.close();
          request.memory.release();
          admission?.finish(exchange.outcome && tokensOf(exchange.outcome));
          const fallback = exchange.fallbacks?.current;
          const answering = fallback?.request === exchange.request ? fallback.model : model;
          countEnded(deps, answering, exchange);
          if (exchange.outcome !== undefined)
            deps.tokenCounts.ended(exchange.request, answering, exchange.outcome);
        } finally {
          if (live.delete(exchange) && live.size === 0) whenIdle?.();
        }
      };
      const carried: Carried = { exchange, candidates, forms, asked: { candidates, forms }, over };
      return { carry: () => carry(deps, carried), reason: () => exchange.outcome?.reason };
    },
    running: () => live.size,
    async cutAll() {
      if (live.size === 0) return;
      const idle = new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
      for (const exchange of live.members()) {
        exchange.isCut = true;
        exchange.onCut();
      }
      await idle;
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

function tokensOf(outcome: Outcome): UsedTokens {
  const usage = allTokens(outcome);
  return { input: totalInput(usage), output: totalOutput(usage) };
}

/** A request on its way, with what its attempts need. */
interface Carried {
  readonly exchange: Exchange;
  /** Of the model that is asked now. */
  candidates: Candidates;
  forms: RequestForms;
  /** The same of the model that was asked first, to which the conversation belongs. */
  readonly asked: { readonly candidates: Candidates; readonly forms: RequestForms };
  readonly over: () => void;
}

/** Goes through the candidates until one answers, then through those of fallback models; settles for nothing where none does. */
async function carry(deps: RelayDeps, carried: Carried): Promise<void> {
  const { exchange } = carried;
  try {
    try {
      await exchange.hold.begun;
    } catch (error) {
      await settle(exchange, { reason: "no_upstream", candidate: null, facts: undefined, status: 503 });
      throw error;
    }
    const last = await askModel(deps, carried);
    const { fallbacks } = exchange;
    if (fallbacks === undefined) {
      if (!exchange.settled) await settleUnanswered(exchange, carried.candidates, last, deps.errorType);
      return;
    }
    while (!exchange.settled && !isMoot(exchange) && fallbacks.next() !== undefined) {
      openFallback(deps, carried, fallbacks);
      await askModel(deps, carried);
    }
    // What became of the model that was asked says more than what became of its fallbacks.
    const told = exchange.attempts === 0 || isMoot(exchange) ? last : (last ?? noCandidate(carried.asked));
    if (exchange.settled) return;
    fallbacks.giveUp();
    await settleUnanswered(exchange, carried.asked.candidates, told, deps.errorType);
  } catch (error) {
    await settleBug(exchange, error);
    throw error;
  } finally {
    carried.over();
  }
}

function noCandidate({ candidates }: Carried["asked"]): AttemptFailure {
  return { next: true, timedOut: false, health: { kind: "neutral" }, error: candidates.refusal() };
}

/** Turns to the upstreams of a fallback model, with what is known of the conversation's state. */
function openFallback(deps: RelayDeps, carried: Carried, { current }: FallbackChain): void {
  if (current === undefined) return;
  const { exchange, asked } = carried;
  const { catalog } = exchange;
  const { model, request, bound, price } = current;
  const conversation = deps.conversationKeys.of(request, catalog.settings);
  if (carried.forms !== asked.forms) carried.forms.close();
  carried.candidates = candidatesFor(deps, catalog, model, request, {
    pins: undefined,
    conversation,
    moved: undefined,
  });
  const { state } = asked.forms.first;
  const modes = new RelayModes(request, model, deps, catalog.allUpstreams);
  carried.forms = new RequestForms(request, () => ({ request, modes, state }));
  exchange.bound = bound;
  exchange.priced = { model: model.id, price };
}

/** Goes through the candidates of one model until one answers. Undefined = the exchange is over, or there was none. */
async function askModel(deps: RelayDeps, carried: Carried): Promise<AttemptFailure | undefined> {
  const { exchange, candidates, forms } = carried;
  let last: AttemptFailure | undefined;
  /** How the first refused the request's state. */
  let refused: AttemptFailure | undefined;
  const room = candidates.room();
  if (room !== undefined) await room;
  lookWhetherGone(exchange);
  if (exchange.isCut) last = refusedMode(stopping());
  for (const candidate of isMoot(exchange) ? [] : candidates) {
    last = await attempt(deps, carried, candidate);
    if (isMoot(exchange)) break;
    if (last?.lacksCall === true && forms.lacksCall(candidate)) {
      candidates.anew();
      last = await attempt(deps, carried, candidate);
      if (isMoot(exchange)) break;
    }
    if (last !== undefined && forms.isStateCarried && isStateRefusal(last)) {
      forms.stateRefused();
      candidates.refusedState();
      if (refused === undefined) await findElsewhere(deps, carried);
      refused ??= last;
      if (exchange.isCut) last = refusedMode(stopping());
      if (isMoot(exchange)) break;
    } else if (last === undefined || !last.next) break;
  }
  if (
    refused !== undefined &&
    last !== undefined &&
    (last.next || isStateRefusal(last)) &&
    !isMoot(exchange)
  ) {
    forms.giveUpState();
    const candidate = candidates.again();
    if (candidate !== undefined) last = (await attempt(deps, carried, candidate)) && refused;
  }
  if (last === undefined && !exchange.settled) exchange.fallbacks?.failed("unavailable");
  return last;
}

/** The caller may have left while something was waited for; asking for a candidate would use up a probe. */
function lookWhetherGone(exchange: Exchange): void {
  if (!exchange.request.response.open) exchange.gone = true;
}

/** The first refusal of a conversation's state: another process may have gone on with it elsewhere. */
async function findElsewhere(deps: RelayDeps, { exchange, candidates, forms }: Carried): Promise<void> {
  const moved = movedOf(await forms.foundLate(deps.moves), exchange.catalog);
  lookWhetherGone(exchange);
  if (moved === undefined) return;
  forms.foundAt(moved);
  candidates.foundAt(moved);
}

function isStateRefusal({ error }: AttemptFailure): boolean {
  return "statement" in error && refusesState(error.statement);
}

/** Asks one candidate. Undefined = the exchange is over. */
async function attempt(
  deps: RelayDeps,
  { exchange, candidates, forms, asked }: Carried,
  candidate: Candidate,
): Promise<AttemptFailure | undefined> {
  const { request, modes, state } = forms.at(candidate);
  exchange.request = request;
  const home = asked.candidates.home();
  let mode: RelayMode;
  try {
    const opened = modes.open(candidate, state.termsAt(candidate, home));
    mode = opened instanceof Promise ? await whileThere(exchange, modes, opened) : opened;
  } catch (error) {
    const failure = refusedMode(error);
    deps.routing.report(candidate, failure.health, exchange.request.caller.accountId);
    exchange.fallbacks?.failed(fallbackReasonOf(failure));
    // What has no slot here, or cannot be written, may have one at the next.
    return { ...failure, next: true };
  }
  exchange.attempts += 1;
  exchange.asked = candidate;
  exchange.reason = candidates.reason();
  exchange.losses = joinedLosses(request.dropped, betaLosses(request, candidate), mode.losses);
  failpoint("upstream.before-send");
  const failure = await attemptAt(deps, exchange, candidate, mode);
  // A refused state doesn't count as the model's failure.
  if (failure !== undefined && !isStateRefusal(failure))
    exchange.fallbacks?.failed(fallbackReasonOf(failure));
  if (failure !== undefined) exchange.failedFirst ??= failedAttempt(candidate, failure);
  if (failure === undefined && exchange.firstByteMs !== null) {
    const moved = state.movedTo(candidate, home, mode.foreignValues);
    if (moved !== undefined) deps.moves.note(moved, exchange.request.scan.values);
  }
  return failure;
}

/** The caller has left or the gateway stops: no further upstream is asked. */
function isMoot({ gone, isCut }: Exchange): boolean {
  return gone || isCut;
}

/** Waits for what a mode needs; nothing is sent yet, so a caller who leaves and a stop both end it at once. */
function whileThere(exchange: Exchange, modes: RelayModes, opening: Promise<RelayMode>): Promise<RelayMode> {
  exchange.request.response.onGone(() => {
    exchange.gone = true;
    modes.close();
  });
  exchange.onCut = () => modes.close();
  return opening.then((mode) => {
    // Both may also have happened in the moment in which all was there.
    if (isMoot(exchange)) throw stopping();
    return mode;
  });
}
