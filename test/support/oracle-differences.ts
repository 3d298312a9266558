import { isDeepStrictEqual } from "node:util";
import { asObject } from "../../src/protocols/json.ts";

/** A difference between two values; the side that has nothing there is undefined. */
export interface Difference {
  /** For example `messages[1].content[0].text`, numbered as on the side that has it, ours where both have. */
  readonly path: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** The smallest subtrees that differ. Elements of arrays are paired by what they are, so that one more is one difference. */
export function differences(ours: unknown, theirs: unknown, path = ""): readonly Difference[] {
  if (isDeepStrictEqual(ours, theirs)) return [];
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    return paired(ours, theirs).flatMap(([mine, other]) =>
      differences(ours[mine ?? -1], theirs[other ?? -1], `${path}[${mine ?? other}]`),
    );
  }
  const mine = asObject(ours);
  const other = asObject(theirs);
  if (mine === undefined || other === undefined) return [{ path, ours, theirs }];
  return [...new Set([...Object.keys(mine), ...Object.keys(other)])].flatMap((name) =>
    differences(mine[name], other[name], path === "" ? name : `${path}.${name}`),
  );
}

type Pair = readonly [mine: number | undefined, other: number | undefined];

/** The longest common run of elements of one kind, equal ones before others. */
function paired(ours: readonly unknown[], theirs: readonly unknown[]): readonly Pair[] {
  /** `best[i][j]`: the score of what is left after `i` of ours and `j` of theirs. */
  const best = Array.from({ length: ours.length + 1 }, () => new Array<number>(theirs.length + 1).fill(0));
  const score = (i: number, j: number): number => best[i]?.[j] ?? 0;
  for (let i = ours.length - 1; i >= 0; i -= 1) {
    for (let j = theirs.length - 1; j >= 0; j -= 1) {
      const likeness = likenessOf(ours[i], theirs[j]);
      const both = likeness === 0 ? 0 : likeness + score(i + 1, j + 1);
      (best[i] as number[])[j] = Math.max(both, score(i + 1, j), score(i, j + 1));
    }
  }
  const pairs: Pair[] = [];
  let i = 0;
  let j = 0;
  while (i < ours.length && j < theirs.length) {
    const likeness = likenessOf(ours[i], theirs[j]);
    if (likeness > 0 && score(i, j) === likeness + score(i + 1, j + 1)) pairs.push([i++, j++]);
    else if (score(i, j) === score(i + 1, j)) pairs.push([i++, undefined]);
    else pairs.push([undefined, j++]);
  }
  while (i < ours.length) pairs.push([i++, undefined]);
  while (j < theirs.length) pairs.push([undefined, j++]);
  return pairs;
}

/** Equal elements before those which are of one kind; two kinds are never the same element. */
function likenessOf(a: unknown, b: unknown): number {
  if (isDeepStrictEqual(a, b)) return 3;
  return kindOf(a) === kindOf(b) ? 2 : 0;
}

/**
 * The kind of an element: its type (an event's: of its subject), its role, or the word that distinguishes a part of
 * generateContent.
 */
function kindOf(value: unknown): string {
  const object = asObject(value);
  if (object === undefined) return typeof value;
  const { type, role, thought } = object;
  const inner = asObject(object["item"] ?? object["content_block"])?.["type"];
  const held = PART_WORDS.find((word) => word in object);
  return [type, role, thought, inner, held].join(" ");
}

const PART_WORDS = ["functionCall", "functionResponse", "inlineData", "fileData", "text"];
