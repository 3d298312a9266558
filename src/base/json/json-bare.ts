import type { JsonType } from "./json-lexer.ts";

/**
 * Objects of one list that may stand for content kept elsewhere: an id and nothing of their own. The path of
 * their id then finds the ids of such objects only, whatever the number of others beside them.
 */
export interface BareRule {
  /** Path of the id, such as `input.id`. */
  readonly id: string;
  /** The member that tells what kind of object it is. */
  readonly kind: string;
  /**
   * Kind -> the members that are content of such an object's own, unless they are null or empty; [] = it never
   * has any. "" is an object that states no kind. In kinds that are not listed every member is, but those of `empty`.
   */
  readonly content: Readonly<Record<string, readonly string[]>>;
  /** Members that say nothing. */
  readonly empty: readonly string[];
}

/** The rule with names and paths as the numbers that a watch has for them. */
export interface CompiledBareRule {
  /** Number of the id's path. */
  readonly path: number;
  /** Number of the name of `kind`. */
  readonly kindName: number;
  /** The bits by the number of a name; 0 for names that are no content. */
  readonly bits: readonly number[];
  /** The bits that are content of an object of this kind. */
  contentOf(kind: string): number;
}

/** All names that a watch must know for the rule, beside those of the path. */
export function bareNames({ kind, empty, content }: BareRule): readonly string[] {
  return [kind, ...empty, ...Object.values(content).flat()];
}

export function compileBare(rule: BareRule, path: number, names: readonly string[]): CompiledBareRule {
  const silent = new Set([rule.id.split(".").at(-1), rule.kind, ...rule.empty]);
  const content = [...new Set(Object.values(rule.content).flat())];
  const bitOf = (name: string): number => {
    if (silent.has(name)) return 0;
    return content.includes(name) ? 2 << content.indexOf(name) : OTHER;
  };
  const masks = new Map(
    Object.entries(rule.content).map(([kind, members]) => [
      kind,
      members.reduce((mask, name) => mask | bitOf(name), 0),
    ]),
  );
  return {
    path,
    kindName: names.indexOf(rule.kind),
    bits: names.map(bitOf),
    contentOf: (kind) => masks.get(kind) ?? ANY,
  };
}

/** The bit of every member that no kind's content names. */
const OTHER = 1;
const ANY = -1;

/** Judges the objects of one body; `Value` is what a scan keeps of an id. */
export class BareJudge<Value> {
  /** The next value is the object's kind. */
  tellsKind = false;
  private rule: CompiledBareRule | undefined;
  private readonly found: (id: Value, more: number) => void;
  /** The object that is open, if it is one to be judged. */
  private object: Judged<Value> | undefined;
  private readonly outer: (Judged<Value> | undefined)[] = [];
  /** The bit of the member that comes next. */
  private bit = 0;

  /** `found` is told each id of a bare object; `more` counts those of the same object that are not told. */
  constructor(found: (id: Value, more: number) => void) {
    this.found = found;
  }

  begin(rule: CompiledBareRule | undefined): void {
    this.rule = rule;
    this.object = undefined;
    this.outer.length = 0;
  }

  /** A container of the list opens: the list itself, or an object in it. */
  open(type: "object" | "array"): void {
    this.outer.push(this.object);
    this.object = type === "object" ? { ids: [], count: 0, kind: "", members: 0 } : undefined;
  }

  member(name: number): void {
    this.bit = this.rule?.bits[name] ?? OTHER;
    this.tellsKind = name === this.rule?.kindName;
  }

  /** The member's value; `kind` is its text where it tells the kind. */
  value(type: JsonType, isEmpty: boolean, kind: string | undefined): void {
    const { object } = this;
    if (object === undefined || type === "null") return;
    if (this.tellsKind) {
      const stated = kind ?? null;
      object.kind = object.kind === "" || object.kind === stated ? stated : null;
    }
    if (!isEmpty) object.members |= this.bit;
  }

  /** The member's value was a container without anything in it. */
  emptied(): void {
    if (this.object !== undefined) this.object.members &= ~this.bit;
  }

  /** True if an id was kept for the object's end; one that stands in no object to be judged is not. */
  keep(path: number, id: Value): boolean {
    const { object } = this;
    if (object === undefined || path !== this.rule?.path) return false;
    object.count += 1;
    if (object.ids.length < MAX_IDS) object.ids.push(id);
    return true;
  }

  close(): void {
    const { object, rule } = this;
    this.object = this.outer.pop();
    if (object === undefined || rule === undefined) return;
    const content = object.kind === null ? 0 : rule.contentOf(object.kind);
    if ((object.members & content) !== 0) return;
    const more = object.count - object.ids.length;
    for (const [index, id] of object.ids.entries()) this.found(id, index === 0 ? more : 0);
  }
}

/** An object as far as it has been read. */
interface Judged<Value> {
  /** Its ids: one, unless the body repeats the key. */
  readonly ids: Value[];
  /** The number of them. */
  count: number;
  /** The stated kind; null = it states several, or none that is a word. */
  kind: string | null;
  /** Bits of the members that are not empty. */
  members: number;
}

/** More of one object are not kept, only counted. */
const MAX_IDS = 8;
