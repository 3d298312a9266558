import { type Clock, unixSeconds } from "../base/clock.ts";
import type { BodyScan, FoundValue } from "../base/json-scan.ts";
import {
  addIncludeUsage,
  type Edit,
  removeField,
  removeMembers,
  renameField,
  renameMember,
  replaceModel,
  splice,
} from "../base/json-splice.ts";
import type { Loss } from "../conversation/loss.ts";
import { blankPlan } from "../conversation/plan.ts";
import type { Quirks } from "../conversation/quirks.ts";
import { tellThoughtsOfResponse } from "../protocols/chat-completions/forwarded-chunk.ts";
import { openForwardedStream, type StreamTerms } from "../protocols/chat-completions/forwarded-stream.ts";
import type { Candidate } from "../upstreams/call.ts";
import { withoutState } from "./carried-state.ts";
import type { StateTerms } from "./conversation-state.ts";
import { writeOwnAsAsked } from "./other-framing.ts";
import type { BodyRewrite, Framing, RelayMode, StreamRewriter } from "./relay-mode.ts";
import type { TextRequest } from "./text-request.ts";
import { originOf, responseFrame } from "./translate.ts";

/**
 * The caller's bytes with only what must differ spliced in place: the upstream's name of the model,
 * an output limit where the caller's money covers no answer of any length, state that another signer has made, and on a chat stream
 * the wish for usage, without which nothing could be billed exactly. Answers pass
 * as they come, those of chats but for what the specification wants told otherwise.
 */
export class Forwarder implements RelayMode {
  readonly pieces: readonly Uint8Array[];
  readonly copies = 1;
  readonly arrayStream: boolean;
  readonly storesResponse: boolean;
  readonly losses: readonly Loss[];
  readonly foreignValues: number;
  readonly contentType = undefined;
  private readonly request: TextRequest;
  private readonly candidate: Candidate;
  private readonly clock: Clock;
  /** How chats are told; undefined for other protocols. */
  private readonly chat: StreamTerms | undefined;

  /**
   * `quirks`: what the catalog says; `reasoningField` is known of vendors too. `limit`: writes an output limit into a request
   * that states none.
   */
  constructor(
    request: TextRequest,
    candidate: Candidate,
    quirks: Quirks,
    clock: Clock,
    terms: StateTerms,
    limit?: readonly Edit[],
  ) {
    const { protocol, scan, body, streamed } = request;
    const edits: Edit[] = [];
    if (protocol.forward.modelInBody && scan.last("model")?.value !== candidate.model)
      edits.push(...replaceModel(scan, candidate.model));
    const isChat = protocol.name === "chat-completions";
    // A null by another name would become a second, later limit.
    if (limit !== undefined) edits.push(...limit);
    else if (isChat) edits.push(...limitEdits(scan, quirks));
    if (isChat && !streamed) edits.push(...removeField(scan, "stream_options"));
    const tellsReasoning = quirks.reasoningField === "reasoning";
    this.chat = isChat
      ? { usage: wishOf(scan), responses: request.responses, tellsThoughts: tellsReasoning }
      : undefined;
    if (isChat && streamed && this.chat?.usage === "unasked") edits.push(...addIncludeUsage(scan));
    if (isChat && tellsReasoning) edits.push(...reasoningEdits(request, quirks));
    const without = terms.foreign > 0 ? withoutState(request, terms.foreign) : undefined;
    if (without !== undefined) edits.push(...without.edits);
    this.losses = without?.losses ?? NO_LOSSES;
    this.foreignValues = without?.count ?? 0;
    edits.sort((a, b) => a.start - b.start);
    this.request = request;
    this.candidate = candidate;
    this.clock = clock;
    this.pieces = edits.length === 0 ? body : splice(body, edits);
    this.arrayStream = request.arrayStream;
    this.storesResponse = protocol.forward.references.keepsResponse?.of(scan) ?? false;
  }

  openStream(): StreamRewriter {
    return openMode(this.request, this.chat);
  }

  whole(chunks: readonly Buffer[], framing: Framing): BodyRewrite {
    const { request, candidate } = this;
    if (framing === "whole" && !request.streamed)
      return { body: this.chat?.tellsThoughts ? tellThoughtsOfResponse(chunks) : chunks, losses: NO_LOSSES };
    const { protocol, id } = request;
    const frame = responseFrame(request, candidate.model, {
      createdSeconds: unixSeconds(this.clock),
      includeUsage: this.chat?.usage !== "unasked",
      echo: {},
    });
    const plan = blankPlan(originOf(candidate), id);
    return writeOwnAsAsked({ request, upstream: protocol, plan, frame }, Buffer.concat(chunks), framing);
  }
}

const NO_LOSSES: readonly Loss[] = [];

function openMode(request: TextRequest, terms: StreamTerms | undefined): StreamRewriter {
  const common: Omit<StreamRewriter, "write" | "end"> = {
    fail: (error, broken) => [Buffer.from(request.protocol.encodeStreamError(error, request.id, broken))],
    losses: () => [],
    passesErrors: true,
  };
  const ended = (missing: string): readonly Buffer[] => (missing === "" ? [] : [Buffer.from(missing)]);
  if (terms === undefined) return { ...common, write: (chunk) => [chunk], end: ended };
  const stream = openForwardedStream(terms);
  return {
    ...common,
    write: (chunk) => stream.write(chunk),
    // To those who asked for usage the end is told behind it.
    end: (missing) => [...stream.end(), ...(terms.usage === "unasked" ? ended(missing) : [])],
    closing: (charged) => stream.closing(charged),
  };
}

function wishOf(scan: BodyScan): StreamTerms["usage"] {
  if (scan.last("stream_options.include_usage")?.value !== true) return "unasked";
  return scan.last("stream_options.continuous_usage_stats")?.value === true ? "throughout" : "asked";
}

/**
 * Thoughts of earlier turns, as the caller was told them, under the name that the upstream knows, or not at all: several
 * vendors refuse a field that they do not know.
 */
function reasoningEdits({ scan, body }: TextRequest, { reasoningReplay }: Quirks): Edit[] {
  const told = scan.all("messages.reasoning_content");
  const own = new Set(scan.all("messages.reasoning").map(({ parent }) => parent));
  const isTaken = ({ parent, type }: FoundValue): boolean =>
    reasoningReplay !== false && type === "string" && !own.has(parent);
  return [
    ...told.filter(isTaken).map((reasoning) => renameMember(reasoning, "reasoning")),
    ...removeMembers(
      body,
      told.filter((reasoning) => !isTaken(reasoning)),
    ),
  ];
}

/** Some models know the output limit by one name only (rule 39); the caller's other spelling is the same wish. */
function limitEdits(scan: BodyScan, quirks: Quirks): Edit[] {
  const known = quirks.maxTokensField;
  const other = known === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  if (known === undefined || scan.last(other) === undefined || scan.last(known) !== undefined) return [];
  return renameField(scan, other, known);
}
