/** The changes of the fields at the top of a JSON object. */
export interface FieldChanges {
  /** Fields that are set whether present or not. */
  readonly set?: FieldValues;
  /** Fields that are set if absent. */
  readonly default?: FieldValues;
  /** Cut; deeper ones by names joined by dots, through all elements of arrays. */
  readonly remove?: readonly string[];
}

/** JSON by the field's name. */
type FieldValues = Readonly<Record<string, unknown>>;

/** Every field that is named. */
export function changedFieldsOf({ set = {}, default: ifAbsent = {}, remove = [] }: FieldChanges): string[] {
  return [...Object.keys(set), ...Object.keys(ifAbsent), ...remove];
}
