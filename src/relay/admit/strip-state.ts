import { appendAll } from "../../base/append-all.ts";
import { JsonLexer, type JsonSink, type JsonType, type TokenText } from "../../base/json/json-lexer.ts";
import { decodeText, MAX_TEXT_BYTES, MAX_VALUES_PER_PATH } from "../../base/json/json-scan.ts";
import { type Edit, removeItems } from "../../base/json/json-splice.ts";
import type { Loss } from "../../conversation/loss.ts";
import { GatewayError } from "../../errors.ts";
import type { StateRow, StateTable } from "../../protocols/carried-state.ts";
import type { TextRequest } from "../text-request.ts";

/** Returns the paths that a scan must watch to recognize requests that carry state. */
export function statePaths(table: StateTable): readonly string[] {
  return [...rowsByPath(table).keys()];
}

/** True if a request carries signed or encrypted state as its vendor gave it. Costs a look at what the scan has found. */
export function containsState({ protocol, scan }: TextRequest): boolean {
  for (const [path, row] of rowsByPath(protocol.forward.state)) {
    const found = scan.all(path);
    if (found.length === MAX_VALUES_PER_PATH) return true;
    if (found.some(({ type, value }) => type === "string" && value !== "" && !isReplacement(row, value)))
      return true;
  }
  return false;
}

/** The request without state that is not its reader's. */
export interface WithoutState {
  readonly edits: readonly Edit[];
  readonly losses: readonly Loss[];
  /** The number of values that were removed. */
  readonly count: number;
}

/** A body of more values is forwarded as it is: to find state in it would hold up everyone. */
const MAX_VALUES = 1_000_000;

/**
 * Takes the first `count` values of state out of a body, in the order in which they stand. It reads the body once more, which
 * only a conversation costs that has changed its place. Throws GatewayError where the request would become another.
 */
export function withoutState(request: TextRequest, count: number): WithoutState {
  const { scan, body, protocol } = request;
  if (scan.values > MAX_VALUES) return { edits: [], losses: [], count: 0 };
  const table = protocol.forward.state;
  const finder = new StateFinder(table);
  const lexer = new JsonLexer(finder);
  for (const chunk of body) lexer.write(chunk);
  lexer.end();
  const removed = finder.values().slice(0, count);
  for (const { row, object } of removed) {
    if (object.type === undefined || row.essential?.includes(object.type) !== true) continue;
    throw new GatewayError(
      "invalid_request",
      `\`${row.path}\` contains a history that only its upstream can read, and that upstream is unavailable; ` +
        "try again later, or send the history itself.",
      { param: row.path },
    );
  }
  const edits = editsOf(removed, table);
  const paths = [...new Set(removed.map(({ row }) => row.path))];
  const losses: Loss[] = paths.map((path) => ({ path, reason: "other-issuer" }));
  const { needsThoughts: needsReasoning } = table;
  const last = removed.at(-1);
  if (needsReasoning !== undefined && last !== undefined && last.object.start > finder.turnStart) {
    const field = scan.last(needsReasoning.field);
    if (field !== undefined && finder.thinking === needsReasoning.type) {
      edits.push({ start: field.start, end: field.end, bytes: Buffer.from(needsReasoning.replacement) });
      losses.push({ path: needsReasoning.field, reason: "weakened" });
    }
  }
  return { edits, losses, count: removed.length };
}

/** An object or a list that is read. */
interface Container {
  readonly isList: boolean;
  /** Names of keys joined by dots; lists are looked through. */
  readonly path: string;
  readonly start: number;
  readonly outer: Container | undefined;
  /** Its index among the items of `outer`. */
  readonly index: number;
  /** Elements, or members from key to value, as far as state may stand in them. */
  readonly items: { readonly start: number; end: number }[];
  readonly found: { readonly row: StateRow; readonly start: number; readonly end: number }[];
  type: string | undefined;
  role: string | undefined;
  /** The type of the first item of its content. */
  opensWith: string | undefined;
}

/** One value of state, and the object in which it stands. */
interface StateValue {
  readonly row: StateRow;
  readonly object: Container;
  readonly start: number;
  readonly end: number;
}

class StateFinder implements JsonSink {
  readonly wantsScalar = true;
  /** Start of the current turn: the last user message that isn't a tool result. */
  turnStart = -1;
  /** The type that the field says which needs thoughts. */
  thinking: string | undefined;
  readonly #rows: ReadonlyMap<string, StateRow>;
  /** Paths of all that state may stand in. */
  readonly #outer: ReadonlySet<string>;
  readonly #thinkingPath: string | undefined;
  readonly #values: StateValue[] = [];
  #container: Container | undefined;
  /** Containers that are open within one in which no state can stand. */
  #passedBy = 0;
  #key = "";
  #keyStart = 0;

  constructor(table: StateTable) {
    const { needsThoughts: needsReasoning } = table;
    this.#rows = rowsByPath(table);
    this.#outer = new Set(
      [
        ...this.#rows.keys(),
        ...(needsReasoning === undefined ? [] : [`${needsReasoning.field}.type`]),
      ].flatMap((path) => path.split(".").map((_, index, names) => names.slice(0, index).join("."))),
    );
    this.#thinkingPath = needsReasoning && `${needsReasoning.field}.type`;
  }

  /** In the order in which they stand. */
  values(): readonly StateValue[] {
    return this.#values.toSorted((a, b) => a.start - b.start);
  }

  key(text: TokenText, start: number): void {
    if (this.#passedBy > 0) return;
    this.#key = textOf(text);
    this.#keyStart = start;
  }

  scalar(type: JsonType, start: number, end: number, text: TokenText | undefined): void {
    const container = this.#container;
    if (container === undefined || this.#passedBy > 0) return;
    container.items.push({ start: container.isList ? start : this.#keyStart, end });
    if (type !== "string" || text === undefined || container.isList) return;
    const path = this.#path(container);
    const row = this.#rows.get(path);
    if (row !== undefined && end - start > '""'.length && !isReplacement(row, textOf(text)))
      container.found.push({ row, start, end });
    if (this.#key === "type") container.type = textOf(text);
    if (this.#key === "role") container.role = textOf(text);
    if (path === this.#thinkingPath) this.thinking = textOf(text);
  }

  open(type: "object" | "array", start: number): void {
    const outer = this.#container;
    const path = outer === undefined ? "" : this.#path(outer);
    if (outer !== undefined && this.#passedBy === 0)
      outer.items.push({ start: outer.isList ? start : this.#keyStart, end: start });
    if (this.#passedBy > 0 || !this.#outer.has(path)) {
      this.#passedBy += 1;
      return;
    }
    this.#container = {
      isList: type === "array",
      path,
      start,
      outer,
      index: (outer?.items.length ?? 0) - 1,
      items: [],
      found: [],
      type: undefined,
      role: undefined,
      opensWith: undefined,
    };
  }

  close(end: number): void {
    if (this.#passedBy > 0) {
      this.#passedBy -= 1;
      const item = this.#passedBy === 0 ? this.#container?.items.at(-1) : undefined;
      if (item !== undefined) item.end = end;
      return;
    }
    const container = this.#container;
    if (container === undefined) return;
    this.#container = container.outer;
    const item = container.outer?.items[container.index];
    if (item !== undefined) item.end = end;
    const message = container.outer?.outer;
    if (container.index === 0 && container.outer?.isList && message !== undefined && !message.isList)
      message.opensWith ??= container.type;
    if (container.role === "user" && container.opensWith !== "tool_result") this.turnStart = container.start;
    for (const { row, start, end: valueEnd } of container.found) {
      if (row.types !== undefined && !row.types.includes(container.type ?? "")) continue;
      this.#values.push({ row, object: container, start, end: valueEnd });
    }
  }

  #path(container: Container): string {
    if (container.isList) return container.path;
    return container.path === "" ? this.#key : `${container.path}.${this.#key}`;
  }
}

function editsOf(removed: readonly StateValue[], { neverEmpty }: StateTable): Edit[] {
  const edits: Edit[] = [];
  const gone = new Map<Container, Set<number>>();
  const take = (object: Container): void => {
    if (object.outer === undefined) return;
    gone.set(object.outer, (gone.get(object.outer) ?? new Set()).add(object.index));
  };
  for (const { row, object, start, end } of removed) {
    if (row.removes === "object") take(object);
    else edits.push({ start, end, bytes: Buffer.from(JSON.stringify(row.removes.replacement)) });
  }
  for (const [list, items] of [...gone]) {
    if (list.path !== neverEmpty || items.size < list.items.length || list.outer?.outer === undefined)
      continue;
    gone.delete(list);
    take(list.outer);
  }
  for (const [list, items] of gone) appendAll(edits, removeItems(list.items, items));
  return edits;
}

/** The rows by the paths at which a scan finds them; worked out once, as every request asks. */
function rowsByPath(table: StateTable): ReadonlyMap<string, StateRow> {
  let rows = known.get(table);
  if (rows === undefined) {
    rows = new Map(table.rows.map((row) => [row.path.replaceAll("[]", ""), row]));
    known.set(table, rows);
  }
  return rows;
}

const known = new WeakMap<StateTable, ReadonlyMap<string, StateRow>>();

function isReplacement({ removes }: StateRow, value: unknown): boolean {
  return removes !== "object" && removes.replacement === value;
}

function textOf(text: TokenText): string {
  return decodeText(text, MAX_TEXT_BYTES);
}
