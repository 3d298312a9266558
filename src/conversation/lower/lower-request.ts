import { fitReasoning } from "../adapt/adapt-reasoning.ts";
import { fieldPath, type LossList, type NeutralField } from "../loss.ts";
import { plainlySpelled } from "../media.ts";
import type {
  CacheMark,
  ChatRequest,
  ForeignField,
  ForeignPart,
  MediaPart,
  Message,
  Part,
  RequestRefusal,
  Sampling,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../request.ts";
import { attachState } from "../state/attach-state.ts";
import { type Opaque, stateFor } from "../state/opaque.ts";
import { endsWithPrefill, shownByUser, withoutLoneReasoning } from "./alternating-turns.ts";
import { withCacheAll } from "./cache-all.ts";
import type { ProtocolCapabilities } from "./capabilities.ts";
import { withText } from "./empty-turns.ts";
import { fitLimits } from "./fit-limits.ts";
import { withJsonInstruction } from "./json-instruction.ts";
import { lowerTools, takesCustom } from "./lower-tools.ts";
import { fitCallId, openToolNames, type ToolNames } from "./names.ts";
import { withoutOrphans } from "./orphan-results.ts";
import type { EncodeTarget, ResponsePlan } from "./plan.ts";
import type { RefusedHint } from "./quirks.ts";
import { markConsecutiveUserMessages } from "./user-turns.ts";
import { fitWord, type WordRule } from "./words.ts";

/** A request that fits its target, and what its response must undo. */
export interface LoweredRequest {
  readonly request: ChatRequest;
  readonly plan: ResponsePlan;
}

/**
 * Fits a request to the protocol and model that will get it: what has no slot there goes with a loss or
 * is refused, state of other issuers goes, names and ids become what is accepted, custom and grouped
 * tools become functions. What is left, an encoder can write. Throws RefusedField.
 */
export function lowerRequest(
  asked: ChatRequest,
  capabilities: ProtocolCapabilities,
  target: EncodeTarget,
  losses: LossList,
): LoweredRequest {
  const marked = { ...asked, messages: markConsecutiveUserMessages(asked.messages) };
  const said = withText(withoutOrphans(marked, capabilities, losses), capabilities, losses);
  const request = withCacheAll(said, capabilities, target.quirks, losses);
  refuseUnservable(request, capabilities, target, losses);
  const copies = copiesOf(request, capabilities, target, losses);
  const names = openToolNames(capabilities.toolNames);
  const tools = lowerTools(request, capabilities, target, names, losses);
  const callIds = callIdsAt(capabilities, target);
  const fit: Fit = { request, capabilities, target, losses, names, callIds };
  const maxStops = target.quirks.stop === false ? 0 : capabilities.maxStops;
  const limits = fitLimits(request, capabilities, losses);
  const fitting = dropFields(request, fit);
  const { toolChoice: _choice, responseFormat: _format, limits: _limits, n, ...rest } = fitting;
  const prepared: ChatRequest = {
    ...rest,
    system: request.system.flatMap((part) => meant(part, fit)).map((part) => fitText(part, fit)),
    messages: attachState(request.messages)
      .flatMap((message) => (shows(message, fit) ? [message] : shownByUser(message)))
      .map((message) => fitMessage(message, fit))
      .map((message, index, all) => (index === all.length - 1 ? fitEnd(message, fit) : message))
      .filter(({ parts }) => parts.length > 0),
    tools: tools.tools,
    toolChoice: tools.toolChoice,
    responseFormat: tools.responseFormat,
    n: n === undefined || copies > 1 ? undefined : n,
    limits: { ...limits, stop: limits.stop?.slice(0, maxStops) },
    foreign: fitForeign(fit),
  };
  const plan = {
    origin: target.origin,
    seed: target.seed,
    tools: names.planned(),
    responseTool: tools.responseTool,
    copies,
    stops: limits.stop?.slice(maxStops) ?? [],
    thinkTags: target.quirks.thinkTags ? true : undefined,
    reasoningReplay: target.quirks.reasoningReplay ? true : undefined,
  };
  return { request: withJsonInstruction(prepared, request.responseFormat, capabilities), plan };
}

interface Fit {
  readonly request: ChatRequest;
  readonly capabilities: ProtocolCapabilities;
  readonly target: EncodeTarget;
  readonly losses: LossList;
  readonly names: ToolNames;
  readonly callIds: WordRule;
}

/** The protocol's, or those of a model that takes others. */
function callIdsAt({ callIds }: ProtocolCapabilities, { quirks: { callIdLength } }: EncodeTarget): WordRule {
  return callIdLength === undefined ? callIds : { maxLength: callIdLength, also: "", isCode: true };
}

/**
 * Each response costs a request, a connection and its input once more: 8 is what vendors that give several
 * answers themselves allow at most, and what one request of a caller may reasonably set off.
 */
export const MAX_COPIES = 8;

/** The number of requests that the wanted responses take. */
function copiesOf(
  { n = 1 }: ChatRequest,
  capabilities: ProtocolCapabilities,
  { quirks }: EncodeTarget,
  losses: LossList,
): number {
  if (n <= 1 || (quirks.manyAnswers ?? capabilities.manyAnswers)) return 1;
  if (n > MAX_COPIES) {
    losses.refuse("n", `This model returns at most ${MAX_COPIES} choices per request. Request fewer.`);
  }
  return n;
}

function refuseUnservable(
  request: ChatRequest,
  capabilities: ProtocolCapabilities,
  target: EncodeTarget,
  losses: LossList,
): void {
  // Within one protocol it means what the vendor takes it to mean, as when forwarding.
  const ordinary = request.protocol === capabilities.protocol ? "continue" : capabilities.prefill;
  const prefill = target.quirks.prefill ?? ordinary;
  if (prefill === "refuse" && endsWithPrefill(request.messages)) {
    losses.refuse(
      "messages",
      "This model can't continue an assistant message. End the conversation with a user message.",
    );
  }
}

/** Without the hints that have no slot or that the model refuses. */
function dropFields(request: ChatRequest, { capabilities, target, losses }: Fit): ChatRequest {
  const sampling: Record<string, number> = {};
  for (const [field, value] of Object.entries(request.sampling) as [keyof Sampling, number | undefined][]) {
    if (value === undefined) continue;
    if (!hasSlot(field, request, capabilities)) losses.field(field);
    else if (target.quirks.sampling === false || isRefused(field, target))
      losses.field(field, "model-refuses");
    else sampling[field] = value;
  }
  const kept: Record<string, unknown> = { ...request, sampling };
  for (const field of OPTIONAL_FIELDS) {
    if (request[field] === undefined) continue;
    if (hasSlot(field, request, capabilities)) {
      if (!isRefused(field, target)) continue;
      losses.field(field, "model-refuses");
    } else if (request[field] !== true && !(field === "parallelToolCalls" && request.oneCall)) {
      // Several calls at once are what every protocol means that says nothing; the other is said for the caller.
      losses.field(field);
    }
    delete kept[field];
  }
  if (request.reasoning !== undefined) {
    const own = request.protocol === capabilities.protocol;
    kept["reasoning"] = fitReasoning(request.reasoning, own, target.quirks, losses);
  }
  if (kept["user"] !== undefined && request.protocol !== capabilities.protocol) {
    kept["user"] = fitUser(request.user ?? "", capabilities, losses);
  }
  return kept as unknown as ChatRequest;
}

function isRefused(field: NeutralField, { quirks }: EncodeTarget): boolean {
  const hint = REFUSED_HINTS.get(field);
  return hint !== undefined && quirks.refuses?.includes(hint) === true;
}

const REFUSED_HINTS: ReadonlyMap<NeutralField, RefusedHint> = new Map<NeutralField, RefusedHint>([
  ["seed", "seed"],
  ["presencePenalty", "penalties"],
  ["frequencyPenalty", "penalties"],
  ["verbosity", "verbosity"],
  ["user", "user"],
  ["cacheKey", "prompt_cache_key"],
  // A protocol without the one has no place for the other.
  ["cacheRetention", "prompt_cache_key"],
]);

/** Replaces a user that is too long for the protocol's vendor by a name that stays the same in each request. */
function fitUser(
  user: string,
  { maxUserLength = user.length }: ProtocolCapabilities,
  losses: LossList,
): string {
  if (user.length <= maxUserLength) return user;
  losses.field("user", "weakened");
  return fitWord(user, { maxLength: maxUserLength, also: "any" });
}

/** A field that one vendor added goes back to the protocol it came in, as when forwarding. */
function hasSlot(field: NeutralField, request: ChatRequest, capabilities: ProtocolCapabilities): boolean {
  return capabilities.slots.has(field) || request.protocol === capabilities.protocol;
}

const OPTIONAL_FIELDS = [
  "user",
  "parallelToolCalls",
  "reasoning",
  "verbosity",
  "cacheKey",
  "cacheRetention",
] as const satisfies readonly NeutralField[];

/** The protocol's own fields stay; hints of another are lost, what carries meaning is refused. */
function fitForeign({ request, capabilities, losses }: Fit): ChatRequest["foreign"] {
  if (request.protocol === capabilities.protocol) {
    const whole = request.foreign.filter(({ isRead }) => isRead);
    // Fields inside of a field that goes back whole go back with it.
    return request.foreign.filter(({ path }) => !whole.some((field) => path.startsWith(`${field.path}.`)));
  }
  for (const field of request.foreign) {
    if (field.isRead) continue;
    if (field.ifUnsupported === "refuse") refuseForeign(field, losses);
    losses.at(field.path);
  }
  return [];
}

function refuseForeign(
  { path, refusal = USUAL_REFUSAL }: ForeignField | ForeignPart,
  losses: LossList,
): never {
  return losses.refuseAt(path, refusal.why, refusal.details);
}

const USUAL_REFUSAL: RequestRefusal = {
  why: "This model's upstream has no equivalent of this field. Remove it.",
};

function fitMessage(message: Message, fit: Fit): Message {
  const { name, ...unnamed } = message;
  const keepsName = name !== undefined && fit.capabilities.slots.has("name");
  if (name !== undefined && !keepsName) fit.losses.field("name");
  return {
    ...unnamed,
    name: keepsName ? name : undefined,
    parts: message.parts.flatMap((part) => fitPart(part, fit)),
  };
}

/** No vendor goes on from a thought, and one refuses a conversation that ends in one; its own caller may try (rule 36). */
function fitEnd(message: Message, { request, capabilities, losses }: Fit): Message {
  if (message.role !== "assistant" || request.protocol === capabilities.protocol) return message;
  const parts = withoutLoneReasoning(message.parts);
  if (parts.length < message.parts.length) losses.field("reasoningState");
  return { ...message, parts };
}

/** True if the assistant's own turns can hold what it made. */
function shows({ role }: Message, { request, capabilities }: Fit): boolean {
  return role !== "assistant" || capabilities.assistantMedia || request.protocol === capabilities.protocol;
}

function fitPart(part: Part, fit: Fit): readonly Part[] {
  switch (part.kind) {
    case "text":
      return [fitText(part, fit)];
    case "media":
      return [fitState(fitCache(fitMedia(part, fit), fit), fit)];
    case "tool-call":
      return [fitCall(part, fit)];
    case "tool-result":
      return [fitResult(part, fit)];
    case "reasoning": {
      const fitted = fitState(part, fit);
      if (fitted.opaque !== undefined) return [fitted];
      if (part.redacted !== true && keepsReasoning(fit)) return [fitted];
      // The loss of its state is told already; a thought that had none is a loss of its own.
      if (part.opaque === undefined) fit.losses.field("thoughts");
      return [];
    }
    case "foreign":
      if (part.protocol === fit.capabilities.protocol) return [part];
      if (part.words !== undefined) {
        fit.losses.at(part.path, "weakened");
        return [{ kind: "text", text: part.words }];
      }
      if (part.ifUnsupported === "refuse") refuseForeign(part, fit.losses);
      fit.losses.at(part.path);
      return [];
  }
}

/** Thoughts without state are only taken by the protocol that they came in, or where the catalog says so. */
function keepsReasoning({ request, capabilities, target }: Fit): boolean {
  return (target.quirks.reasoningReplay ?? request.protocol === capabilities.protocol) !== false;
}

/** Without what only the vendor of the caller's protocol knows what to do with. */
function meant(part: TextPart, { request, capabilities, losses }: Fit): readonly TextPart[] {
  const { vendorsOwn, ...rest } = part;
  if (vendorsOwn === undefined || request.protocol === capabilities.protocol) return [part];
  losses.at(vendorsOwn.path);
  const text = rest.text.slice(vendorsOwn.letters);
  return text.trim() === "" ? [] : [{ ...rest, text }];
}

function fitText(part: TextPart, fit: Fit): TextPart {
  const { citations, ...uncited } = part;
  if (citations === undefined || hasSlot("citations", fit.request, fit.capabilities)) {
    return fitState(fitCache(part, fit), fit);
  }
  fit.losses.field("citations");
  return fitState(fitCache(uncited, fit), fit);
}

/** Without what only the caller's protocol says of media: each such field is a loss of its own. */
function fitMedia(part: MediaPart, { request, capabilities, losses }: Fit): MediaPart {
  if (request.protocol === capabilities.protocol) return part;
  const { extra = {}, detail, name, ...plain } = part;
  for (const key of Object.keys(extra)) losses.at(fieldPath(losses.nameOf("media"), key));
  const keepsDetail = capabilities.slots.has("detail");
  // Every protocol lets the model decide if nothing is stated.
  if (detail !== undefined && detail !== "auto" && !keepsDetail) losses.field("detail");
  // A document of plain text goes as words, its title with them; other media than documents have no names.
  const keepsName =
    plain.source.from === "text" || (part.media === "document" && capabilities.slots.has("mediaName"));
  if (name !== undefined && !keepsName) losses.field("mediaName");
  return {
    ...plainlySpelled(plain),
    detail: keepsDetail ? detail : undefined,
    name: keepsName ? name : undefined,
  };
}

function fitCall(part: ToolCallPart, fit: Fit): ToolCallPart {
  const { namespace, custom, ...call } = fitState(fitCache(part, fit), fit);
  const bare = takesCustom(fit.request, fit.capabilities);
  const owner = {
    name: part.name,
    namespace: namespace === "" ? undefined : namespace,
    custom: custom && !bare ? custom : undefined,
  };
  const id = fitCallId(part.id, fit.callIds);
  const grouped = namespace !== undefined && fit.capabilities.namespaces;
  const name = fit.names.wireName(grouped ? { name: part.name } : owner);
  const kept = { ...call, id, name, namespace: grouped ? namespace : undefined };
  if (custom !== true) return kept;
  return bare ? { ...kept, custom } : { ...kept, arguments: JSON.stringify({ input: part.arguments }) };
}

function fitResult(part: ToolResultPart, fit: Fit): ToolResultPart {
  const { custom, ...result } = fitCache(part, fit);
  const isSaid = part.parts.some(
    (inner) => inner.kind === "foreign" || (inner.kind === "text" && inner.text !== ""),
  );
  // One vendor refuses a failure without words, others have no other way to tell it.
  const untold = part.isError === true && !isSaid && fit.request.protocol !== fit.capabilities.protocol;
  const parts = part.parts.flatMap((inner) => fitPart(inner, fit) as ToolResultPart["parts"]);
  return {
    ...result,
    custom: custom && takesCustom(fit.request, fit.capabilities) ? custom : undefined,
    callId: fitCallId(part.callId, fit.callIds),
    parts: untold ? [FAILED, ...parts.filter(({ kind }) => kind !== "text")] : parts,
  };
}

const FAILED: TextPart = { kind: "text", text: "The tool failed." };

function fitCache<P extends { readonly cache?: CacheMark | undefined }>(part: P, fit: Fit): P {
  const { request, capabilities, target, losses } = fit;
  if (part.cache === undefined) return part;
  if (target.quirks.cacheMarks ?? hasSlot("cache", request, capabilities)) return part;
  losses.field("cache");
  const { cache: _, ...rest } = part;
  return rest as P;
}

/** Without state that the target did not issue. */
function fitState<P extends { readonly opaque?: Opaque | undefined }>(part: P, { target, losses }: Fit): P {
  const opaque = part.opaque && stateFor(target, part.opaque);
  if (opaque === part.opaque) return part;
  if (opaque !== undefined) return { ...part, opaque };
  losses.field("reasoningState", "other-issuer");
  const { opaque: _, ...rest } = part;
  return rest as P;
}
