import { type ReactNode, useState } from "react";
import { useWords } from "../words/use-words.ts";
import { Button, IconButton } from "./button.tsx";
import { partsWords } from "./words.ts";

/** The time for which a button says that it copied. */
const SAID_MS = 2_000;

/**
 * `<Copy text={id} label={t.copyId} />`: a small button; with `labelled` its word is shown. What it copies stands
 * beside it, to be selected where the browser refuses.
 */
export function Copy({
  text,
  label,
  labelled = false,
}: {
  readonly text: string;
  readonly label?: string;
  readonly labelled?: boolean;
}): ReactNode {
  const t = useWords(partsWords);
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null);
  const copy = (): void => {
    void copyText(text).then((isCopied) => {
      setOutcome(isCopied ? "copied" : "refused");
      if (isCopied) setTimeout(() => setOutcome(null), SAID_MS);
    });
  };
  const copied = outcome === "copied";
  const word = copied ? t.copied : (label ?? t.copy);
  const icon = copied ? "check" : "copy";
  return (
    <>
      {labelled ? (
        <Button icon={icon} onClick={copy} aria-live="polite">
          {word}
        </Button>
      ) : (
        <IconButton icon={icon} label={word} onClick={copy} />
      )}
      {outcome === "refused" && (
        <span role="status" className="self-center text-sm text-warn">
          {t.copyRefused}
        </span>
      )}
    </>
  );
}

/** A value with its copy button: an id, an address. */
export function Copyable({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="min-w-0 truncate font-mono text-sm" title={text}>
        {text}
      </code>
      <Copy text={text} />
    </span>
  );
}

/** False = the browser refuses. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyTheOldWay(text);
  }
}

/** For pages without https, which have no clipboard. */
function copyTheOldWay(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  // The fixed position keeps the browser from scrolling to the selection.
  area.className = "fixed top-0 opacity-0";
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
