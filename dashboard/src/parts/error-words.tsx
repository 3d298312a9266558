import type { ReactNode } from "react";
import { useLanguage } from "../words/language.ts";
import { refusalIn } from "../words/refusals.ts";
import { useWords } from "../words/use-words.ts";
import { partsWords } from "./words.ts";

interface ErrorWordsProps {
  readonly code: string | null;
  readonly message: string | null;
  readonly status: number;
}

/** The error that a caller got, in the language of the page, with the sentence itself. `<ErrorWords code message status />` */
export function ErrorWords({ code, message, status }: ErrorWordsProps): ReactNode {
  const t = useWords(partsWords);
  const language = useLanguage();
  if (message === null) return code === null ? t.nothing : <code className="font-mono">{code}</code>;
  const error = { code: code ?? "", message, param: "", status, waitSeconds: undefined };
  const { words, detail } = refusalIn(language, error);
  return (
    <>
      <span className="break-words">{words}</span>
      {detail !== undefined && (
        <span lang="en" className="block text-sm break-words text-mute">
          {detail}
        </span>
      )}
    </>
  );
}

/** Words of a vendor's, as they came, in whatever language. */
export function Verbatim({ text }: { readonly text: string }): ReactNode {
  return (
    <pre className="max-w-3xl rounded-md bg-shade px-3 py-2 font-mono text-sm wrap-anywhere whitespace-pre-wrap">
      {text}
    </pre>
  );
}
