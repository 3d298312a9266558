import type { ForeignField } from "../conversation/request.ts";
import { type Fields, optionalText } from "./fields.ts";
import type { JsonType } from "./protocol.ts";

/**
 * The top-level fields of a protocol's requests, which is the one table of them: forwarding checks the types of what is
 * listed, the decoder knows by it what it reads and what is lost elsewhere, and OpenAPI describes each that is listed.
 */
export interface RequestFields {
  /** Those of the specification and the types that it allows; `null` always counts as absent. */
  readonly listed: Readonly<Record<string, readonly JsonType[]>>;
  /** Further ones that the decoder reads. */
  readonly decoded: readonly string[];
  /** Those that change what the answer means and that only their own protocol has: refused elsewhere. */
  readonly meaning: readonly string[];
  /** Listed ones that the decoder does not read by this name, besides: hints, and second spellings. */
  readonly passed: readonly string[];
}

/** The fields that a decoder reads; every other is a loss elsewhere, or refused. */
export function knownFields({ listed, decoded, meaning, passed }: RequestFields): ReadonlySet<string> {
  const known = new Set([...Object.keys(listed), ...decoded]);
  for (const field of [...meaning, ...passed]) known.delete(field);
  return known;
}

/** Who is behind a caller, which chat completions and responses have two fields for and others one. */
export interface EndUser {
  readonly user: string | undefined;
  /** The second field, where both are said and differ. */
  readonly foreign: readonly ForeignField[];
}

export function decodeEndUser(body: Fields): EndUser {
  const user = optionalText(body, "user");
  const identifier = optionalText(body, "safety_identifier");
  const isLost = user !== undefined && identifier !== undefined && identifier !== user;
  return {
    user: user ?? identifier,
    foreign: isLost ? [{ path: "safety_identifier", value: identifier, weight: "hint" }] : [],
  };
}
