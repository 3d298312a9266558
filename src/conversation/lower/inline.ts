import { mimeTypeOfUrl } from "../media.ts";
import type { ChatRequest, MediaPart, MediaSource, Message, Part } from "../request.ts";
import type { ProtocolCapabilities } from "./capabilities.ts";
import type { Quirks } from "./quirks.ts";

/** Media that a request names by its address. */
export type LinkedMedia = MediaPart & { readonly source: Extract<MediaSource, { readonly from: "url" }> };

/**
 * The media that must be in the request itself, since the upstream takes it but does not fetch it (rule
 * 35). What the upstream cannot take in either way is not among them: encoders refuse that. Within one
 * protocol all stays as the caller wrote it, as when forwarding.
 */
export function mediaToInline(
  request: ChatRequest,
  capabilities: ProtocolCapabilities,
  quirks: Quirks,
): readonly LinkedMedia[] {
  if (request.protocol === capabilities.protocol) return [];
  return request.messages
    .flatMap(({ parts }) => parts)
    .flatMap((part): readonly Part[] => (part.kind === "tool-result" ? part.parts : [part]))
    .filter((part) => part.kind === "media")
    .filter(isLinked)
    .filter(
      (part) => capabilities.media.inline.includes(part.media) && !isFetched(part, capabilities, quirks),
    );
}

/** The request with some of its media replaced. */
export function replaceMedia(
  request: ChatRequest,
  replacements: ReadonlyMap<MediaPart, MediaPart>,
): ChatRequest {
  const replaced = <P extends Part>(part: P): P | MediaPart =>
    part.kind === "media" ? (replacements.get(part) ?? part) : part;
  const inPart = (part: Part): Part =>
    part.kind === "tool-result" ? { ...part, parts: part.parts.map(replaced) } : replaced(part);
  const inMessage = (message: Message): Message => ({ ...message, parts: message.parts.map(inPart) });
  return { ...request, messages: request.messages.map(inMessage) };
}

function isLinked(part: MediaPart): part is LinkedMedia {
  return part.source.from === "url" && /^https?:/i.test(part.source.url);
}

/** True if the upstream fetches it itself. */
function isFetched(
  { media, mimeType, source }: LinkedMedia,
  { media: slots }: ProtocolCapabilities,
  quirks: Quirks,
) {
  if (!slots.byUrl.includes(media) || quirks.mediaUrls?.includes(media) === false) return false;
  if (!slots.schemes.some((scheme) => source.url.toLowerCase().startsWith(scheme))) return false;
  const type = mimeType ?? mimeTypeOfUrl(source.url);
  return media !== "document" || type === undefined || (slots.documentTypes?.includes(type) ?? true);
}
