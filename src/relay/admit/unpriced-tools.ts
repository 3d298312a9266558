import { appendAll } from "../../base/append-all.ts";
import { JsonLexer, type JsonSink } from "../../base/json/json-lexer.ts";
import { type BodyScan, createBodyScan, type FoundValue } from "../../base/json/json-scan.ts";
import {
  type Edit,
  removeField,
  removeItems,
  removeMembers,
  replaceValue,
  slice,
  splice,
  textAt,
} from "../../base/json/json-splice.ts";
import { compileWatch } from "../../base/json/json-watch.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import { type HostedTool, readFeatures, scannedPath, type ToolUse } from "../../protocols/body-features.ts";
import { familyOf, findTool, undated } from "../../usage/tool-names.ts";
import type { TextRequest } from "../text-request.ts";
import { tokenPricedModel } from "./additional-models.ts";
import { mayRequestPricedOptions } from "./priced-options.ts";
import { watchOf } from "./watch.ts";

/**
 * The request without the vendor's tools that have no price, where the operator wants them left out: their definitions are cut
 * out of the body, and nothing else of it changes. Throws GatewayError where the request needs such a tool. What can't be cut
 * stays, and is refused for its price.
 */
export function withoutUnpriced(request: TextRequest, catalog: Catalog, model: Model): TextRequest {
  if (catalog.settings.unpriced !== "drop" || !mayRequestPricedOptions(request, catalog, model))
    return request;
  const priced = Object.keys(model.price?.dimensions?.calls ?? {});
  const isUnpriced = (tool: string, hosted?: HostedTool): boolean =>
    findTool(priced, tool) === undefined &&
    (hosted === undefined || tokenPricedModel(hosted, request, catalog, model) === undefined);
  const cut = withoutTools(request, isUnpriced);
  if (cut === undefined) return request;
  const { compactionFallback } = request;
  const pricedFallback = compactionFallback && {
    ...compactionFallback,
    ...bodyOf(withoutTools({ ...request, ...compactionFallback }, isUnpriced)),
  };
  const named = cut.paths.slice(0, MAX_NAMED);
  const dropped = named.map((path) => ({ path, reason: "unpriced" as const }));
  return { ...request, ...bodyOf(cut), dropped, compactionFallback: pricedFallback };
}

/** More different tools nobody offers, and each is named in a header and in the request log. */
const MAX_NAMED = 50;

/** A body, and what was left out of it. */
interface Shortened extends Pick<TextRequest, "body" | "scan"> {
  readonly paths: readonly string[];
}

function bodyOf(cut: Shortened | undefined): Partial<Pick<TextRequest, "body" | "scan">> {
  return cut === undefined ? {} : { body: cut.body, scan: cut.scan };
}

/** To go through a body of more values would hold up everyone. */
const MAX_VALUES = 1_000_000;

/** undefined = there is no such tool, or it can't be left out. */
function withoutTools(
  request: Pick<TextRequest, "protocol" | "body" | "scan">,
  isGone: (tool: string, hosted?: HostedTool) => boolean,
): Shortened | undefined {
  const { protocol, scan, body } = request;
  const { hold } = protocol.forward;
  const { hostedTools, hostedFields } = readFeatures(hold, scan);
  const tools = hostedTools.filter((hosted) => isGone(hosted.tool, hosted));
  const fields = hostedFields.filter((field) => isGone(field));
  if (tools.length + fields.length === 0 || scan.values > MAX_VALUES) return undefined;
  const definitions = definitionsOf(tools, scan);
  if (definitions === undefined) return undefined;
  const use = hold.toolUse;
  if (use !== undefined) requireUnused(use, tools, request);

  const lists = Object.keys(protocol.forward.fields).flatMap((name) =>
    scan.all(name).flatMap((list) => cutList(name, list, body, definitions.whole)),
  );
  const edits = [
    ...lists.flatMap((list) => (list.isEmpty ? [] : list.edits)),
    ...removeMembers(body, definitions.members),
    ...fields.flatMap((field) => removeField(scan, field)),
  ];
  const emptied = lists.filter(({ isEmpty }) => isEmpty);
  for (const { name } of emptied) if (name !== TOOLS) throw needed(name, tools);
  const hasNoTools = emptied.length > 0 && emptied.length === scan.count(TOOLS);
  if (hasNoTools) appendAll(edits, removeField(scan, TOOLS));
  else
    appendAll(
      edits,
      emptied.map(({ found }) => replaceValue(found, "[]")),
    );
  const paths = [...new Set([...tools.map(pathOf), ...fields])];
  const cut = { ...spliced(request, edits), paths };
  if (use === undefined || !hasNoTools || use.elsewhere?.some((path) => cut.scan.count(path) > 0)) return cut;
  if (choiceWords(use, request).some((word) => FORCED.has(word))) throw needed(use.choice, tools);
  const useless = [use.choice, ...(use.beside ?? [])].filter((field) => cut.scan.count(field) > 0);
  const last = useless.flatMap((field) => removeField(cut.scan, field));
  return { ...spliced({ ...request, ...cut }, last), paths: [...paths, ...useless] };
}

const TOOLS = "tools";
/** Words by which any tool must be called. */
const FORCED: ReadonlySet<string> = new Set(["required", "any"]);

function pathOf({ place, tool }: HostedTool): string {
  return `${place.path}.${tool}`;
}

function spliced(
  { protocol, body }: Pick<TextRequest, "protocol" | "body">,
  edits: readonly Edit[],
): Pick<TextRequest, "body" | "scan"> {
  const pieces = splice(body, edits);
  const scanner = createBodyScan(watchOf(protocol.name));
  for (const piece of pieces) scanner.write(piece);
  return { body: pieces, scan: scanner.end() };
}

/** The parts to cut: whole definitions by their start, and single members of objects that have others. */
interface Definitions {
  readonly whole: ReadonlySet<number>;
  readonly members: readonly FoundValue[];
}

/** undefined = not all of them can be left out. */
function definitionsOf(tools: readonly HostedTool[], scan: BodyScan): Definitions | undefined {
  const whole = new Set<number>();
  const members: FoundValue[] = [];
  for (const { place, found } of tools) {
    if (place.inState === true) return undefined;
    const path = `${scannedPath(place)}.*`;
    if (place.byKey !== true) whole.add(found.parent);
    else if (scan.all(path).length < scan.count(path)) return undefined;
    else members.push(found);
  }
  const isWhole = ({ parent }: FoundValue): boolean => {
    const all = scan.all(`${TOOLS}.*`).filter((each) => each.parent === parent);
    return all.every((each) => members.includes(each));
  };
  for (const member of members) if (isWhole(member)) whole.add(member.parent);
  return { whole, members: members.filter(({ parent }) => !whole.has(parent)) };
}

/** Throws where the request says that one of the tools must be called, or goes on from what it has made. */
function requireUnused(
  use: ToolUse,
  tools: readonly HostedTool[],
  request: Pick<TextRequest, "body" | "scan">,
): void {
  const families = new Set(tools.map(({ tool }) => familyOf(tool)));
  if (choiceWords(use, request).some((word) => families.has(familyOf(word)))) throw needed(use.choice, tools);
  const { history } = use;
  if (history === undefined) return;
  const made = tools.map(({ tool }) => undated(tool) + history.suffix);
  // A conversation may have thousands of items, of which a scan keeps some: most don't say the word at all.
  if (!made.some((word) => containsBytes(request.body, Buffer.from(word)))) return;
  const scanner = createBodyScan(compileWatch([history.path]));
  for (const chunk of request.body) scanner.write(chunk);
  const scan = scanner.end();
  const types = scan.all(history.path);
  if (
    types.length < scan.count(history.path) ||
    types.some(({ head }) => made.some((end) => head.endsWith(end)))
  )
    throw needed(history.path.replace(/\..*/, ""), tools);
}

/** The strings in which a request says what must be called. */
function choiceWords({ choice }: ToolUse, { body, scan }: Pick<TextRequest, "body" | "scan">): string[] {
  return scan.all(choice).flatMap((found) => {
    if (found.end - found.start > MAX_CHOICE_BYTES) return [...FORCED];
    const words: string[] = [];
    JSON.parse(textAt(body, found), (_, value: unknown) => {
      if (typeof value === "string") words.push(value);
      return value;
    });
    return words;
  });
}

/** Lists of allowed tools are the longest, with the names of some dozen. */
const MAX_CHOICE_BYTES = 64 * 1024;

function containsBytes(body: readonly Buffer[], word: Buffer): boolean {
  let before = Buffer.alloc(0);
  return body.some((chunk) => {
    const seam = Buffer.concat([before, chunk.subarray(0, word.length)]);
    before = Buffer.concat([before, chunk]).subarray(-word.length);
    return chunk.includes(word) || seam.includes(word);
  });
}

function needed(param: string, tools: readonly HostedTool[]): GatewayError {
  const names = [...new Set(tools.map(({ tool }) => `"${tool}"`))].join(", ");
  return new GatewayError(
    "invalid_request",
    `\`${param}\` needs ${names}, which has no price on this gateway; leave it out, or ask the operator to set one (price.calls).`,
    { param },
  );
}

/** A list at the top of a body with what is cut out of it. */
interface CutList {
  readonly name: string;
  readonly found: FoundValue;
  readonly edits: readonly Edit[];
  /** The cut leaves nothing of the list. */
  readonly isEmpty: boolean;
}

/** Cuts the definitions out of a list in which some of them are; [] = there are none. */
function cutList(
  name: string,
  found: FoundValue,
  body: readonly Buffer[],
  definitions: ReadonlySet<number>,
): CutList[] {
  const isInside = [...definitions].some((start) => start > found.start && start < found.end);
  if (found.type !== "array" || !isInside) return [];
  const cutter = new ListCutter(definitions, found.start - OPENING.length);
  const lexer = new JsonLexer(cutter);
  lexer.write(OPENING);
  for (const piece of slice(body, found)) lexer.write(piece);
  lexer.write(CLOSING);
  lexer.end();
  return [{ name, found, edits: cutter.edits, isEmpty: cutter.isEmpty }];
}

/** The lexer reads objects. */
const OPENING = Buffer.from('{"":');
const CLOSING = Buffer.from("}");

interface Container {
  readonly isList: boolean;
  readonly start: number;
  readonly outer: Container | undefined;
  /** Its index among the items of `outer`, if that is a list. */
  readonly index: number;
  /** The items, if this is a list. */
  readonly items: { readonly start: number; end: number }[];
  readonly gone: Set<number>;
  isGone: boolean;
}

/** An object of which a definition or an emptied list was a part goes with it, up to the item of a list that it is. */
class ListCutter implements JsonSink {
  readonly wantsScalar = true;
  edits: Edit[] = [];
  isEmpty = false;
  readonly #definitions: ReadonlySet<number>;
  /** From an offset that is told to one in the body. */
  readonly #shift: number;
  #container: Container | undefined;

  constructor(definitions: ReadonlySet<number>, shift: number) {
    this.#definitions = definitions;
    this.#shift = shift;
  }

  key(): void {}

  scalar(_type: unknown, start: number, end: number): void {
    this.#begin(start, end);
  }

  open(type: "object" | "array", at: number): void {
    this.#begin(at, at);
    const outer = this.#container;
    const start = at + this.#shift;
    const isGone = this.#definitions.has(start);
    const index = (outer?.items.length ?? 0) - 1;
    this.#container = { isList: type === "array", start, outer, index, items: [], gone: new Set(), isGone };
  }

  close(end: number): void {
    const closed = this.#container;
    if (closed === undefined) return;
    const { isList, items, gone, outer } = closed;
    this.#container = outer;
    const item = outer?.isList === true ? outer.items[closed.index] : undefined;
    if (item !== undefined) item.end = end + this.#shift;
    if (isList && gone.size > 0) {
      if (gone.size === items.length) closed.isGone = true;
      else appendAll(this.edits, removeItems(items, gone));
    }
    if (!closed.isGone || outer === undefined) return;
    this.edits = this.edits.filter((edit) => edit.start < closed.start);
    if (outer.isList) outer.gone.add(closed.index);
    else if (outer.outer === undefined) this.isEmpty = true;
    else outer.isGone = true;
  }

  #begin(start: number, end: number): void {
    if (this.#container?.isList !== true) return;
    this.#container.items.push({ start: start + this.#shift, end: end + this.#shift });
  }
}
