import { LongNumber, parseExact, writeExact } from "../../base/json/exact-json.ts";
import type { TaskApiResponse } from "./task-api.ts";

/** The paths of a value in a response: dotted, and the first that holds something counts. */
export type Places = readonly string[];

/** The response's body as JSON; undefined where it is none. */
export function jsonOf({ body }: TaskApiResponse): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** The same with all the digits of its numbers: ids of 64 bits are none otherwise. Not for what holds images, as it takes longer. */
export function exactJsonOf({ body }: TaskApiResponse): unknown {
  try {
    return parseExact(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** The value at a dotted path ("data.0.task_id"; "" = the value itself); undefined = there is none. */
export function valueAt(value: unknown, path: string): unknown {
  if (path === "") return value;
  let found = value;
  for (const key of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found ?? undefined;
}

/** A text that is not empty; numbers count as their digits, since vendors write ids both ways. */
export function textAt(value: unknown, places: Places = []): string | undefined {
  for (const place of places) {
    const found = valueAt(value, place);
    if (typeof found === "string" && found.trim() !== "") return found.trim();
    if (found instanceof LongNumber) return writeExact(found);
    if (typeof found === "number" && Number.isFinite(found)) return String(found);
  }
  return undefined;
}

/**
 * A result's link as it may be shown to callers: http(s) in any case, and nothing else, since pages and clients open it;
 * without a user and a password, which are the vendor's own secret.
 * The one rule for every kind; a kind whose way it is to answer with the bytes writes its data URL itself.
 */
function linkOf(text: string): string | undefined {
  if (!/^https?:\/\/[^\s/?#]/i.test(text) || /\p{Cc}/u.test(text) || !URL.canParse(text)) return undefined;
  const { username, password } = new URL(text);
  if (username !== "" || password !== "") return undefined;
  return text.replaceAll(" ", "%20");
}

/** The links at the first place that holds any, be it one or a list of them. */
export function linksAt(value: unknown, places: Places): readonly string[] {
  for (const place of places) {
    const links = textsAt(value, [place]).flatMap((text) => linkOf(text) ?? []);
    if (links.length > 0) return links;
  }
  return [];
}

export function linkAt(value: unknown, places: Places = []): string | undefined {
  return linksAt(value, places)[0];
}

/** A number from 0 up; "50%" and "5.0" count. */
export function numberAt(value: unknown, places: Places = []): number | undefined {
  const text = textAt(value, places)?.replace(/%$/, "");
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** The texts at the first place that holds any, be it one or a list of them, without the blanks around them. */
export function textsAt(value: unknown, places: Places): readonly string[] {
  for (const place of places) {
    const found = valueAt(value, place);
    const texts = (Array.isArray(found) ? (found as readonly unknown[]) : [found])
      .map((each) => (typeof each === "string" ? each.trim() : ""))
      .filter((each) => each !== "");
    if (texts.length > 0) return texts;
  }
  return [];
}
