import { assert } from "../assert.ts";
import { type BareRule, bareNames, type CompiledBareRule, compileBare } from "./json-bare.ts";

/**
 * Which values of a body are wanted, as data. A path is key names joined by dots, from the top:
 * `model`, `stream_options.include_usage`. Arrays are looked through: `tools.type` is the type of every
 * tool. `**.` in front means at any depth (`**.source.url`), `*` stands for any one key (`tools.*`).
 * Names are compared with the body's keys as decoded, so an escaped spelling is the same key.
 */
export interface Watch {
  readonly paths: readonly string[];
  /** The number of each path. */
  readonly numbers: ReadonlyMap<string, number>;
  /** Numbers of paths that may occur once only; a second occurrence is a fault. */
  readonly unique: ReadonlySet<number>;
  /** Numbers of paths of which only the first FEW occurrences are found: bodies may have thousands of them. */
  readonly few: ReadonlySet<number>;
  /** All names that occur in paths; a name's number is its index. */
  readonly names: readonly string[];
  /** No key that takes more bytes, even with every character escaped, is one of the names. */
  readonly longestKeyBytes: number;
  /** The number of the name that equals these bytes; names.length where none does. */
  nameAt(bytes: Uint8Array, start: number, end: number): number;
  nameOf(decoded: string): number;
  readonly root: WatchNode;
  /** Of whose ids only those of bare objects are found. */
  readonly bare: CompiledBareRule | undefined;
}

/** What is still awaited inside one object: a state of the automaton that all paths were compiled into. */
export interface WatchNode {
  /** Nothing can match in here, however deep: keys need no look-up. */
  readonly idle: boolean;
  /** The watch's rule for bare objects judges those in here. */
  readonly judged: boolean;
  /** By number of the key's name. */
  readonly steps: readonly WatchStep[];
}

/** What one key means: the paths it completes and the state inside its value. */
interface WatchStep {
  readonly matched: readonly number[];
  readonly inside: WatchNode;
}

/** Compiles paths once per kind of body; the result is shared by all its scans. */
export function compileWatch(
  paths: readonly string[],
  unique: readonly string[] = [],
  bare?: BareRule,
  few: readonly string[] = [],
): Watch {
  const all = [...paths, ...few, ...(bare === undefined ? [] : [bare.id])];
  const patterns = [...new Set(all)].map(parsePath);
  const spelled = [...patterns.flatMap((pattern) => pattern.names), ...(bare ? bareNames(bare) : [])];
  const names = [...new Set(spelled)].filter((name) => name !== "*");
  const barePath = bare === undefined ? -1 : indexOfPath(patterns, bare.id);
  const longest = Math.max(0, ...names.map((name) => name.length));
  const byLength = bucketsByLength(names, longest);
  const numbers = new Map(names.map((name, number) => [name, number]));

  return {
    paths: patterns.map((pattern) => pattern.path),
    numbers: new Map(patterns.map((pattern, number) => [pattern.path, number])),
    unique: new Set(unique.map((path) => indexOfPath(patterns, path))),
    // What somebody wants all of stays so.
    few: new Set(few.filter((path) => !paths.includes(path)).map((path) => indexOfPath(patterns, path))),
    names,
    longestKeyBytes: longest * ESCAPED_BYTES,
    root: compile(patterns, names, barePath),
    bare: bare && compileBare(bare, barePath, names),
    nameAt(bytes, start, end) {
      const bucket = byLength[end - start];
      if (bucket === undefined) return names.length;
      for (const candidate of bucket) {
        if (sameBytes(candidate.bytes, bytes, start)) return candidate.number;
      }
      return names.length;
    },
    nameOf: (decoded) => numbers.get(decoded) ?? names.length,
  };
}

/** `\u0061` is the longest spelling of an ASCII character. */
const ESCAPED_BYTES = 6;

interface Pattern {
  readonly path: string;
  readonly names: readonly string[];
  readonly anywhere: boolean;
}

function parsePath(path: string): Pattern {
  const anywhere = path.startsWith("**.");
  const names = (anywhere ? path.slice(3) : path).split(".");
  assert(
    names.every((name) => /^(\*|[\x21-\x7e]{1,128})$/.test(name)),
    `"${path}" is no path to watch`,
  );
  return { path, names, anywhere };
}

function indexOfPath(patterns: readonly Pattern[], path: string): number {
  const index = patterns.findIndex((pattern) => pattern.path === path);
  assert(index >= 0, `"${path}" is not watched`);
  return index;
}

interface Candidate {
  readonly bytes: Uint8Array;
  readonly number: number;
}

function bucketsByLength(names: readonly string[], longest: number): (Candidate[] | undefined)[] {
  const buckets = new Array<Candidate[] | undefined>(longest + 1).fill(undefined);
  names.forEach((name, number) => {
    const bucket = buckets[name.length] ?? [];
    bucket.push({ bytes: Buffer.from(name), number });
    buckets[name.length] = bucket;
  });
  return buckets;
}

function sameBytes(wanted: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < wanted.length; index += 1) {
    if (wanted[index] !== bytes[start + index]) return false;
  }
  return true;
}

/** How far each path has been followed: path number and how many of its names have matched. */
type Progress = readonly (readonly [pattern: number, matched: number])[];

/** Subset construction: every set of half-followed paths that can occur becomes one node. */
function compile(patterns: readonly Pattern[], names: readonly string[], barePath: number): WatchNode {
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
    for (const name of [...names, undefined]) steps.push(stepOf(progress, name));
    return node;
  };

  /** `name` is undefined for every key that is none of the names. */
  const stepOf = (progress: Progress, name: string | undefined): WatchStep => {
    const matched: number[] = [];
    const next: (readonly [number, number])[] = [...anywhere];
    for (const [number, done] of progress) {
      const pattern = patterns[number];
      const expected = pattern?.names[done];
      if (pattern === undefined || (expected !== "*" && expected !== name)) continue;
      if (done + 1 === pattern.names.length) matched.push(number);
      else next.push([number, done + 1]);
    }
    next.sort(([a, aDone], [b, bDone]) => a - b || aDone - bDone);
    return { matched, inside: nodeOf(next) };
  };

  return nodeOf(patterns.map((_, number) => [number, 0]));
}
