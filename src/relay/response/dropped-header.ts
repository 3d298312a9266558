import type { Loss } from "../../conversation/loss.ts";

/** Longer lists are cut: some servers refuse a header above a few KB. The request log has all of it. */
const MAX_HEADER_CHARS = 2_000;

/** `x-faregate-dropped`: the fields that translation could not carry, each once, in the caller's spelling. */
export function droppedHeader(losses: readonly Loss[]): Record<string, string> {
  if (losses.length === 0) return {};
  const paths = [...new Set(losses.map(({ path }) => path.replace(/[^\x21-\x7e]+/g, "?")))].join(", ");
  return {
    "x-faregate-dropped": paths.length > MAX_HEADER_CHARS ? `${paths.slice(0, MAX_HEADER_CHARS)}...` : paths,
  };
}

/** The same with reasons, for the request log. */
export function lossTexts(losses: readonly Loss[]): string[] {
  return losses.map(({ path, reason }) => `${path} (${reason})`);
}
