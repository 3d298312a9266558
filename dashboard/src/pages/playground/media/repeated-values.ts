import type { FormValues } from "./request-body.ts";

/** The fields of a request that is made again, without its model and without images that were cut for length. */
export function repeatedValues({ model: _, ...request }: FormValues): FormValues {
  return whole(request) as FormValues;
}

function whole(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isCut(item)).map(whole);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (isCut(each) ? [] : [[name, whole(each)]])),
  );
}

/** As the console shows an image that is too large: its type and an ellipsis. */
function isCut(value: unknown): boolean {
  return typeof value === "string" && /^data:[^,]*,\.\.\.$/.test(value);
}
