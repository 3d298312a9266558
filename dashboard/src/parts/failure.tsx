import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import { useWords } from "../words/use-words.ts";
import { Button } from "./button.tsx";
import { partsWords } from "./words.ts";

/** What did not load: a sentence, a way to try again, the id to ask about. */
export function Failure({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: () => void;
}): ReactNode {
  const t = useWords(partsWords);
  return (
    <div className="flex flex-col items-start gap-2 border-l-2 border-bad py-2 pl-4">
      <Failed error={error} />
      {retry && (
        <Button icon="retry" onClick={retry}>
          {t.retry}
        </Button>
      )}
    </div>
  );
}

/** The sentence alone, beside the form that failed. */
export function Failed({ error }: { readonly error: unknown }): ReactNode {
  const t = useWords(partsWords);
  const unreachable = error instanceof ApiError && error.status === 0;
  const requestId = error instanceof ApiError ? error.requestId : "";
  return (
    <div role="alert" className="min-w-0 text-bad">
      <p className="break-words">
        {unreachable ? t.unreachable : error instanceof Error ? error.message : t.wrong}
      </p>
      {requestId !== "" && (
        <p className="text-sm break-all text-mute">
          {t.requestId} <code className="font-mono">{requestId}</code>
        </p>
      )}
    </div>
  );
}
