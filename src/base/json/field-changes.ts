/** What is changed of the fields at the top of a JSON object. */
export interface FieldChanges {
  /** Whatever stands there. */
  readonly set?: FieldValues;
  /** Where nothing stands. */
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
