import { assert } from "../assert.ts";
import { type BareRule, bareNames, type CompiledBareRule, compileBare } from "./json-bare.ts";

/**
 * The values of a body to find, as data. A path is key names joined by dots, from the top: `model`,
 * `stream_options.include_usage`. Arrays are looked through: `tools.type` is the type of every tool. `**.` in front
 * means at any depth (`**.source.url`), `*` stands for any one key (`tools.*`). Names are compared with the body's keys
 * as decoded, so an escaped spelling is the same key.
 */
export interface Watch {
  readonly paths: readonly string[];
  /** The number of each path. */
  readonly numbers: ReadonlyMap<string, number>;
  /** Numbers of paths that may occur once only; a second occurrence is a fault. */
  readonly unique: ReadonlySet<number>;
  /** Numbers of paths of which only the first MAX_VALUES_PER_PATH occurrences are found: bodies may have thousands of them. */
  readonly few: ReadonlySet<number>;
  /** All names that occur in paths; a name's number is its index. */
  readonly names: readonly string[];
  /** No key that takes more bytes, even with every character escaped, is one of the names. */
  readonly longestKeyBytes: number;
  /**
   * The number of the name that equals these bytes; names.length where none does. With `foldsCase` a key that equals a name in
   * all but case has a number behind that one.
   */
  nameAt(bytes: Buffer, start: number, end: number): number;
  nameOf(decoded: string): number;
  readonly root: WatchNode;
  /** The rule of paths of whose ids only those of bare objects are found. */
  readonly bare: CompiledBareRule | undefined;
}

/** The paths that may still match inside of one object: a state of the automaton that all paths were compiled into. */
export interface WatchNode {
  /** Nothing can match in here, however deep: keys need no look-up. */
  readonly idle: boolean;
  /** The watch's rule for bare objects judges those in here. */
  readonly judged: boolean;
  /** The steps by the number of the key. */
  readonly steps: readonly WatchStep[];
}

/** The meaning of one key: the paths it completes and the state inside its value. */
interface WatchStep {
  readonly matched: readonly number[];
  readonly inside: WatchNode;
  /** The name that this key equals in all but case, where no key may. */
  readonly refusedFor: string | undefined;
}

export interface WatchTerms {
  /** Paths that may occur once only. */
  readonly unique?: readonly string[];
  readonly bare?: BareRule | undefined;
  /** Further paths, of which only the first MAX_VALUES_PER_PATH occurrences are found. */
  readonly few?: readonly string[];
  /**
   * Somebody who reads the body may take `MODEL` for `model`. Such a key is a fault where a path leads by names alone; behind
   * `**` and `*`, where anybody's data may stand, it is found as one more occurrence. Paths of `few` are exempt.
   */
  readonly foldsCase?: boolean;
}

/** Compiles paths once per kind of body; the result is shared by all its scans. */
export function compileWatch(
  paths: readonly string[],
  { unique = [], bare, few = [], foldsCase = false }: WatchTerms = {},
): Watch {
  const all = [...paths, ...(bare === undefined ? [] : [bare.id])];
  const patterns = [
    ...[...new Set(all)].map((path) => parsePath(path)),
    ...[...new Set(few)].filter((path) => !all.includes(path)).map((path) => parsePath(path, true)),
  ];
  const spelled = [...patterns.flatMap((pattern) => pattern.names), ...(bare ? bareNames(bare) : [])];
  const names = [...new Set(spelled)].filter((name) => name !== "*");
  const barePath = bare === undefined ? -1 : indexOfPath(patterns, bare.id);
  const longest = Math.max(0, ...names.map((name) => name.length));
  const numbers = new Map(names.map((name, number) => [name, number]));
  const folded = foldsCase ? [...new Set(names.map(foldCase))] : [];
  const foldedNumbers = new Map(folded.map((name, index) => [name, names.length + 1 + index]));
  const buckets = bucketsOf(names, foldedNumbers);
  const nameOf = (decoded: string): number =>
    numbers.get(decoded) ?? foldedNumbers.get(foldCase(decoded)) ?? names.length;

  return {
    paths: patterns.map((pattern) => pattern.path),
    numbers: new Map(patterns.map((pattern, number) => [pattern.path, number])),
    unique: new Set(unique.map((path) => indexOfPath(patterns, path))),
    few: new Set(patterns.flatMap(({ isFew }, number) => (isFew ? [number] : []))),
    names,
    longestKeyBytes: longest * ESCAPED_BYTES,
    root: compile(patterns, {
      names,
      folded,
      namesOfBare: bare === undefined ? [] : bareNames(bare),
      barePath,
    }),
    bare: bare && compileBare(bare, barePath, names),
    nameAt(bytes, start, end) {
      const bucket = buckets[bucketOf(bytes[start] ?? 0, end - start)];
      if (bucket !== undefined) {
        for (const candidate of bucket) if (sameBytes(candidate.bytes, bytes, start)) return candidate.number;
        if (foldsCase)
          for (const candidate of bucket)
            if (sameButForCase(candidate.lower, bytes, start)) return candidate.foldedNumber;
      }
      // Some letters of other lengths fold to ASCII.
      if (foldsCase)
        for (let at = start; at < end; at += 1)
          if ((bytes[at] as number) >= 0x80) return nameOf(bytes.toString("utf8", start, end));
      return names.length;
    },
    nameOf,
  };
}

/** Folds as readers do who ignore case: the Kelvin sign is a k, and the long s an s. */
function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}

/** `\u0061` is the longest spelling of an ASCII character. */
const ESCAPED_BYTES = 6;

interface Pattern {
  readonly path: string;
  readonly names: readonly string[];
  readonly anywhere: boolean;
  /** So many of its names lead by themselves, with no `**` or `*` before them. */
  readonly firm: number;
  /** Nobody wants more than the first few occurrences. */
  readonly isFew: boolean;
}

function parsePath(path: string, isFew = false): Pattern {
  const anywhere = path.startsWith("**.");
  const names = (anywhere ? path.slice(3) : path).split(".");
  assert(
    names.every((name) => /^(\*|[\x21-\x7e]{1,128})$/.test(name)),
    `"${path}" is no path to watch`,
  );
  const firm = anywhere ? 0 : [...names, "*"].indexOf("*");
  return { path, names, anywhere, firm, isFew };
}

function indexOfPath(patterns: readonly Pattern[], path: string): number {
  const index = patterns.findIndex((pattern) => pattern.path === path);
  assert(index >= 0, `"${path}" is not watched`);
  return index;
}

interface Candidate {
  readonly bytes: Uint8Array;
  readonly lower: Uint8Array;
  readonly number: number;
  readonly foldedNumber: number;
}

/** The names by length and first letter, in any case: most keys that are no name meet no candidate. */
function bucketsOf(
  names: readonly string[],
  foldedNumbers: ReadonlyMap<string, number>,
): readonly (readonly Candidate[] | undefined)[] {
  const longest = Math.max(0, ...names.map((name) => name.length));
  const buckets = new Array<Candidate[] | undefined>(bucketOf(0, longest + 1)).fill(undefined);
  names.forEach((name, number) => {
    const bytes = Buffer.from(name);
    const lower = foldCase(name);
    const foldedNumber = foldedNumbers.get(lower) ?? names.length;
    const at = bucketOf(bytes[0] ?? 0, bytes.length);
    const bucket = buckets[at] ?? [];
    bucket.push({ bytes, lower: Buffer.from(lower), number, foldedNumber });
    buckets[at] = bucket;
  });
  return buckets;
}

function bucketOf(first: number, length: number): number {
  return length * 32 + (first & 31);
}

function sameBytes(wanted: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < wanted.length; index += 1) {
    if (wanted[index] !== bytes[start + index]) return false;
  }
  return true;
}

function sameButForCase(lower: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < lower.length; index += 1) {
    if (lower[index] !== LOWER[bytes[start + index] as number]) return false;
  }
  return true;
}

const LOWER = new Uint8Array(256).map((_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte));

/** The progress of each path: its number and the number of its names that have matched. */
type Progress = readonly (readonly [pattern: number, matched: number])[];

interface Spellings {
  readonly names: readonly string[];
  /** The same with their case folded; [] = cases are told apart. */
  readonly folded: readonly string[];
  readonly namesOfBare: readonly string[];
  readonly barePath: number;
}

/** Subset construction: every set of half-followed paths that can occur becomes one node. */
function compile(
  patterns: readonly Pattern[],
  { names, folded, namesOfBare, barePath }: Spellings,
): WatchNode {
  const nodes = new Map<string, WatchNode>();
  const anywhere: Progress = patterns.flatMap((pattern, number) => (pattern.anywhere ? [[number, 0]] : []));

  const nodeOf = (progress: Progress): WatchNode => {
    const key = progress.map((at) => at.join(":")).join(" ");
    const known = nodes.get(key);
    if (known) return known;
    const steps: WatchStep[] = [];
    const lastOfBare = (patterns[barePath]?.names.length ?? 0) - 1;
    const judged = progress.some(([number, done]) => number === barePath && done === lastOfBare);
    const node = { idle: progress.length === 0, judged, steps };
    nodes.set(key, node);
    const awaited = new Set(progress.map(([number, done]) => patterns[number]?.names[done]));
    if (judged) for (const name of namesOfBare) awaited.add(name);
    for (const name of names) {
      const isAwaited = folded.length === 0 || awaited.has(name);
      // It may be the name of something else that another one here equals in all but case.
      steps.push(
        isAwaited ? stepOf(progress, (one) => one === name) : foldedStepOf(progress, foldCase(name), judged),
      );
    }
    steps.push(stepOf(progress, () => false));
    for (const name of folded) steps.push(foldedStepOf(progress, name, judged));
    return node;
  };

  /** The step of a key that is `*` and whatever `leads` says of a name. */
  const stepOf = (
    progress: Progress,
    leads: (name: string, pattern: Pattern, done: number) => boolean,
  ): WatchStep => {
    const matched: number[] = [];
    const next: (readonly [number, number])[] = [...anywhere];
    for (const [number, done] of progress) {
      const pattern = patterns[number];
      const expected = pattern?.names[done];
      if (pattern === undefined || expected === undefined) continue;
      if (expected !== "*" && !leads(expected, pattern, done)) continue;
      if (done + 1 === pattern.names.length) matched.push(number);
      else next.push([number, done + 1]);
    }
    next.sort(([a, aDone], [b, bDone]) => a - b || aDone - bDone);
    return { matched, inside: nodeOf(next), refusedFor: undefined };
  };

  /** The step of a key that is none of the names awaited here, but may equal one in all but case. */
  const foldedStepOf = (progress: Progress, foldedName: string, judged: boolean): WatchStep => {
    let refusedFor = judged ? namesOfBare.find((name) => foldCase(name) === foldedName) : undefined;
    const step = stepOf(progress, (name, { firm, isFew }, done) => {
      if (isFew || foldCase(name) !== foldedName) return false;
      if (done < firm) refusedFor = name;
      return done >= firm;
    });
    return { ...step, refusedFor };
  };

  return nodeOf(patterns.map((_, number) => [number, 0]));
}
