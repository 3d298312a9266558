import type { Citation } from "../../conversation/request.ts";
import { asArray, asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { lettersOf, RepeatedText } from "../repeated-text.ts";

/**
 * The pages that a response rests on, where a vendor lists them beside its choices and not as annotations of their
 * words. Each is of the whole text: only marks like `[1]` in it, which no vendor promises, would say of what else.
 */
export function decodeSources(body: JsonObject): readonly Citation[] {
  for (const field of SOURCE_FIELDS) {
    const listed = decodePages(asArray(body[field]));
    if (listed.length > 0) return listed;
  }
  return [];
}

/** Gives the pages that stand beside the choices to one choice after the other. */
export function openSources(sources: readonly Citation[]): () => readonly Citation[] {
  const repeated = new RepeatedText(lettersOf(sources));
  return () => sources.filter((page) => repeated.takes(lettersOf([page])));
}

/** The pages that the vendor's own tools found and visited for a message, or the delta of one (Groq). */
export function decodeVisited(message: JsonObject): readonly Citation[] {
  const pages = asObjects(message["executed_tools"]).flatMap((tool) => [
    ...asArray(asObject(tool["search_results"])?.["results"]),
    ...asArray(tool["browser_results"]),
  ]);
  return joinSources([], decodePages(pages));
}

/** A list as told so far: the next holds all again, or only what came since. */
export function joinSources(before: readonly Citation[], next: readonly Citation[]): readonly Citation[] {
  if (next.length === 0) return before;
  const pages = new Map([...before, ...next].map((page) => [page.url, page]));
  return [...pages.values()].slice(0, MAX_SOURCES);
}

function decodePages(listed: readonly unknown[]): readonly Citation[] {
  return listed.slice(0, MAX_SOURCES).flatMap(decodeSource);
}

function decodeSource(listed: unknown): readonly Citation[] {
  const page = asObject(listed) ?? {};
  const url = asText(listed) || asText(page["url"]);
  if (url === "") return [];
  const title = asText(page["title"]);
  const quote = asText(page["snippet"]);
  const value = { type: "url_citation", url_citation: { url, title, start_index: 0, end_index: 0 } };
  return [
    {
      url,
      title: title === "" ? undefined : title,
      quote: quote === "" ? undefined : quote,
      source: { protocol: "chat-completions", value },
    },
  ];
}

/** The fullest first: both of Perplexity's list the same pages. */
const SOURCE_FIELDS = [
  // Perplexity
  "search_results",
  // Perplexity and xAI: addresses alone
  "citations",
];

/** Answers rest on a few dozen pages. */
const MAX_SOURCES = 1000;
