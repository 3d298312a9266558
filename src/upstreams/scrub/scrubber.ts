import type { Catalog, Upstream } from "../../catalog/catalog.ts";
import { optionSecrets } from "../../catalog/upstream-options.ts";
import { kindOf } from "../kinds.ts";
import { namesOfUrl, redactionsOf } from "./scrub-names.ts";
import { ACCOUNT_PATTERNS, REDACTED } from "./scrub-patterns.ts";
import { openSecretFinder, type Span } from "./scrub-secrets.ts";
import { isNoWord } from "./sent-secrets.ts";

/**
 * Takes out of a vendor's words what is the operator's: credentials, hosts, names of accounts and projects. For errors
 * and reasons only, and never for what a model wrote.
 */
export interface Scrubber {
  /** The same text where it holds nothing of ours. */
  text(text: string): string;
  /** All texts in a JSON value, names of fields included; the same value where nothing was found. */
  value(value: unknown): unknown;
}

/** Deeper than any vendor's details, and no deeper than can be written again. */
const MAX_DEPTH = 64;

/** A state of the catalog, as far as a scrubber reads it. */
export type KnownUpstreams = Pick<Catalog, "allUpstreams">;

const perCatalog = new WeakMap<object, Scrubber>();

/** The scrubber for everything that this state of the catalog knows: compiled when the first text is told. */
export function scrubberOf(catalog: KnownUpstreams): Scrubber {
  let scrubber = perCatalog.get(catalog);
  if (scrubber === undefined) {
    scrubber = createScrubber(catalog.allUpstreams);
    perCatalog.set(catalog, scrubber);
  }
  return scrubber;
}

/** What of an upstream a scrubber reads, without the rest: plain data, for a worker. */
export interface ScrubbedUpstream extends Pick<Upstream, "kind" | "baseUrl" | "options"> {
  readonly credentials: readonly { readonly secret: string }[];
}

export function scrubbedOf({ kind, baseUrl, options, credentials }: Upstream): ScrubbedUpstream {
  return { kind, baseUrl, options, credentials: credentials.map(({ secret }) => ({ secret })) };
}

export function createScrubber(upstreams: readonly ScrubbedUpstream[]): Scrubber {
  const urls = upstreams.flatMap(({ baseUrl, options }) =>
    [baseUrl, options?.proxy?.value ?? []].flat().map(namesOfUrl),
  );
  const held = upstreams.flatMap(({ kind, credentials }) =>
    credentials.map(
      ({ secret }) => kindOf(kind)?.heldIn?.(secret) ?? { secrets: [secret], urls: [], names: [] },
    ),
  );
  const options = upstreams.flatMap((upstream) => (upstream.options ? optionSecrets(upstream.options) : []));
  const secrets = openSecretFinder([...held.flatMap((each) => each.secrets), ...options.filter(isNoWord)]);
  const projects = upstreams.flatMap(({ options }) => options?.place?.project ?? []);
  const names = [
    ...held.flatMap((each) => [...each.urls.map(namesOfUrl), { words: each.names, plainHosts: [] }]),
    { words: projects, plainHosts: [] },
  ];
  const redactions = [...redactionsOf([...urls, ...names]), ...ACCOUNT_PATTERNS];

  function asWritten(text: string): string {
    let shown = withoutSpans(text, secrets.find(text));
    for (const [pattern, instead] of redactions) shown = shown.replace(pattern, instead);
    return shown;
  }

  /**
   * Where another way of writing hides something, or a part of it, the text is told as it reads without that: in the reading
   * that holds most of our secrets, as one that goes on may take a part of one for another escape.
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

  function value(given: unknown, depth = 0): unknown {
    if (typeof given === "string") return text(given);
    if (typeof given !== "object" || given === null || given instanceof Number) return given;
    if (depth >= MAX_DEPTH) return null;
    if (Array.isArray(given)) {
      const shown = given.map((each: unknown) => value(each, depth + 1));
      return shown.some((each, at) => each !== given[at]) ? shown : given;
    }
    const entries = Object.entries(given);
    const shown = entries.map(([name, each]) => [text(name), value(each, depth + 1)] as const);
    const isSame = shown.every(([name, each], at) => name === entries[at]?.[0] && each === entries[at]?.[1]);
    return isSame ? given : Object.fromEntries(shown);
  }

  return { text, value: (given) => value(given) };
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
