import { NAMING_STEPS, REDACTED, RESOURCE_HOSTS, type Redaction } from "./scrub-patterns.ts";

/** The operator's names in a base URL: its host, and the names in its path. */
export interface NamesOfUrl {
  /** Redacted as whole words wherever they stand, with a port behind them. */
  readonly words: readonly string[];
  /** Hosts that are words of the language too ("gateway"): redacted only where an address stands. */
  readonly plainHosts: readonly string[];
}

const NOTHING: NamesOfUrl = { words: [], plainHosts: [] };

/** Shorter steps of a path are versions and common words. */
const NAME_LETTERS = 8;

export function namesOfUrl(baseUrl: string): NamesOfUrl {
  if (!URL.canParse(baseUrl)) return NOTHING;
  const { hostname, pathname } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isPlain = /^[a-z]+$/.test(host) && host !== "localhost";
  const [resource = ""] = host.split(".");
  return {
    words: [
      ...(isPlain ? [] : [host]),
      ...(RESOURCE_HOSTS.some((rest) => rest.test(host)) ? [resource] : []),
      ...namesInPath(pathname),
    ].filter((name) => name !== ""),
    plainHosts: isPlain ? [host] : [],
  };
}

/** The pattern that redacts them all, or none where there are none. */
export function redactionsOf(names: readonly NamesOfUrl[]): readonly Redaction[] {
  const words = anyOf(names.flatMap((each) => each.words));
  const hosts = anyOf(names.flatMap(({ plainHosts }) => plainHosts));
  return [
    ...(words === ""
      ? []
      : [
          [
            new RegExp(`(?<![\\w-])\\[?(?:${words})(?![\\w-])\\]?(?::\\d{1,5}(?!\\d))?`, "gi"),
            REDACTED,
          ] as const,
        ]),
    ...(hosts === ""
      ? []
      : [
          [
            new RegExp(
              `((?://|@|\\b(?:host|address|server|to|at)\\W{1,3}))(?:${hosts})(?![\\w-])(?::\\d{1,5}(?!\\d))?`,
              "gi",
            ),
            `$1${REDACTED}`,
          ] as const,
          [new RegExp(`(?<![\\w-])(?:${hosts}):\\d{1,5}(?!\\d)`, "gi"), REDACTED] as const,
        ]),
  ];
}

/** Longer ones first, so that no part of a name is taken for the whole. */
function anyOf(names: readonly string[]): string {
  return [...new Set(names.map((name) => name.toLowerCase()))]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"))
    .join("|");
}

function namesInPath(pathname: string): readonly string[] {
  const steps = pathname.split("/").map(decoded);
  return steps.filter(
    (step, at) =>
      (step.length >= NAME_LETTERS && /\d/.test(step) && /^[\w.-]+$/.test(step)) ||
      (step.length >= 3 && NAMING_STEPS.has((steps[at - 1] ?? "").toLowerCase())),
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
