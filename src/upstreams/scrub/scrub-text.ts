import { REDACTED } from "./scrub-patterns.ts";
import type { SecretFinder } from "./scrub-secrets.ts";
import type { Span } from "./secret-parts.ts";

/** Takes secrets out of a text however they are escaped in it, and rewrites what matches one of the patterns. */
export function openTextScrubber(
  secrets: SecretFinder,
  redactions: readonly (readonly [pattern: RegExp, instead: string])[],
): (text: string) => string {
  function asWritten(text: string): string {
    let shown = withoutSpans(text, secrets.find(text));
    for (const [pattern, instead] of redactions) shown = shown.replace(pattern, instead);
    return shown;
  }

  /**
   * If another spelling hides a secret, or a part of one, the text is returned without that spelling: in the reading
   * that has most of the secrets, since a reading that goes on may take a part of one for another escape.
   */
  function text(original: string): string {
    const readings = readingsOf(original);
    if (readings.length === 1) return asWritten(original);
    const letters = readings.map((reading) => lettersIn(secrets.find(reading)));
    const shown = asWritten(readings[letters.indexOf(Math.max(...letters))] ?? original);
    const rest = readingsOf(shown).at(-1) ?? shown;
    const scrubbed = asWritten(rest);
    return scrubbed === rest ? shown : scrubbed;
  }

  return text;
}

function lettersIn(spans: readonly Span[]): number {
  return spans.reduce((sum, [start, end]) => sum + end - start, 0);
}

/** The text with each span, and spans that touch as one, replaced. */
function withoutSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let shown = "";
  let from = 0;
  let open = -1;
  for (const [start, end] of [...spans].sort(([a], [b]) => a - b)) {
    if (start > from || open === -1) shown += text.slice(from, Math.max(from, start)) + REDACTED;
    from = Math.max(from, end);
    open = start;
  }
  return shown + text.slice(from);
}

/** A text as it stands, and as it reads without the escapes of JSON, C, HTML, URLs and mail, of which it may have several one in another. */
function readingsOf(text: string): string[] {
  const readings = [text];
  let bare = text;
  for (let round = 0; round < MAX_ROUNDS && ESCAPED.test(bare); round += 1) {
    const before = bare;
    for (const without of [withoutEscapes, withoutMailEscapes]) {
      const next = without(bare);
      if (next !== bare) readings.push(next);
      bare = next;
    }
    if (bare === before) break;
  }
  return readings;
}

function withoutEscapes(text: string): string {
  return text
    .replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2}))/gi, (_, wide?: string, byte?: string) =>
      String.fromCharCode(Number.parseInt(wide ?? byte ?? "", 16)),
    )
    .replace(/\\(["'/\\])/g, "$1")
    .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/&#(x?)([0-9a-f]{1,5});/gi, (_, x: string, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, x === "" ? 10 : 16)),
    )
    .replace(/&(amp|lt|gt|quot|apos);/gi, (_, name: string) => ENTITIES[name.toLowerCase()] ?? "");
}

/** A key's own "=" may look like one. */
function withoutMailEscapes(text: string): string {
  return text.replace(/=([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

const MAX_ROUNDS = 3;
const ESCAPED = /\\|%|&|=[0-9a-f]{2}/i;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
