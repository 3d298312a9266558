import type { BodyScan, FoundValue } from "./json-scan.ts";

/** Replaces the bytes [start, end) of a body; start = end inserts. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly bytes: Uint8Array;
}

/**
 * The body with the edits made: views of the given chunks around the new bytes. Nothing is joined or
 * copied and no byte outside the edits changes. Edits may come in any order but must not overlap;
 * throws RangeError where they do or reach beyond the body.
 */
export function splice(chunks: readonly Buffer[], edits: readonly Edit[]): Buffer[] {
  const pieces: Buffer[] = [];
  let chunkIndex = 0;
  let chunkStart = 0;
  let position = 0;

  /** Goes on to `until`, keeping what it passes or not. */
  const advance = (until: number, kept: boolean): void => {
    while (position < until) {
      const chunk = chunks[chunkIndex];
      if (chunk === undefined) throw new RangeError(`an edit at ${until} is beyond the body`);
      const stop = Math.min(until, chunkStart + chunk.length);
      if (kept && stop > position) pieces.push(chunk.subarray(position - chunkStart, stop - chunkStart));
      position = stop;
      if (position === chunkStart + chunk.length) {
        chunkStart += chunk.length;
        chunkIndex += 1;
      }
    }
  };

  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (edit.start < position || edit.end < edit.start)
      throw new RangeError(`edits overlap at ${edit.start}`);
    advance(edit.start, true);
    if (edit.bytes.length > 0) pieces.push(asBuffer(edit.bytes));
    advance(edit.end, false);
  }
  for (; chunkIndex < chunks.length; chunkIndex += 1) {
    const chunk = chunks[chunkIndex] as Buffer;
    const rest = chunk.subarray(position - chunkStart);
    if (rest.length > 0) pieces.push(rest);
    chunkStart += chunk.length;
    position = chunkStart;
  }
  return pieces;
}

/** The bytes [start, end) of a body, as views of its chunks. */
export function slice(chunks: readonly Buffer[], { start, end }: Pick<Edit, "start" | "end">): Buffer[] {
  const pieces: Buffer[] = [];
  let chunkStart = 0;
  for (const chunk of chunks) {
    const from = Math.max(0, start - chunkStart);
    if (from < chunk.length && chunkStart < end) pieces.push(chunk.subarray(from, end - chunkStart));
    chunkStart += chunk.length;
  }
  return pieces;
}

/** The text of such bytes. */
export function textAt(chunks: readonly Buffer[], range: Pick<Edit, "start" | "end">): string {
  return Buffer.concat(slice(chunks, range)).toString("utf8");
}

/** The value of the body's only `model` becomes another name. */
export function replaceModel(scan: BodyScan, name: string): Edit[] {
  return scan.all("model").map((model) => replaceValue(model, JSON.stringify(name)));
}

/**
 * Asks for usage in a chat stream, whatever the caller said about it. Every duplicate is edited, since
 * parsers differ in which one they take. The scan must watch `stream_options` and its `include_usage`.
 */
export function addIncludeUsage(scan: BodyScan): Edit[] {
  return setMember(scan, ["stream_options"], "include_usage", true);
}

type Scalar = number | boolean | string;

/** Sets a top-level field, every duplicate of it. The scan must watch it. */
export function setField(scan: BodyScan, name: string, value: Scalar): Edit[] {
  return setWithin(scan.root, scan.all(name), name, value);
}

/**
 * Sets a field of a top-level object that has several names, in each that is there; else the object is added by the first of
 * them. The scan must watch the objects and the field in them.
 */
export function setMember(
  scan: BodyScan,
  objects: readonly [string, ...string[]],
  name: string,
  value: Scalar,
): Edit[] {
  const json = `{${JSON.stringify(name)}:${JSON.stringify(value)}}`;
  const edits = objects.flatMap((object) =>
    scan.all(object).flatMap((found) => {
      if (found.type !== "object") return [replaceValue(found, json)];
      const members = scan.all(`${object}.${name}`).filter((member) => member.parent === found.start);
      return setWithin(found, members, name, value);
    }),
  );
  if (objects.some((object) => scan.count(object) > 0)) return edits;
  return [insertFirst(scan.root, objects[0], json)];
}

function setWithin(
  object: BodyScan["root"],
  members: readonly FoundValue[],
  name: string,
  value: Scalar,
): Edit[] {
  const json = JSON.stringify(value);
  if (members.length === 0) return [insertFirst(object, name, json)];
  return members.filter((member) => member.value !== value).map((member) => replaceValue(member, json));
}

/** A field in front of all others of an object. */
function insertFirst({ start, items }: BodyScan["root"], name: string, json: string): Edit {
  return insert(start + 1, `${JSON.stringify(name)}:${json}${items > 0 ? "," : ""}`);
}

/** Takes a top-level field out, every duplicate of it, with the comma that it leaves over. */
export function removeField(scan: BodyScan, name: string): Edit[] {
  const fields = scan.all(name);
  const edits: Edit[] = [];
  for (let first = 0; first < fields.length; ) {
    // Neighbours go in one edit, because each edit takes one comma and they share one.
    let last = first;
    while (last + 1 < fields.length && fields[last]?.nextKeyStart === fields[last + 1]?.keyStart) last += 1;
    edits.push(removeRun(fields[first] as FoundValue, fields[last] as FoundValue));
    first = last + 1;
  }
  return edits;
}

function removeRun(first: FoundValue, last: FoundValue): Edit {
  const bytes = new Uint8Array(0);
  if (last.nextKeyStart >= 0) return { start: first.keyStart, end: last.nextKeyStart, bytes };
  return { start: first.commaBefore >= 0 ? first.commaBefore : first.keyStart, end: last.end, bytes };
}

/** Takes items out of a list, or members out of an object that are told from key to value: neighbours in one edit, each with one comma. */
export function removeItems(
  items: readonly Pick<Edit, "start" | "end">[],
  gone: ReadonlySet<number>,
): Edit[] {
  const edits: Edit[] = [];
  const bytes = new Uint8Array(0);
  for (let first = 0; first < items.length; first += 1) {
    if (!gone.has(first)) continue;
    let last = first;
    while (gone.has(last + 1)) last += 1;
    const next = items[last + 1];
    const before = items[first - 1];
    const start = next === undefined && before !== undefined ? before.end : (items[first]?.start ?? 0);
    edits.push({ start, end: next?.start ?? items[last]?.end ?? start, bytes });
    first = last;
  }
  return edits;
}

/** Takes members of objects out, at any depth, each with one comma. */
export function removeMembers(body: readonly Buffer[], members: readonly FoundValue[]): Edit[] {
  const edits: Edit[] = [];
  const bytes = new Uint8Array(0);
  const sorted = members.toSorted((a, b) => a.keyStart - b.keyStart);
  for (let at = 0; at < sorted.length; at += 1) {
    const first = sorted[at] as FoundValue;
    let { end } = first;
    if (first.commaBefore >= 0) {
      edits.push({ start: first.commaBefore, end, bytes });
      continue;
    }
    // An object's first members take the comma behind them, and neighbours share it.
    let comma = commaBehind(body, end);
    for (; comma >= 0 && sorted[at + 1]?.commaBefore === comma; at += 1) {
      end = (sorted[at + 1] as FoundValue).end;
      comma = commaBehind(body, end);
    }
    edits.push({ start: first.keyStart, end: comma >= 0 ? comma + 1 : end, bytes });
  }
  return edits;
}

/** Offset of the comma behind a value; -1 where it is the last one. */
function commaBehind(body: readonly Buffer[], end: number): number {
  let chunkStart = 0;
  for (const chunk of body) {
    for (let at = Math.max(0, end - chunkStart); at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === COMMA) return chunkStart + at;
      if (byte > SPACE) return -1;
    }
    chunkStart += chunk.length;
  }
  return -1;
}

/** Top-level fields in front of all others of the body, by their names, with their values as JSON text. */
export function insertFields({ root }: BodyScan, fields: readonly (readonly [string, string])[]): Edit[] {
  return fields.map(([name, json]) => insertFirst(root, name, json));
}

/** Gives a top-level field another name, every duplicate of it; its value stays as it is. */
export function renameField(scan: BodyScan, name: string, newName: string): Edit[] {
  return scan.all(name).map((field) => renameMember(field, newName));
}

/** Gives a member of an object another name; its value stays as it is. */
export function renameMember({ keyStart, keyEnd }: FoundValue, newName: string): Edit {
  return { start: keyStart, end: keyEnd, bytes: Buffer.from(JSON.stringify(newName)) };
}

/** A member right behind another one; `json` is its value. */
export function insertBehind({ end }: FoundValue, name: string, json: string): Edit {
  return insert(end, `,${JSON.stringify(name)}:${json}`);
}

/** Another value, as JSON text, in place of one that was found. */
export function replaceValue(value: FoundValue, json: string): Edit {
  return { start: value.start, end: value.end, bytes: Buffer.from(json) };
}

function insert(at: number, json: string): Edit {
  return { start: at, end: at, bytes: Buffer.from(json) };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

const COMMA = 0x2c;
const SPACE = 0x20;
