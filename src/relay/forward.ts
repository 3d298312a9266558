import type { BodyScan } from "../base/json-scan.ts";
import {
  addIncludeUsage,
  type Edit,
  removeField,
  renameField,
  replaceModel,
  splice,
} from "../base/json-splice.ts";
import type { Quirks } from "../conversation/quirks.ts";
import { openUsageFrameFilter } from "../protocols/chat-completions/usage-frame.ts";
import type { Candidate } from "../upstreams/call.ts";
import type { Passage, StreamPassage } from "./passage.ts";
import type { TextRequest } from "./text-request.ts";

/**
 * The caller's bytes with only what must differ spliced in place: the upstream's name of the model,
 * and on a chat stream the wish for usage, without which nothing could be billed exactly. Answers pass
 * as they come.
 */
export function forward(request: TextRequest, candidate: Candidate, quirks: Quirks): Passage {
  const { protocol, scan, body, streamed } = request;
  const edits: Edit[] = [];
  if (protocol.forward.modelInBody && scan.last("model")?.value !== candidate.model) {
    edits.push(...replaceModel(scan, candidate.model));
  }
  let hidesUsageFrame = false;
  if (protocol.name === "chat-completions") {
    edits.push(...limitEdits(scan, quirks));
    if (!streamed) {
      edits.push(...removeField(scan, "stream_options"));
    } else if (!asksUsage(scan)) {
      edits.push(...addIncludeUsage(scan));
      hidesUsageFrame = true;
    }
  }
  return {
    pieces:
      edits.length === 0
        ? body
        : splice(
            body,
            edits.sort((a, b) => a.start - b.start),
          ),
    copies: 1,
    arrayStream: request.arrayStream,
    storesResponse: protocol.name === "responses" && scan.last("store")?.value !== false,
    losses: [],
    contentType: undefined,
    openStream: () => openForwardedStream(request, hidesUsageFrame),
    plain: (chunks) => ({ body: chunks, losses: [] }),
  };
}

function openForwardedStream(request: TextRequest, hidesUsageFrame: boolean): StreamPassage {
  const filter = hidesUsageFrame ? openUsageFrameFilter() : undefined;
  return {
    write: (chunk) => (filter === undefined ? [chunk] : filter.write(chunk)),
    end: (missingEnd) => [...(filter?.end() ?? []), ...(missingEnd === "" ? [] : [Buffer.from(missingEnd)])],
    fail: (error, broken) => [Buffer.from(request.protocol.encodeStreamError(error, request.id, broken))],
    losses: () => [],
    passesErrors: true,
  };
}

function asksUsage(scan: BodyScan): boolean {
  return scan.last("stream_options.include_usage")?.value === true;
}

/** Some models know the output limit by one name only (rule 39); the caller's other spelling is the same wish. */
function limitEdits(scan: BodyScan, quirks: Quirks): Edit[] {
  const known = quirks.maxTokensField;
  const other = known === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  if (known === undefined || scan.last(other) === undefined || scan.last(known) !== undefined) return [];
  return renameField(scan, other, known);
}
