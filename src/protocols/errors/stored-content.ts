/** True if a 404 is about content that the caller refers to: a stored response, a thread, a file, a cache. */
export function isStoredContentMissing(said: string): boolean {
  return GONE.some((words) => words.test(said)) && !NO_PATH.some((words) => words.test(said));
}

/**
 * Removes paths and addresses from an error. Servers quote the path of the request, and its words (`/v1/responses`,
 * `/v1/files`, `/v1/moderations`) say nothing about the request's content.
 */
export function withoutPaths(said: string): string {
  return said
    .split(/\s+/)
    .filter((word) => !PATH.test(word))
    .join(" ");
}

/** `/chat`, `POST:/chat`, `https://host/chat`, `v1/chat`; `files/abc` is a name that a vendor gives. */
const PATH = /(?:^|\W)\/\w|\bv\d\w*\//;

const KEPT =
  "(?:response|item|file|container|conversation|cached ?content|batch|prompt|skill|vector[_ ]store|thread)s?";

const GONE: readonly RegExp[] = [
  new RegExp(
    `(?:\\b|_)${KEPT}(?:\\b|_).{0,160}(?:(?:not|n't)[_ ](?:be[_ ])?(?:found|exist)|expired|deleted|no longer)`,
    "i",
  ),
  new RegExp(`\\b(?:no such|unknown) ${KEPT}\\b`, "i"),
  new RegExp(`\\binvalid ${KEPT}[_ ]id\\b`, "i"),
];

/** Servers' words for a missing path of which the rest reads like content. */
const NO_PATH: readonly RegExp[] = [
  /\b(?:url|uri|route|path|endpoint|page)s?\b|\bresponses api\b/i,
  // llama.cpp's whole message; a vendor that keeps files names the file.
  /(?:^|\s)file not found\.?\s*$/i,
];
