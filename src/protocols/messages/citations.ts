import type { Citation } from "../../conversation/request.ts";
import { asText, type JsonObject } from "../json.ts";

/** A citation of a text block, whose whole text is what it supports: there are no offsets. */
export function decodeCitation(value: JsonObject): Citation {
  const url = asText(value["url"]);
  const title = asText(value["title"]) || asText(value["document_title"]);
  const quote = asText(value["cited_text"]);
  return {
    url: url === "" ? undefined : url,
    title: title === "" ? undefined : title,
    quote: quote === "" ? undefined : quote,
    source: { protocol: "messages", value },
  };
}

/** For a caller: another vendor's citation of a page is told as one of a web search; others have no form here. */
export function encodeCitation({ url, title, quote, source }: Citation): JsonObject | undefined {
  if (source.protocol === "messages") return source.value;
  if (url === undefined) return undefined;
  return {
    type: "web_search_result_location",
    url,
    title: title ?? null,
    cited_text: quote ?? "",
    // Empty marks it as ours: its issuer would refuse it (`isReplayable`).
    encrypted_index: "",
  };
}

/** True if the vendor that gets it back wrote it. */
export function isReplayable({ source }: Citation): boolean {
  return source.protocol === "messages" && source.value["encrypted_index"] !== "";
}
