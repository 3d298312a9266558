/** The fields of `Fields` that always have a value as they are, the others as optional. */
export type DefinedFields<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};

/**
 * The same object without the fields that are undefined. For objects whose fields are counted, listed or spread over
 * others, where an undefined field would count too; JSON leaves such fields out by itself.
 */
export function definedFields<Fields extends object>(fields: Fields): DefinedFields<Fields> {
  const defined: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) defined[name] = value;
  return defined as DefinedFields<Fields>;
}
