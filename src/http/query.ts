import type { IncomingCall } from "./endpoint.ts";

/** A query parameter; of a repeated one the last value counts, as it does for the fields of a body. */
export function queryText(request: IncomingCall, name: string): string | undefined {
  return queryTexts(request, name).at(-1);
}

/** Every value of a query parameter, in order. */
export function queryTexts({ query }: IncomingCall, name: string): readonly string[] {
  const value = query[name];
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
