import { appendAll } from "../../base/append-all.ts";
import type { BodyScan, FoundValue } from "../../base/json/json-scan.ts";
import {
  addIncludeUsage,
  type Edit,
  removeField,
  removeMembers,
  renameField,
  renameMember,
} from "../../base/json/json-splice.ts";
import type { Quirks } from "../../conversation/lower/quirks.ts";
import type { ForwardedRequest, ForwardedStream, ForwardRewrite } from "../forward-rewrite.ts";
import { openForwardedStream, type StreamTerms } from "./forwarded-stream.ts";

/**
 * Rewrites forwarded chats: a stream requests usage, without which nothing could be billed exactly; output limits and
 * reasoning get the names that the upstream's model knows; and responses get the form that the specification requires.
 */
export class ChatRewrite implements ForwardRewrite {
  readonly edits: readonly Edit[];
  readonly sendsUsage: boolean;
  readonly rewritesWhole: boolean;
  readonly #terms: StreamTerms;

  constructor(request: ForwardedRequest, quirks: Quirks) {
    const { scan, streamed, responses, isLimited } = request;
    const copiesReasoning = quirks.reasoningField === "reasoning";
    const usage = requestedUsage(scan);
    const edits: Edit[] = [];
    // A null by another name would become a second, later limit.
    if (!isLimited) appendAll(edits, limitEdits(scan, quirks));
    if (!streamed) appendAll(edits, removeField(scan, "stream_options"));
    else if (usage === "unasked") appendAll(edits, addIncludeUsage(scan));
    if (copiesReasoning) appendAll(edits, reasoningEdits(request, quirks));
    this.edits = edits;
    this.sendsUsage = usage !== "unasked";
    this.rewritesWhole = copiesReasoning;
    this.#terms = { usage, responses, copiesReasoning };
  }

  openStream(): ForwardedStream {
    return openForwardedStream(this.#terms);
  }
}

function requestedUsage(scan: BodyScan): StreamTerms["usage"] {
  if (scan.last("stream_options.include_usage")?.value !== true) return "unasked";
  return scan.last("stream_options.continuous_usage_stats")?.value === true ? "throughout" : "asked";
}

/**
 * Thoughts of earlier turns, as the caller was told them, under the name that the upstream knows, or not at all: several
 * vendors refuse a field that they do not know.
 */
function reasoningEdits({ scan, body }: ForwardedRequest, { reasoningReplay }: Quirks): Edit[] {
  const found = scan.all("messages.reasoning_content");
  const own = new Set(scan.all("messages.reasoning").map(({ parent }) => parent));
  const isTaken = ({ parent, type }: FoundValue): boolean =>
    reasoningReplay !== false && type === "string" && !own.has(parent);
  return [
    ...found.filter(isTaken).map((reasoning) => renameMember(reasoning, "reasoning")),
    ...removeMembers(
      body,
      found.filter((reasoning) => !isTaken(reasoning)),
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
