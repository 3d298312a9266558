import { z } from "zod";

/**
 * The names of an item, which the rules between items need. Fields of another form are absent, as the schema refuses
 * them.
 */
export type NamedItem = z.output<typeof namedItem>;

const text = z.string().optional().catch(undefined);
const texts = z.array(z.unknown()).catch([]);
const namedItem = z.object({
  name: text,
  id: text,
  alias_of: text,
  group: text,
  groups: texts,
  models: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).catch([]),
  kind: text,
  preset: z.unknown().optional(),
  base_url: text,
  api_key: text,
  api_keys: texts,
  key: text,
  keys: texts,
});

/** The names in every item of a list, broken ones included, with its place in the list. */
export function namedItems(list: unknown): { readonly index: number; readonly value: NamedItem }[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return items.flatMap((item, index) => {
    const { data } = namedItem.safeParse(item);
    return data === undefined ? [] : [{ index, value: data }];
  });
}
