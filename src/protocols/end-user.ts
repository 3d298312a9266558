import type { ForeignField } from "../conversation/request.ts";
import { type Fields, optionalText } from "./fields.ts";

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
