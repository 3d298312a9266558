import type { Catalog, Upstream } from "../../catalog/catalog.ts";
import { optionSecrets } from "../../catalog/upstream-options.ts";
import { accessSecrets } from "../access/known-access.ts";
import type { Candidate } from "../call.ts";
import { kindOf } from "../kinds.ts";
import { namesOfUrl, redactionsOf } from "./scrub-names.ts";
import { ACCOUNT_PATTERNS } from "./scrub-patterns.ts";
import { openSecretFinder } from "./scrub-secrets.ts";
import { openTextScrubber } from "./scrub-text.ts";
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

/** The fields of an upstream that a scrubber reads: plain data, for a worker. */
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

  return scrubberBy(openTextScrubber(secrets, redactions));
}

/** The same with what this candidate's vendor was sent in place of the credential: an access token, of which parts tell as much. */
export function scrubberAt(catalog: KnownUpstreams, { credential }: Pick<Candidate, "credential">): Scrubber {
  const known = scrubberOf(catalog);
  const tokens = accessSecrets(credential) ?? [];
  if (tokens.length === 0) return known;
  const scrub = openTextScrubber(openSecretFinder(tokens), []);
  return scrubberBy((text) => scrub(known.text(text)));
}

function scrubberBy(text: Scrubber["text"]): Scrubber {
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
