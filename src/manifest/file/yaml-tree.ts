import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
} from "yaml";
import { parseDecimal } from "../../base/money.ts";
import { type Path, pathText } from "../../base/schema-issues.ts";
import type { FilePosition, Problem } from "./problems.ts";
import { expandReferences } from "./references.ts";

const DECIMAL = /^-?\d+(\.\d+)?$/;
const BEYOND_NUMBERS = /^[+-]?\.(inf|nan)$/i;

/**
 * A number of the file, or its own text: where a float would lose digits, which decimal fields read exactly, and where it
 * is not written in decimal digits, which no field takes.
 */
function exactNumber(value: number, source: string | undefined): number | string {
  if (source === undefined || BEYOND_NUMBERS.test(source)) return value;
  if (!DECIMAL.test(source)) return source;
  try {
    // 40 places: far beyond what any field keeps, so nothing is lost in the comparison itself.
    if (parseDecimal(source, 40) === parseDecimal(value, 40)) return value;
  } catch {
    // Too many places, or too large for a float: the field itself says what is wrong with it.
  }
  return source;
}

/**
 * The value of an environment variable as if its text stood in the file. Only numbers of up to 15 digits are read as
 * such: a longer one is rather a key that happens to have no letters.
 */
function plainValue(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  const isNumber = text.length <= 15 && DECIMAL.test(text) && String(Number(text)) === text;
  return isNumber ? Number(text) : text;
}

/** Our own words, since the parser's may quote the file, and the file may hold secrets. */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias (*name) takes no anchor or tag of its own",
  BAD_ALIAS: "an alias (*name) must stand after its anchor (&name) and be spelt like it",
  BAD_COLLECTION_TYPE: "this tag doesn't fit its value; remove the tag",
  BAD_DIRECTIVE: "directives (lines that begin with %) aren't used here; remove it",
  BAD_DQ_ESCAPE: 'unknown escape inside "..."; double the backslash, or use single quotes',
  BAD_INDENT: "the indentation doesn't fit the lines around it",
  BAD_SCALAR_START: 'a value that begins with this character must be put in quotes ("...")',
  BLOCK_AS_IMPLICIT_KEY: "a nested list or mapping must begin on its own line, indented",
  BLOCK_IN_FLOW: "inside [...] and {...}, write values as [a, b] and {a: b}",
  DUPLICATE_KEY: "duplicate key in the same mapping; remove one of them",
  KEY_OVER_1024_CHARS: "this key is too long; is a quote or a bracket missing?",
  MISSING_CHAR: "a comma, or a space after ':', is missing here",
  MULTILINE_IMPLICIT_KEY: "a key must stand on one line; is a ':' or a quote missing?",
  MULTIPLE_ANCHORS: "a value takes one anchor only",
  MULTIPLE_DOCS: "only one document per file; remove the '---'",
  MULTIPLE_TAGS: "a value takes one tag only",
  NON_STRING_KEY: "a key must be plain text",
  TAB_AS_INDENT: "tabs can't indent YAML; use spaces",
  TAG_RESOLVE_FAILED: "unknown tag; put a value that begins with ! in quotes",
  UNEXPECTED_TOKEN: "this is out of place here; is a quote, a bracket or indentation missing?",
};

/** Faults that share a code with others but need another remedy, told by how the parser's sentence begins. */
const FINER_MESSAGES: readonly (readonly [sentence: RegExp, message: string])[] = [
  [/^Flow map .*end with/, "a closing } is missing before this line or end"],
  [/^Flow sequence .*end with/, "a closing ] is missing before this line or end"],
  [/^Missing closing .quote/, "a closing quote is missing"],
  [/^Sequence item without -/, "the indentation doesn't fit the lines around it, or a '-' is missing"],
  [/^Implicit map keys need/, "a ':' and a space are missing after this key"],
];

function syntaxMessage(code: ErrorCode, sentence = ""): string {
  const finer = FINER_MESSAGES.find(([begins]) => begins.test(sentence));
  return finer?.[1] ?? MESSAGES[code] ?? "this is not valid YAML";
}

/** A YAML text as plain values that still know where they stand. */
export interface YamlTree {
  readonly value: unknown;
  /** The position of the value, or of the nearest thing around it. */
  placeOf(path: Path): FilePosition;
  /** The position of the key that leads to the value. */
  placeOfKey(path: Path): FilePosition;
  /** The variable a value was taken from; null = it is written in the file. */
  referenceAt(path: Path): string | null;
  /** Contents of environment variables that were taken. */
  readonly taken: ReadonlySet<string>;
  readonly problems: readonly Problem[];
  /** Values that could not be read: whatever else is wrong with them would only confuse. */
  readonly unreadable: ReadonlySet<string>;
}

// Ten thousand models take some 4 MB; more is a mistake, such as a database dump under this name.
const MAX_BYTES = 8 * 1024 * 1024;
// Aliases let a small file grow without bound ("billion laughs").
const MAX_VALUES = 500_000;
// The file's own shape is seven deep.
const MAX_DEPTH = 32;

/**
 * Reads YAML 1.2: strict, no duplicate keys, no tags, `${NAME}` taken from `env`. With `mayRefer`, references
 * stand only where it says so, and `env` is what the gateway itself keeps. `kept` may stand in for a variable that is not set.
 */
export function readYamlTree(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  mayRefer?: (path: Path) => boolean,
  kept?: Growth["kept"],
): YamlTree {
  const lines = new LineCounter();
  const growth = new Growth(lines, env, mayRefer, kept);
  if (Buffer.byteLength(text) > MAX_BYTES) {
    growth.refuse([], 0, `the file is larger than ${MAX_BYTES / 1024 / 1024} MB; is it a catalog file?`);
    return growth;
  }
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      schema: "core",
      strict: true,
      stringKeys: true,
      uniqueKeys: true,
      version: "1.2",
    });
    for (const error of [...document.errors, ...document.warnings]) {
      growth.refuse([], error.pos[0], syntaxMessage(error.code, error.message));
    }
    if (growth.problems.length === 0) growth.grow(document);
  } catch (error) {
    // The parser recurses; thousands of open brackets exhaust the stack before our own limit is asked.
    if (!(error instanceof RangeError)) throw error;
    growth.refuse([], 0, "the file is nested too deeply");
  }
  return growth;
}

class Growth implements YamlTree {
  value: unknown;
  readonly problems: Problem[] = [];
  readonly taken = new Set<string>();
  readonly unreadable = new Set<string>();
  private readonly lines: LineCounter;
  private readonly env: Readonly<Record<string, string | undefined>>;
  private readonly mayRefer: ((path: Path) => boolean) | undefined;
  private readonly kept: ((path: Path, name: string) => string | undefined) | undefined;
  private readonly places = new Map<string, number>();
  private readonly keyPlaces = new Map<string, number>();
  private readonly references = new Map<string, string>();
  private readonly targets = new Map<unknown, Node>();
  private values = 0;

  constructor(lines: LineCounter, env: Growth["env"], mayRefer: Growth["mayRefer"], kept: Growth["kept"]) {
    this.lines = lines;
    this.env = env;
    this.mayRefer = mayRefer;
    this.kept = kept;
  }

  grow(document: Document): void {
    this.followAnchors(document);
    this.value = this.read(document.contents, [], 0);
  }

  refuse(path: Path, offset: number, message: string): void {
    this.problems.push({ ...this.place(offset), path: pathText(path), message });
  }

  placeOf(path: Path): FilePosition {
    for (let length = path.length; length >= 0; length -= 1) {
      const offset = this.places.get(JSON.stringify(path.slice(0, length)));
      if (offset !== undefined) return this.place(offset);
    }
    return this.place(0);
  }

  placeOfKey(path: Path): FilePosition {
    const offset = this.keyPlaces.get(JSON.stringify(path));
    return offset === undefined ? this.placeOf(path) : this.place(offset);
  }

  referenceAt(path: Path): string | null {
    return this.references.get(JSON.stringify(path)) ?? null;
  }

  private place(offset: number): FilePosition {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  /** `offset` stands in for nodes that have no place of their own, such as an empty value. */
  private read(node: unknown, path: Path, offset: number): unknown {
    const start = rangeStart(node) ?? offset;
    this.places.set(JSON.stringify(path), start);
    this.values += 1;
    if (this.values > MAX_VALUES || path.length > MAX_DEPTH) return this.overgrown(path, start);
    if (isAlias(node)) {
      const target = this.targets.get(node);
      if (target) return this.read(target, path, start);
      this.refuse(path, start, syntaxMessage("BAD_ALIAS"));
      return this.unread(path);
    }
    if (isSeq(node)) return node.items.map((item, index) => this.read(item, [...path, index], start));
    if (isMap(node)) {
      // Without a prototype, a key such as __proto__ is one like any other; the schema would leave it out without a word.
      const record: Record<string, unknown> = Object.create(null);
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : String(key);
        const inside = [...path, name];
        const keyStart = rangeStart(key) ?? start;
        this.keyPlaces.set(JSON.stringify(inside), keyStart);
        if (name === "<<") {
          this.refuse(inside, keyStart, "merge keys aren't supported; write the fields out");
          continue;
        }
        if (name === "__proto__") this.refuse(inside, keyStart, "is not a valid name");
        record[name] = this.read(value, inside, keyStart);
      }
      return record;
    }
    return isScalar(node) ? this.readScalar(node, path, start) : null;
  }

  private readScalar(node: Scalar, path: Path, start: number): unknown {
    const { value, source } = node;
    if (typeof value === "number" || typeof value === "bigint") return exactNumber(Number(value), source);
    if (typeof value !== "string") return value;
    const expansion = expandReferences(value, this.env, this.mayRefer?.(path), (name) =>
      this.kept?.(path, name),
    );
    for (const content of expansion.taken) this.taken.add(content);
    for (const problem of expansion.problems) this.refuse(path, start, problem);
    if (expansion.problems.length > 0) this.unreadable.add(JSON.stringify(path));
    if (expansion.reference) this.references.set(JSON.stringify(path), expansion.reference);
    // Without quotes the content counts as if it stood there, so that `weight: ${WEIGHT}` is a number.
    return expansion.reference && node.type === "PLAIN" ? plainValue(expansion.text) : expansion.text;
  }

  /** Once for the whole file: what the parser offers searches it anew for every alias. */
  private followAnchors(document: Document): void {
    const anchors = new Map<string, Node>();
    visit(document, {
      Node: (_, node) => {
        if (isAlias(node)) {
          const target = anchors.get(node.source);
          if (target) this.targets.set(node, target);
        } else if (node.anchor) anchors.set(node.anchor, node);
      },
    });
  }

  private unread(path: Path): null {
    this.unreadable.add(JSON.stringify(path));
    return null;
  }

  private overgrown(path: Path, offset: number): null {
    const isReported = this.problems.some(({ message }) => message === OVERGROWN);
    if (!isReported) this.refuse(path.slice(0, 1), offset, OVERGROWN);
    return this.unread(path);
  }
}

const OVERGROWN = `more than ${MAX_VALUES} values or ${MAX_DEPTH} levels with aliases expanded; use fewer aliases`;

function rangeStart(node: unknown): number | undefined {
  const range = (node as { range?: readonly number[] | null } | null)?.range;
  return range?.[0];
}
