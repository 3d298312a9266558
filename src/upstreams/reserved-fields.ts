import { holdPaths } from "../protocols/body-features.ts";
import type { ForwardTable } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/table.ts";

/** Top-level fields that ask for a tier. */
export const TIER_FIELDS = new Set(["service_tier", "serviceTier"]);
/** Those that ask for a service whose price is another. */
export const SERVICE_FIELDS = new Set([...TIER_FIELDS, "speed", "inference_geo"]);

/** The top-level fields of paths in all protocols. */
function rootsOf(pathsOf: (table: ForwardTable) => readonly string[]): string[] {
  const paths = Object.values(PROTOCOLS).flatMap(({ forward }) => pathsOf(forward));
  return paths.map((path) => path.replaceAll("[]", "").split(".")[0] ?? "");
}

/** The fields that every request has, that bound its cost, and that hold its content. */
export const NEVER_REMOVED = new Set([
  ...["model", "stream", "stream_options", "system", "instructions"],
  ...["systemInstruction", "system_instruction", "cachedContent", "cached_content", "query"],
  ...rootsOf(({ content }) => (content === null ? [] : [content.field, ...content.alternatives])),
  ...rootsOf(({ outputLimits, responseCounts }) => [...outputLimits, ...responseCounts]),
]);

/** These fields as well can raise the cost of a request, name other models, or refer to stored objects of somebody. */
export const RESERVED = new Set([
  ...NEVER_REMOVED,
  ...["thread", "diagnostics", "compaction", "models"],
  ...rootsOf(({ hold }) => holdPaths(hold)),
  ...rootsOf(({ unserved = {}, watched = [] }) => [...Object.keys(unserved), ...watched]),
  ...rootsOf(({ additionalModels = [] }) => additionalModels.map(({ path }) => path)),
]);
