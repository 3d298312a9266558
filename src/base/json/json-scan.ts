import { assert } from "../assert.ts";
import { Utf8Check } from "../utf8.ts";
import { BareJudge } from "./json-bare.ts";
import { differsInCase, JsonFault } from "./json-fault.ts";
import { JsonLexer, type JsonSink, type JsonType, type TokenText } from "./json-lexer.ts";
import { compileWatch, type Watch, type WatchNode } from "./json-watch.ts";

/**
 * Reads a JSON body as its chunks arrive, cut anywhere, without joining them and without building
 * values. `write` and `end` throw JsonFault for a body that must be refused; after that the scan is over.
 */
export interface BodyScanner {
  write(chunk: Uint8Array): void;
  /** Values of what was written, at any depth, but for the last one of each container that is still open. */
  readonly values: number;
  /** No more bytes. */
  end(): BodyScan;
}

/** The found values of a body that is a valid JSON object. */
export interface BodyScan {
  /** Bytes of the whole body. */
  readonly length: number;
  /** Values in it, at any depth: what parsing it costs, whatever its length. */
  readonly values: number;
  /** The body itself: range, number of members. */
  readonly root: { readonly start: number; readonly end: number; readonly items: number };
  /** The watched paths that occur, each once. */
  readonly present: readonly string[];
  /** Occurrences of a watched path in the order of the body, at most MAX_KEPT of them. */
  all(path: string): readonly FoundValue[];
  /** True if the path was looked for. */
  watches(path: string): boolean;
  /** The number of times that the path occurs; more than `all` returns if it occurs absurdly often. */
  count(path: string): number;
  /** The last occurrence, which is the one that parsers take. */
  last(path: string): FoundValue | undefined;
}

/** One value of a watched path. Offsets are bytes from the body's start; ranges are [start, end). */
export interface FoundValue {
  /** Its key, decoded. */
  readonly name: string;
  readonly type: JsonType;
  readonly start: number;
  readonly end: number;
  /** A scalar's value; undefined for objects, arrays and strings longer than MAX_TEXT_BYTES. */
  readonly value: string | number | boolean | null | undefined;
  /** The first characters of a string, decoded: enough for a scheme and a media type. */
  readonly head: string;
  /** Elements of an array, members of an object; else 0. */
  readonly items: number;
  /** Range of the key with its quotes. */
  readonly keyStart: number;
  readonly keyEnd: number;
  /** The comma before the key, or -1 for an object's first member. */
  readonly commaBefore: number;
  /** Top-level fields only: where the next field's key starts, or -1 for the last field. */
  readonly nextKeyStart: number;
  /** Start of the object it stands in: siblings share it. */
  readonly parent: number;
}

/** Longer strings are not decoded: no field that the gateway reads is longer. */
export const MAX_TEXT_BYTES = 1024;

/** If a path occurs more often, the first ones and the last are kept: this bounds memory, far above any real use. */
export const MAX_KEPT = 1024;

/** Enough to know how a conversation begins. */
export const MAX_VALUES_PER_PATH = 8;

/** A scanner for one body. One that has read its body to the end is as new and reads another one's next. */
export function createBodyScan(watch: Watch): BodyScanner {
  const scanner = spare.pop() ?? new Scanner();
  scanner.begin(watch);
  return scanner;
}

/** The number of bodies that one turn of the event loop brings on a busy day. */
const MAX_SPARE = 64;
const spare: Scanner[] = [];

class Scanner implements BodyScanner {
  private readonly collector = new Collector();
  private readonly lexer = new JsonLexer(this.collector);
  private readonly utf8 = new Utf8Check();
  private length = 0;

  begin(watch: Watch): void {
    this.collector.begin(watch);
    this.length = 0;
  }

  write(chunk: Uint8Array): void {
    const { utf8 } = this;
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    try {
      this.lexer.write(bytes);
    } catch (fault) {
      // The earlier fault is told, so that the response does not depend on where the chunks were cut.
      if (fault instanceof JsonFault) {
        refuseBadUtf8(utf8.write(bytes.subarray(0, Math.max(0, fault.offset - this.length))));
        refuseBadUtf8(utf8.end());
      }
      throw fault;
    }
    refuseBadUtf8(utf8.write(bytes));
    this.length += bytes.length;
  }

  get values(): number {
    return this.lexer.values;
  }

  end(): BodyScan {
    refuseBadUtf8(this.utf8.end());
    const { values } = this.lexer;
    this.lexer.end();
    const scan = this.collector.end(this.length, values);
    if (spare.length < MAX_SPARE) spare.push(this);
    return scan;
  }
}

function refuseBadUtf8(offset: number): void {
  if (offset >= 0) throw new JsonFault("utf8", offset, `The body is not valid UTF-8 at byte ${offset}.`);
}

/** The occurrences of one path. */
interface Occurrences {
  /** Its number in the watch. */
  readonly path: number;
  count: number;
  readonly kept: Draft[];
}

type Draft = { -readonly [field in keyof FoundValue]: FoundValue[field] };

class Findings implements BodyScan {
  readonly length: number;
  readonly values: number;
  readonly root: BodyScan["root"];
  readonly present: readonly string[];
  private readonly numbers: Watch["numbers"];
  private readonly found: readonly Occurrences[];

  constructor(length: number, values: number, root: BodyScan["root"], watch: Watch, found: Occurrences[]) {
    this.length = length;
    this.values = values;
    this.root = root;
    this.present = found.map(({ path }) => watch.paths[path] ?? "");
    this.numbers = watch.numbers;
    this.found = found;
  }

  all(path: string): readonly Draft[] {
    return this.occurrences(path)?.kept ?? NO_DRAFTS;
  }

  watches(path: string): boolean {
    return this.numbers.has(path);
  }

  count(path: string): number {
    return this.occurrences(path)?.count ?? 0;
  }

  last(path: string): Draft | undefined {
    const kept = this.occurrences(path)?.kept;
    return kept?.[kept.length - 1];
  }

  /** A body mostly has a handful of the possible paths, and searching those is faster than a map. */
  private occurrences(path: string): Occurrences | undefined {
    const number = this.numbers.get(path);
    for (const occurrences of this.found) if (occurrences.path === number) return occurrences;
    return undefined;
  }
}

/** Picks the watched values out of what the lexer tells, of one body after the other. */
class Collector implements JsonSink {
  wantsScalar = false;
  private watch = NO_WATCH;
  private found: Occurrences[] = [];
  /** The path's place in `found` by its number, counted from 1; 0 = none. */
  private readonly places: number[] = [];
  private root: BodyScan["root"] = NO_ROOT;

  // The container that is open: what is awaited in it, where it starts, and its record if it is wanted.
  private node: WatchNode = NO_WATCH.root;
  private start = 0;
  private draft: Draft | undefined;
  private readonly outerNodes: WatchNode[] = [];
  private readonly outerStarts: number[] = [];
  private readonly outerDrafts: (Draft | undefined)[] = [];

  private readonly judge = new BareJudge<Draft>((id, more) => this.findBare(id, more));

  // The key whose value comes next; `inside` is undefined where the next value has none.
  private inside: WatchNode | undefined;
  private matched: readonly number[] = NO_MATCH;
  private name = "";
  private keyStart = 0;
  private keyEnd = 0;
  private commaBefore = -1;
  private lastTop: Draft | undefined;

  begin(watch: Watch): void {
    this.watch = watch;
    this.node = watch.root;
    this.judge.begin(watch.bare);
    this.inside = undefined;
    this.wantsScalar = false;
    while (this.places.length < watch.paths.length) this.places.push(0);
  }

  key(text: TokenText, start: number, end: number, commaBefore: number): void {
    if (this.outerNodes.length === 1 && this.lastTop !== undefined) {
      this.lastTop.nextKeyStart = start;
      this.lastTop = undefined;
    }
    if (this.node.idle) {
      this.inside = this.node;
      return;
    }
    const number = this.nameOf(text, end - start - 2);
    const step = this.node.steps[number];
    assert(step !== undefined, "a node of the watch has a step for every name");
    if (step.refusedFor !== undefined) {
      // At its end, since a letter of it may be cut by a chunk's end.
      throw differsInCase(decodeText(text, MAX_TEXT_BYTES), step.refusedFor, end - 1);
    }
    this.inside = step.inside;
    const matched = this.isEnough(step.matched) ? NO_MATCH : step.matched;
    this.matched = matched;
    this.wantsScalar = matched.length > 0 || this.node.judged;
    if (this.node.judged) this.judge.member(number);
    if (matched.length === 0) return;
    this.name = this.watch.names[number] ?? decodeText(text, HEAD_BYTES);
    this.keyStart = start;
    this.keyEnd = end;
    this.commaBefore = commaBefore;
    this.refuseRepeated(start);
  }

  scalar(type: JsonType, start: number, end: number, text: TokenText | undefined): void {
    this.wantsScalar = false;
    if (this.node.judged) this.tellJudge(type, end - start, text);
    if (this.matched.length === 0) return;
    const draft = this.record(type, start);
    draft.end = end;
    if (type === "string" && text !== undefined) {
      const isShort = end - start - 2 <= MAX_TEXT_BYTES;
      const decoded = decodeText(text, isShort ? MAX_TEXT_BYTES : HEAD_BYTES);
      draft.head = decoded.slice(0, HEAD_CHARACTERS);
      if (isShort) draft.value = decoded;
    } else if (type === "number" && text !== undefined) {
      draft.value =
        end - start > MAX_TEXT_BYTES
          ? Number.NaN
          : Number(text.bytes.toString("latin1", text.start, text.end));
    } else {
      draft.value = type === "null" ? null : end - start === "true".length;
    }
  }

  open(type: "object" | "array", start: number): void {
    const draft = this.wantsScalar && this.matched.length > 0 ? this.record(type, start) : undefined;
    if (this.wantsScalar && this.node.judged) this.judge.value(type, false, undefined);
    this.wantsScalar = false;
    this.outerNodes.push(this.node);
    this.outerStarts.push(this.start);
    this.outerDrafts.push(this.draft);
    this.draft = draft;
    // An array is looked through: what is awaited in it is awaited in its elements.
    this.node = this.inside ?? this.node;
    this.inside = undefined;
    this.start = start;
    if (this.node.judged) this.judge.open(type);
  }

  close(end: number, items: number): void {
    if (this.draft !== undefined) {
      this.draft.end = end;
      this.draft.items = items;
    }
    if (this.outerNodes.length === 1) this.root = { start: this.start, end, items };
    this.inside = undefined;
    if (this.node.judged) this.judge.close();
    this.node = this.outerNodes.pop() ?? this.node;
    if (items === 0 && this.node.judged) this.judge.emptied();
    this.start = this.outerStarts.pop() ?? 0;
    this.draft = this.outerDrafts.pop();
  }

  /** Gives what was found, and keeps nothing of it. */
  end(length: number, values: number): BodyScan {
    const { watch, found } = this;
    for (const { path } of found) this.places[path] = 0;
    this.found = [];
    this.lastTop = undefined;
    return new Findings(length, values, this.root, watch, found);
  }

  private tellJudge(type: JsonType, length: number, text: TokenText | undefined): void {
    const { judge } = this;
    const kind =
      judge.tellsKind && type === "string" && text !== undefined ? decodeText(text, HEAD_BYTES) : undefined;
    judge.value(type, type === "string" && length === '""'.length, kind);
  }

  /** The key's number in the watch; most keys are compared as they stand. */
  private nameOf(text: TokenText, rawLength: number): number {
    const { watch } = this;
    if (rawLength > watch.longestKeyBytes) return watch.names.length;
    return text.escaped
      ? watch.nameOf(decodeText(text, MAX_TEXT_BYTES))
      : watch.nameAt(text.bytes, text.start, text.end);
  }

  /** Nothing is wanted of this key any more: its only path has the few occurrences that are looked at. */
  private isEnough(matched: readonly number[]): boolean {
    const [path] = matched;
    if (path === undefined || matched.length > 1 || !this.watch.few.has(path)) return false;
    return (this.found[(this.places[path] ?? 0) - 1]?.count ?? 0) >= MAX_VALUES_PER_PATH;
  }

  private refuseRepeated(keyStart: number): void {
    for (const path of this.matched) {
      if (!this.watch.unique.has(path) || this.places[path] === 0) continue;
      const message = `The body has the field "${this.name}" twice; send it once.`;
      throw new JsonFault("duplicate", keyStart, message, this.name);
    }
  }

  private record(type: JsonType, start: number): Draft {
    const draft: Draft = {
      name: this.name,
      type,
      start,
      end: start,
      value: undefined,
      head: "",
      items: 0,
      keyStart: this.keyStart,
      keyEnd: this.keyEnd,
      commaBefore: this.commaBefore,
      nextKeyStart: -1,
      parent: this.start,
    };
    for (const path of this.matched) if (!this.judge.keep(path, draft)) this.find(path, draft);
    if (this.outerNodes.length === 1) this.lastTop = draft;
    return draft;
  }

  private find(path: number, draft: Draft, times = 1): void {
    const known = this.found[(this.places[path] ?? 0) - 1];
    if (known === undefined) {
      this.places[path] = this.found.push({ path, count: times, kept: [draft] });
      return;
    }
    known.count += times;
    if (known.kept.length === MAX_KEPT) known.kept.pop();
    known.kept.push(draft);
  }

  private findBare(draft: Draft, more: number): void {
    if (this.watch.bare !== undefined) this.find(this.watch.bare.path, draft, 1 + more);
  }
}

const NO_WATCH = compileWatch([]);
const NO_ROOT = { start: 0, end: 0, items: 0 };
const NO_MATCH: readonly number[] = [];
const NO_DRAFTS: readonly Draft[] = [];

/** Enough for `data:` and any media type, or a scheme and a host, even where every character is escaped. */
const HEAD_CHARACTERS = 64;
const HEAD_BYTES = HEAD_CHARACTERS * 6;

/** The text of a string, of which at most `limitBytes` are read; an escape cut by the limit is left out. */
export function decodeText(text: TokenText, limitBytes: number): string {
  const raw = text.bytes.toString("utf8", text.start, Math.min(text.end, text.start + limitBytes));
  if (!text.escaped) return raw;
  const whole = /^(?:[^\\]|\\u[0-9a-fA-F]{4}|\\[^u])*/.exec(raw)?.[0] ?? "";
  return JSON.parse(`"${whole}"`) as string;
}
