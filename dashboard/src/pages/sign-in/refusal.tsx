import type { ReactNode } from "react";
import { ApiError } from "../../api/api-error.ts";
import { Failed } from "../../parts/failure.tsx";
import { useWords } from "../../words/use-words.ts";
import { signInWords } from "./words.ts";

/** Why somebody was not let in, in their language. */
export function Refusal({
  error,
  failed,
}: {
  readonly error: unknown;
  /** What a refused password means here. */
  readonly failed?: string;
}): ReactNode {
  const t = useWords(signInWords);
  if (!(error instanceof ApiError)) return <Failed error={error} />;
  const minutes = /(\d+) min/.exec(error.message)?.[1];
  const words: Readonly<Record<string, string>> = {
    sign_in_failed: error.param === "totp" ? t.codeFailed : (failed ?? error.message),
    too_many_attempts: minutes === undefined ? t.tooManySoon : t.tooMany(Number(minutes)),
  };
  const said = words[error.code];
  if (said === undefined) return <Failed error={error} />;
  return (
    <p role="alert" className="text-bad">
      {said}
    </p>
  );
}
