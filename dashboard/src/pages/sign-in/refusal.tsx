import type { ReactNode } from "react";
import { ApiError } from "../../api/api-error.ts";
import { Failed } from "../../parts/failure.tsx";
import { useWords } from "../../words/use-words.ts";
import { signInWords } from "./words.ts";

/** Why somebody was not let in; what a refused password or code means here is said by the page. */
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
  const said = error.code !== "sign_in_failed" ? undefined : error.param === "totp" ? t.codeFailed : failed;
  if (said === undefined) return <Failed error={error} />;
  return (
    <p role="alert" className="text-bad">
      {said}
    </p>
  );
}
