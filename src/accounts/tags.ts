import { GatewayError } from "../errors.ts";
import type { Caller } from "./caller.ts";

/** The header in which a caller tags a request: `team=search,env=prod`. It is the gateway's own and goes to no vendor. */
export const TAGS_HEADER = "x-faregate-tags";

/** The key under which the end user stands that a request names in its body, in accounts that allow it. */
const END_USER_KEY = "end_user";

/** Tags are for sums: more of them, or longer ones, are data of the caller's own. */
const MAX_TAGS = 10;
const MAX_VALUE_CHARACTERS = 64;
/** Ids of end users may be JSON, with a session in it. */
const MAX_END_USER_CHARACTERS = 256;
/** Each allowed key has sums of its own. */
export const MAX_TAG_KEYS = 20;

/** Of a tag's key. */
export const TAG_KEY = /^[a-z][a-z0-9_-]{0,31}$/;
export const TAG_KEY_RULE = "must be 1 to 32 lower-case letters, digits, - or _, beginning with a letter";
const TAG_VALUE = /^[\w.:@/+-]+$/;
const PLAIN = /^[^\p{Cc}\p{Cs}]+$/u;

/** A request's tags as `key=value`, by key; undefined = it has none. */
export type Tags = readonly string[] | undefined;

/** The tags in a request's header. Throws 400 that names the fault; without the header nothing is done. */
export function readTags(header: string | string[] | undefined, caller: Pick<Caller, "tagKeys">): Tags {
  if (header === undefined) return undefined;
  const words = String(header)
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  if (words.length > MAX_TAGS) throw refusal(`at most ${MAX_TAGS} tags, and there are ${words.length}`);
  const tags = new Map<string, string>();
  for (const word of words) {
    const [key, value] = keyAndValue(word);
    checkTag(key, value, caller);
    if (tags.has(key)) throw refusal(`\`${key}\` is given twice`);
    tags.set(key, value);
  }
  return tags.size === 0 ? undefined : [...tags].map(([key, value]) => `${key}=${value}`).sort();
}

function checkTag(
  key: string,
  value: string | undefined,
  { tagKeys }: Pick<Caller, "tagKeys">,
): asserts value {
  const shown = JSON.stringify(key.slice(0, 50));
  if (!TAG_KEY.test(key)) throw refusal(`the key ${shown} ${TAG_KEY_RULE}`);
  if (value === undefined) throw refusal(`${shown} has no value; write ${key}=value`);
  if (value.length > MAX_VALUE_CHARACTERS || !TAG_VALUE.test(value)) {
    throw refusal(
      `the value of ${shown} must be 1 to ${MAX_VALUE_CHARACTERS} letters, digits or . _ : @ / + -`,
    );
  }
  if (!tagKeys.includes(key)) {
    const allowed = tagKeys.length === 0 ? "It allows none" : `It allows ${tagKeys.join(", ")}`;
    throw refusal(`the account does not allow the key ${shown}. ${allowed}; operators can allow others`);
  }
}

/** The same with the end user that the body names, where the account counts them and the header names none. */
export function withEndUser(tags: Tags, named: unknown, { tagKeys }: Pick<Caller, "tagKeys">): Tags {
  if (typeof named !== "string" || named.length > MAX_END_USER_CHARACTERS || !PLAIN.test(named)) return tags;
  if (!tagKeys.includes(END_USER_KEY) || tags?.some((tag) => tag.startsWith(`${END_USER_KEY}=`))) return tags;
  return [...(tags ?? []), `${END_USER_KEY}=${named}`].sort();
}

/** A tag's two parts; the value is undefined where there is no `=`. */
export function keyAndValue(tag: string): readonly [key: string, value: string | undefined] {
  const at = tag.indexOf("=");
  return at === -1 ? [tag, undefined] : [tag.slice(0, at), tag.slice(at + 1)];
}

function refusal(fault: string): GatewayError {
  return new GatewayError("invalid_request", `${TAGS_HEADER}: ${fault}.`, { param: TAGS_HEADER });
}
