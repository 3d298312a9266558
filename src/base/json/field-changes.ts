/** What is changed of the fields at the top of a JSON object. */
export interface FieldChanges {
  /** Whatever stands there. */
  readonly set?: FieldValues;
  /** Where nothing stands. */
  readonly default?: FieldValues;
  /** Cut. */
  readonly remove?: readonly string[];
}

/** JSON by the field's name. */
type FieldValues = Readonly<Record<string, unknown>>;

/** Every field that is named. */
export function changedFieldsOf({ set = {}, default: ifAbsent = {}, remove = [] }: FieldChanges): string[] {
  return [...Object.keys(set), ...Object.keys(ifAbsent), ...remove];
}

/** The object with the changes made. */
export function withChanges<Value>(
  object: Readonly<Record<string, Value>>,
  { set, default: ifAbsent, remove = [] }: FieldChanges,
): Record<string, Value> {
  const fields = Object.entries({ ...ifAbsent, ...object, ...set } as Record<string, Value>);
  return Object.fromEntries(fields.filter(([name]) => !remove.includes(name)));
}
