import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import { useLanguage } from "../words/language.ts";
import { refusalIn } from "../words/refusals.ts";
import { useWords } from "../words/use-words.ts";
import { Button } from "./button.tsx";
import { partsWords } from "./words.ts";

/** Data that did not load: a sentence, a button to try again, the request's id. */
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

interface SaidProps {
  readonly error: unknown;
  /** It stands next to the field at fault. */
  readonly beside?: boolean;
}

/** The words alone, for where there is a frame already: `<p className="text-bad"><Said error={error} /></p>`. */
export function Said({ error, beside = false }: SaidProps): ReactNode {
  const t = useWords(partsWords);
  const language = useLanguage();
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : t.wrong;
  if (error.status === 0) return t.unreachable;
  const { words, detail } = refusalIn(language, error, { beside });
  return (
    <>
      {words}
      {detail !== undefined && (
        <span lang="en" className="block text-sm text-mute">
          {detail}
        </span>
      )}
    </>
  );
}

/** The sentence with its id, beside the form that failed. */
export function Failed({ error }: { readonly error: unknown }): ReactNode {
  const t = useWords(partsWords);
  const requestId = error instanceof ApiError ? error.requestId : "";
  return (
    <div role="alert" className="min-w-0 text-bad">
      <p className="break-words">
        <Said error={error} />
      </p>
      {requestId !== "" && (
        <p className="text-sm break-all text-mute">
          {t.requestId} <code className="font-mono">{requestId}</code>
        </p>
      )}
    </div>
  );
}
