import { SMALL_BYTES } from "../../base/async/memory-budget.ts";
import { type Clock, unixSeconds } from "../../base/clock.ts";
import { type Edit, replaceValue, setField, setMember } from "../../base/json/json-splice.ts";
import { isNoLimit } from "../../billing/pricing/requested-output-limit.ts";
import { type Catalog, type Model, protocolsAt, type Upstream } from "../../catalog/catalog.ts";
import { joinedLosses } from "../../conversation/loss.ts";
import type { EndUser } from "../../conversation/lower/end-user.ts";
import { MAX_COPIES } from "../../conversation/lower/lower-request.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import { type Quirks, readQuirks } from "../../conversation/lower/quirks.ts";
import type { ChatRequest } from "../../conversation/request.ts";
import { BUSY_RETRY_SECONDS, GatewayError } from "../../errors.ts";
import { chooseProtocol, PROTOCOLS } from "../../protocols/table.ts";
import type { Candidate } from "../../upstreams/call.ts";
import { compactsAt, modelFormOf } from "../../upstreams/kinds.ts";
import type { CallStates } from "../../upstreams/memory/call-states.ts";
import type { ModelForm } from "../../upstreams/model-form.ts";
import { quirksOf } from "../../upstreams/upstream-quirks.ts";
import { cannotCompact } from "../admit/compacting.ts";
import { NO_TERMS, type StateTerms } from "../admit/conversation-state.ts";
import type { InlineMedia, Inlining } from "../admit/inline-media.ts";
import { EmbeddingsForwarder } from "../embeddings/embeddings-forwarder.ts";
import { shuttingDown } from "../failures.ts";
import { CallMemory } from "../response/call-memory.ts";
import type { TextRequest } from "../text-request.ts";
import type { EndUsers } from "./end-users.ts";
import { Forwarder } from "./forward.ts";
import type { RelayMode } from "./relay-mode.ts";
import { targetOf, translate } from "./translate.ts";
import {
  decodeRequest,
  encodeRequest,
  type ReceivedRequest,
  type Translated,
  translationOf,
  type WrittenRequest,
} from "./translate-request.ts";
import { isLargeBody, refuseTooManyValues, type Translator } from "./translator.ts";

export interface RelayModesDeps {
  readonly clock: Clock;
  readonly inlineMedia: InlineMedia;
  readonly translator: Translator;
  readonly callStates: CallStates;
  readonly endUsers: EndUsers;
}

/** A translated body is there as bytes, as text, as values, and as what is sent. */
const TRANSLATED_WEIGHT = 4;

/**
 * Opens the mode of one request to each candidate in turn: forward where the upstream speaks the
 * caller's protocol and bytes can stay as they are, else translate. A small body is decoded at most once, and only for translation; one
 * that is large, or has many values, goes to a worker.
 */
export class RelayModes {
  private readonly request: TextRequest;
  private readonly model: Model;
  private readonly deps: RelayModesDeps;
  private readonly upstreams: readonly Upstream[];
  private readonly modelQuirks: Quirks;
  private readonly canForward: boolean;
  private readonly outputLimit: number | undefined;
  private decoded: ChatRequest | undefined;
  private inlining: Inlining | undefined;
  private isLarge: boolean | undefined;
  private translating: AbortController | undefined;
  private readonly calls: CallMemory | undefined;

  /** `upstreams`: all of the catalog, also those out of service; `outputLimit`: to be written into the request, which states none. */
  constructor(
    request: TextRequest,
    model: Model,
    deps: RelayModesDeps,
    upstreams: readonly Upstream[],
    outputLimit?: number,
  ) {
    this.request = request;
    this.model = model;
    this.deps = deps;
    this.upstreams = upstreams;
    this.outputLimit = outputLimit;
    this.calls = CallMemory.of(deps.callStates, request);
    this.modelQuirks = readQuirks(model.quirks);
    this.canForward =
      request.state === undefined &&
      request.prompts === undefined &&
      // Thoughts in a response's words are told as thoughts by whoever reads it.
      (this.modelQuirks.thinkTags !== true || request.protocol.forward.wordsHoldThoughts !== true) &&
      (request.responses === 1 || this.modelQuirks.manyAnswers !== false);
  }

  /**
   * The way to one candidate, at once where nothing must be fetched for it and the body is small. Throws
   * GatewayError where the request's meaning has no slot there, or where media that it links cannot be had.
   */
  open(candidate: Candidate, terms: StateTerms = NO_TERMS): RelayMode | Promise<RelayMode> {
    const form = modelFormOf(candidate);
    if (form === undefined) return this.openMode(candidate, terms);
    // Such a form is written on the event loop, of forwarded requests too.
    refuseTooManyValues(this.request);
    this.reserveMemory();
    const mode = this.openMode(candidate, terms);
    return mode instanceof Promise
      ? mode.then((each) => inForm(each, form, candidate.model))
      : inForm(mode, form, candidate.model);
  }

  private openMode(candidate: Candidate, terms: StateTerms): RelayMode | Promise<RelayMode> {
    const { request } = this;
    if (request.compacts !== undefined && !compactsAt(candidate, request.compacts)) throw cannotCompact();
    if (PROTOCOLS[candidate.protocol].endpoint.makes === "embedding")
      return new EmbeddingsForwarder(request, candidate, this.deps.clock, this.endUserAt(candidate));
    if (this.canForward && candidate.protocol === request.protocol.name) {
      // Bytes pass as they are but for what the catalog itself says, and for the vendor's name of thoughts; all
      // other presets are for translation.
      const limit = this.limitEdits(candidate);
      const { clock } = this.deps;
      const quirks = this.forwardQuirks(candidate);
      return new Forwarder(request, candidate, quirks, clock, terms, limit, this.endUserAt(candidate));
    }
    this.reserveMemory();
    this.isLarge ??= isLargeBody(request);
    if (this.isLarge && request.prompts === undefined) return this.openInWorker(candidate, terms);
    if (this.isLarge) refuseTooManyValues(request);
    return this.openOnMainThread(candidate, terms);
  }

  /** Cancels running fetches and translations. Call it when no candidate is left to be tried. */
  close(): void {
    this.translating?.abort(shuttingDown());
    this.inlining?.end();
  }

  private endUserAt(candidate: Candidate): EndUser | undefined {
    if (candidate.upstream.options?.endUser === undefined) return undefined;
    const quirks = quirksOf(candidate, this.model.quirks);
    return this.deps.endUsers.at(candidate, this.request.caller.accountId, quirks);
  }

  private forwardQuirks(candidate: Candidate): Quirks {
    const { reasoningField, reasoningReplay } = quirksOf(candidate, this.model.quirks);
    if (reasoningField === undefined) return this.modelQuirks;
    return {
      ...this.modelQuirks,
      reasoningField,
      reasoningReplay: reasoningReplay ?? this.modelQuirks.reasoningReplay,
    };
  }

  /** A limit goes into the field that this vendor's model reads, whatever the catalog says of it. */
  private limitEdits(candidate: Candidate): readonly Edit[] | undefined {
    if (this.outputLimit === undefined) return undefined;
    return outputLimitEdits(this.request, quirksOf(candidate, this.model.quirks), this.outputLimit);
  }

  /** At once or not at all: whoever holds a body and waits for more may wait for another who does the same. */
  private reserveMemory(): void {
    const { scan, memory } = this.request;
    if (scan.length <= SMALL_BYTES || memory.growTo(scan.length * TRANSLATED_WEIGHT) === undefined) return;
    throw new GatewayError(
      "service_unavailable",
      "The gateway has no memory to translate a request of this size right now. Try again in a moment.",
      { retryAfterSeconds: BUSY_RETRY_SECONDS },
    );
  }

  private openOnMainThread(candidate: Candidate, terms: StateTerms): RelayMode | Promise<RelayMode> {
    this.decoded ??= valueOrThrow(decodeRequest(receivedOf(this.request, this.outputLimit)));
    const modelQuirks = this.calls?.restore(this.decoded) ?? this.decoded;
    return modelQuirks instanceof Promise
      ? modelQuirks.then((request) => this.write(request, candidate, terms))
      : this.write(modelQuirks, candidate, terms);
  }

  private write(
    request: ChatRequest,
    candidate: Candidate,
    terms: StateTerms,
  ): RelayMode | Promise<RelayMode> {
    this.inlining ??= this.deps.inlineMedia.begin();
    const { capabilities } = translationOf(PROTOCOLS[candidate.protocol]);
    const target = this.targetTo(candidate, terms);
    const whole = this.inlining.inline(request, capabilities, target.quirks);
    const openTranslated = (complete: ChatRequest): RelayMode =>
      this.translatedMode(candidate, this.encoded(complete, target));
    return whole instanceof Promise ? whole.then(openTranslated) : openTranslated(whole);
  }

  /** Each of several prompts is a request of its own, repeated for each response it is to get. */
  private encoded(request: ChatRequest, target: EncodeTarget): Translated<WrittenRequest> {
    const { prompts, responses } = this.request;
    if (prompts === undefined) return encodeRequest(request, target);
    const { n: _, ...one } = request;
    const translatedMode = request.messages.map((message) =>
      valueOrThrow(encodeRequest({ ...one, messages: [message] }, target)),
    );
    const bodies = translatedMode.flatMap(({ body }) => Array<Uint8Array>(responses / prompts).fill(body));
    const [first] = translatedMode;
    if (first === undefined || translatedMode.length !== prompts)
      throw new Error(
        `impossible: ${prompts} prompts were let in, and are ${translatedMode.length} messages`,
      );
    return { value: { ...first, plan: { ...first.plan, copies: bodies.length }, separateBodies: bodies } };
  }

  private async openInWorker(candidate: Candidate, terms: StateTerms): Promise<RelayMode> {
    const { outputLimit } = this;
    this.translating = new AbortController();
    const { signal } = this.translating;
    const target = this.targetTo(candidate, terms);
    const reply = await this.deps.translator.translate(this.request, target, { outputLimit, signal });
    if (!("linksMedia" in reply)) return this.translatedMode(candidate, reply);
    refuseTooManyValues(this.request);
    return this.openOnMainThread(candidate, terms);
  }

  private targetTo(candidate: Candidate, terms: StateTerms): EncodeTarget {
    const quirks = quirksOf(candidate, this.model.quirks);
    const signers = this.signersOf(candidate);
    return targetOf(this.request, candidate, this.model, quirks, signers, terms, this.endUserAt(candidate));
  }

  /** Ids of the credentials whose state is valid at a candidate. */
  private signersOf({ upstream, credential }: Candidate): readonly string[] {
    const { signer } = upstream;
    if (signer === null) return [String(credential.id)];
    return this.upstreams
      .filter((each) => each.signer === signer)
      .flatMap(({ credentials }) => credentials.map(({ id }) => String(id)));
  }

  private translatedMode(candidate: Candidate, outcome: Translated<WrittenRequest>): RelayMode {
    return translate(
      this.request,
      valueOrThrow(outcome),
      candidate,
      unixSeconds(this.deps.clock),
      this.calls?.keepState,
    );
  }
}

function receivedOf(
  { protocol, model, streamed, body }: TextRequest,
  outputLimit: number | undefined,
): ReceivedRequest {
  return { protocol: protocol.name, model, streamed, body: Buffer.concat(body), outputLimit };
}

function valueOrThrow<T>(outcome: Translated<T>): T {
  if ("value" in outcome) return outcome.value;
  const { message, path, details } = outcome.refused;
  throw new GatewayError("invalid_request", message, { param: path, details });
}

/** The most copies of a request that any of its upstreams may get, for what they all cost is held. */
export function maxCopies(catalog: Catalog, model: Model, request: TextRequest): number {
  if (request.responses === 1) return 1;
  // All prompts are in the body, so that it is sent once for each response to all of them.
  if (request.prompts !== undefined) return request.responses / request.prompts;
  const { name } = request.protocol;
  const upstreams = catalog.serving(model.id, request.caller.group, name);
  const translated =
    readQuirks(model.quirks).manyAnswers === false ||
    upstreams.some((upstream) => chooseProtocol(protocolsAt(upstream, model.id), name) !== name);
  return translated ? Math.min(request.responses, MAX_COPIES) : 1;
}

/**
 * Writes an output limit into a body that states none (or null), where the model reads it; into one that says in a number that
 * there is none (0, -1), in place of each, as its reader may take any of them.
 */
function outputLimitEdits({ protocol, scan }: TextRequest, quirks: Quirks, tokens: number): Edit[] {
  const field = protocol.forward.ownLimit;
  if (field === null) return [];
  const open = protocol.forward.outputLimits
    .flatMap((path) => scan.all(path))
    .filter((found) => isNoLimit(protocol.forward, found));
  if (open.length > 0) return open.map((found) => replaceValue(found, `${tokens}`));
  const { name, within } = field;
  if (within !== undefined) return setMember(scan, within, name, tokens);
  const known = field.byQuirk === true ? quirks.maxTokensField : undefined;
  return setField(scan, known ?? name, tokens);
}

/** A mode whose requests are written in the form in which its upstream takes the model. Throws GatewayError. */
function inForm(mode: RelayMode, form: ModelForm, model: string): RelayMode {
  const { body, losses } = form.writeBody(mode.pieces, model);
  const separateBodies = mode.separateBodies?.map((each) => form.writeBody([each], model).body);
  // The mode's other methods stay its own.
  return Object.assign(Object.create(mode) as RelayMode, {
    pieces: [body],
    separateBodies,
    losses: joinedLosses(mode.losses, losses),
  });
}
