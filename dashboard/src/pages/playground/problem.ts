import { withoutId } from "../../api/api-error.ts";
import { textAt } from "./json.ts";

/** What went wrong, in the API's own words. */
export interface Problem {
  readonly message: string;
  /** "" where it has none. */
  readonly code: string;
}

/** An error as any endpoint or stream has it; undefined where there is none. */
export function problemOf(error: unknown): Problem | undefined {
  const message = textAt(error, "message");
  if (message === "") return undefined;
  // The code of generateContent is a number, with ours beside it.
  return { message: withoutId(message), code: textAt(error, "code") || textAt(error, "reason") };
}
