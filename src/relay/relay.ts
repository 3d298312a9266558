import { Deadlines } from "../base/async/deadlines.ts";
import { SlotList } from "../base/async/slot-list.ts";
import type { Clock } from "../base/clock.ts";
import { failpoint } from "../base/failpoint.ts";
import { allTokens, type Outcome, type TextBilling } from "../billing/billing.ts";
import { allowedModel } from "../catalog/allowed-model.ts";
import type { Catalog, Model } from "../catalog/catalog.ts";
import { statementOf } from "../errors.ts";
import type { UsedTokens } from "../limits/admission.ts";
import { refusesState } from "../protocols/carried-state.ts";
import { UNKNOWN_STREAM } from "../protocols/protocol.ts";
import type { Candidates } from "../routing/candidate-iterator.ts";
import type { CandidateOrder } from "../routing/routes.ts";
import type { Candidate } from "../upstreams/call.ts";
import type { MovedConversations } from "../upstreams/memory/moved-conversations.ts";
import { totalInput, totalOutput } from "../usage/usage.ts";
import { checkAdditionalModels } from "./admit/additional-models.ts";
import type { ConversationKeys } from "./admit/conversation-key.ts";
import { beginsAnew, ConversationState, movedOf } from "./admit/conversation-state.ts";
import { pinsOf } from "./admit/pins.ts";
import { readReferences } from "./admit/references.ts";
import { RequestForms } from "./admit/request-forms.ts";
import { type Held, outputLimitHeader, takeHold } from "./admit/take-hold.ts";
import { withoutUnpriced } from "./admit/unpriced-tools.ts";
import { type AttemptDeps, attemptAt } from "./attempt.ts";
import { type Exchange, settle, settleBug } from "./exchange.ts";
import { type AttemptFailure, codeOf, refusedMode, stopping } from "./failures.ts";
import type { RelayMode } from "./mode/relay-mode.ts";
import { RelayModes, type RelayModesDeps } from "./mode/relay-modes.ts";
import { Bridge } from "./response/bridge.ts";
import { countEnded, failedAttempt } from "./settle/count-ended.ts";
import type { TokenCounts } from "./settle/token-counts.ts";
import { tokenEstimate } from "./settle/token-estimate.ts";
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
      // What stands in for a call has a few words more.
      const priced = request.instead === undefined ? request : { ...request, ...request.instead };
      const taken = takeHold(deps.billing, catalog, model, priced, references, acceptedMs);
      const held = taken instanceof Promise ? await taken : taken;
      const exchange = openExchange(deps, catalog, request, held, acceptedMs);
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
          forms.close();
          request.memory.release();
          admission?.finish(exchange.outcome && tokensOf(exchange.outcome));
          countEnded(deps, model, exchange);
          if (exchange.outcome !== undefined)
            deps.tokenCounts.ended(exchange.request, model, exchange.outcome);
        } finally {
          if (live.delete(exchange) && live.size === 0) whenIdle?.();
        }
      };
      return { carry: () => carry(deps, { exchange, candidates, forms, over }) };
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

function openExchange(
  deps: RelayDeps,
  catalog: Catalog,
  request: TextRequest,
  held: Held,
  acceptedMs: number,
): Exchange {
  return {
    request,
    catalog,
    acceptedMs,
    hold: held.hold,
    bound: held.bound,
    clock: deps.clock,
    log: deps.log,
    bridge: undefined,
    chargeEmptyAnswers: catalog.settings.chargeEmptyAnswers,
    slot: -1,
    attempts: 0,
    uses: [],
    isSent: () => false,
    failedFirst: undefined,
    asked: null,
    reason: null,
    outputLimit: held.outputLimit,
    firstByteMs: null,
    tierInHead: undefined,
    isCut: false,
    gone: false,
    settled: false,
    outcome: undefined,
    losses: [],
    onCut: () => undefined,
  };
}

function tokensOf(outcome: Outcome): UsedTokens {
  const usage = allTokens(outcome);
  return { input: totalInput(usage), output: totalOutput(usage) };
}

/** A request on its way, with what its attempts need. */
interface Carried {
  readonly exchange: Exchange;
  readonly candidates: Candidates;
  readonly forms: RequestForms;
  readonly over: () => void;
}

/** Goes through the candidates until one answers; settles for nothing where none does. */
async function carry(deps: RelayDeps, carried: Carried): Promise<void> {
  const { exchange, candidates, forms } = carried;
  let last: AttemptFailure | undefined;
  /** How the first refused the request's state. */
  let refused: AttemptFailure | undefined;
  try {
    try {
      await exchange.hold.begun;
    } catch (error) {
      await settle(exchange, { reason: "no_upstream", candidate: null, facts: undefined, status: 503 });
      throw error;
    }
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
    if (!exchange.settled) await giveUp(exchange, candidates, last, deps.errorType);
  } catch (error) {
    await settleBug(exchange, error);
    throw error;
  } finally {
    carried.over();
  }
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
  { exchange, candidates, forms }: Carried,
  candidate: Candidate,
): Promise<AttemptFailure | undefined> {
  const { request, modes, state } = forms.at(candidate);
  exchange.request = request;
  const home = candidates.home();
  let mode: RelayMode;
  try {
    const opened = modes.open(candidate, state.termsAt(candidate, home));
    mode = opened instanceof Promise ? await whileThere(exchange, modes, opened) : opened;
  } catch (error) {
    const failure = refusedMode(error);
    deps.routing.report(candidate, failure.health, exchange.request.caller.accountId);
    // What has no slot here, or cannot be written, may have one at the next.
    return { ...failure, next: true };
  }
  exchange.attempts += 1;
  exchange.asked = candidate;
  exchange.reason = candidates.reason();
  exchange.losses = request.dropped === undefined ? mode.losses : [...request.dropped, ...mode.losses];
  failpoint("upstream.before-send");
  const failure = await attemptAt(deps, exchange, candidate, mode);
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

/** Nobody has answered. Throws what the caller is told, if there is one. */
async function giveUp(
  exchange: Exchange,
  candidates: Candidates,
  last: AttemptFailure | undefined,
  errorType: string,
): Promise<void> {
  const { request } = exchange;
  const { response } = request;
  const error = last?.error ?? candidates.refusal();
  const left = exchange.gone || (exchange.attempts > 0 && last === undefined);
  await settle(exchange, {
    reason: exchange.isCut ? "drained" : left ? "client_aborted_before_output" : reasonOf(exchange, last),
    candidate: exchange.asked,
    facts: undefined,
    status: left
      ? 0
      : response.committed
        ? 200
        : "statement" in error
          ? error.statement.status
          : error.status,
    errorCode: codeOf(error),
  });
  if (left) return;
  if (!response.committed) throw error;
  // Keep-alives have gone out, and with them the status: the refusal is told as a stream tells it.
  if (!response.open) return;
  const statement = "statement" in error ? error.statement : statementOf(error, errorType);
  const broken = { ...UNKNOWN_STREAM, form: request.arrayStream ? ("array" as const) : ("sse" as const) };
  response.write(Buffer.from(request.protocol.encodeStreamError(statement, request.id, broken)));
  response.end();
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

function reasonOf(
  exchange: Exchange,
  last: AttemptFailure | undefined,
): "no_upstream" | "rejected" | "upstream_timeout" | "upstream_failed" {
  if (last === undefined) return "no_upstream";
  if (exchange.attempts === 0) return "rejected";
  if (last.timedOut) return "upstream_timeout";
  return last.next ? "upstream_failed" : "rejected";
}
