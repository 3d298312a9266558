import { appendAll } from "../../base/append-all.ts";
import { type Clock, unixSeconds } from "../../base/clock.ts";
import { type Edit, replaceModel, splice } from "../../base/json/json-splice.ts";
import { joinedLosses, type Loss } from "../../conversation/loss.ts";
import type { EndUser } from "../../conversation/lower/end-user.ts";
import { blankPlan } from "../../conversation/lower/plan.ts";
import type { Quirks } from "../../conversation/lower/quirks.ts";
import type { ForwardRewrite } from "../../protocols/forward-rewrite.ts";
import type { UsageReader } from "../../protocols/protocol.ts";
import type { Candidate } from "../../upstreams/call.ts";
import type { StateTerms } from "../admit/conversation-state.ts";
import { withoutState } from "../admit/strip-state.ts";
import type { TextRequest } from "../text-request.ts";
import { type Framing, type RelayedStream, type StreamRewriter, tokensOfResponse } from "./framing.ts";
import { ownChanges, withOwnEdits } from "./own-fields.ts";
import type { RelayMode } from "./relay-mode.ts";
import { clientFormatOf, originOf, responseFrame } from "./translate.ts";
import type { WholeForm } from "./whole-response.ts";

/**
 * The caller's bytes with only what must differ spliced in place: the upstream's name of the model,
 * an output limit where the caller's money covers no response of any length, state that another signer has made, and what the
 * protocol itself tells otherwise. Answers pass as they come but for that.
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
  /** Changes that the protocol requires; undefined = none. */
  private readonly rewrite: ForwardRewrite | undefined;

  /**
   * `quirks`: what the catalog says; `reasoningField` is known of vendors too. `limit`: writes an output limit into a request
   * that states none. `endUser`: whom to name where nobody is named.
   */
  constructor(
    request: TextRequest,
    candidate: Candidate,
    quirks: Quirks,
    clock: Clock,
    terms: StateTerms,
    limit?: readonly Edit[],
    endUser?: EndUser,
  ) {
    const { protocol, scan, body, streamed, responses } = request;
    let edits: Edit[] = [];
    if (protocol.forward.modelInBody && scan.last("model")?.value !== candidate.model)
      appendAll(edits, replaceModel(scan, candidate.model));
    if (limit !== undefined) appendAll(edits, limit);
    this.rewrite = protocol.rewrite?.open(
      { scan, body, streamed, responses, isLimited: limit !== undefined },
      quirks,
    );
    if (this.rewrite !== undefined) appendAll(edits, this.rewrite.edits);
    const without = terms.foreign > 0 ? withoutState(request, terms.foreign) : undefined;
    if (without !== undefined) appendAll(edits, without.edits);
    this.foreignValues = without?.count ?? 0;
    const own = ownChanges(request, candidate.upstream, endUser);
    if (own.edits.length > 0) edits = withOwnEdits(edits, own.edits);
    this.losses = joinedLosses(without?.losses, own.losses);
    edits.sort((a, b) => a.start - b.start);
    this.request = request;
    this.candidate = candidate;
    this.clock = clock;
    this.pieces = edits.length === 0 ? body : splice(body, edits);
    this.arrayStream = request.arrayStream;
    this.storesResponse = protocol.forward.references.keepsResponse?.of(scan) ?? false;
  }

  openStream(usage: UsageReader): RelayedStream {
    const { request } = this;
    return { meter: usage.openStream(request.responses), rewriter: openMode(request, this.rewrite) };
  }

  wholeForm(framing: Framing): WholeForm {
    const { request, candidate } = this;
    const { protocol, id } = request;
    if (framing === "whole" && !request.streamed)
      return this.rewrite?.rewritesWhole === true ? { kind: "rewritten", client: protocol.name } : UNCHANGED;
    const frame = responseFrame(request, candidate.model, {
      createdSeconds: unixSeconds(this.clock),
      includeUsage: this.rewrite?.sendsUsage ?? true,
      echo: {},
    });
    const plan = blankPlan(originOf(candidate), id);
    const conversion = { ...clientFormatOf(request), upstream: protocol.name, plan, frame };
    return { kind: "written", own: true, conversion };
  }
}

const UNCHANGED: WholeForm = { kind: "as-it-came" };

function openMode(request: TextRequest, rewrite: ForwardRewrite | undefined): StreamRewriter {
  const fail: StreamRewriter["fail"] = (error, truncated) => [
    Buffer.from(request.protocol.encodeStreamError(error, request.id, truncated)),
  ];
  const losses = (): readonly Loss[] => [];
  const ended = (missing: string): readonly Buffer[] => (missing === "" ? [] : [Buffer.from(missing)]);
  if (rewrite === undefined)
    return { write: (chunk) => [chunk], end: ended, fail, losses, passesErrors: true };
  const stream = rewrite.openStream();
  return {
    write: (chunk) => stream.write(chunk),
    // To those who asked for usage the end is told behind it.
    end: (missing) => [...stream.end(), ...(rewrite.sendsUsage ? [] : ended(missing))],
    closing: (charged) => stream.closing(tokensOfResponse(charged)),
    fail,
    losses,
    passesErrors: true,
  };
}
