/** A field that was changed here and there, to different values: what was typed here stays until the other is taken. */
export interface Clash {
  /** The field's name, and the name within it where it holds several. */
  readonly path: readonly [field: string, within?: string];
  /** Its value there. */
  readonly there: unknown;
}

interface Versions<Draft> {
  /** The values that the form began with. */
  readonly base: Draft;
  readonly mine: Draft;
  /** The values that it would begin with now. */
  readonly theirs: Draft;
}

/** Merges the user's input over the changes of others: fields that were not touched here are theirs. */
export function mergeDrafts<Draft extends object>({
  base,
  mine,
  theirs,
}: Versions<Draft>): {
  readonly draft: Draft;
  readonly clashes: readonly Clash[];
} {
  const clashes: Clash[] = [];
  const merge = (versions: Versions<Fields>, above: readonly [string] | readonly []): Fields => {
    const names = new Set([...Object.keys(versions.theirs), ...Object.keys(versions.mine)]);
    return Object.fromEntries([...names].map((name) => [name, mergeField(versions, above, name)]));
  };
  const mergeField = (versions: Versions<Fields>, above: readonly [string] | readonly [], name: string) => {
    const [was, here, there] = [versions.base[name], versions.mine[name], versions.theirs[name]];
    if (above.length === 0 && isFields(was) && isFields(here) && isFields(there))
      return merge({ base: was, mine: here, theirs: there }, [name]);
    if (isSame(here, was)) return there;
    if (!isSame(there, was) && !isSame(there, here)) clashes.push({ path: [...above, name], there });
    return here;
  };
  const draft = merge({ base, mine, theirs } as unknown as Versions<Fields>, []);
  return { draft: draft as unknown as Draft, clashes };
}

/** The draft with the other's value in the place of the one typed here. */
export function takeTheirs<Draft extends object>(
  draft: Draft,
  { path: [field, within], there }: Clash,
): Draft {
  if (within === undefined) return { ...draft, [field]: there };
  const inner = (draft as unknown as Readonly<Record<string, Fields>>)[field];
  return { ...draft, [field]: { ...inner, [within]: there } };
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
