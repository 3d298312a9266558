import { type ReactNode, useState } from "react";
import { useWords } from "../words/use-words.ts";
import { Button, IconButton } from "./button.tsx";
import { partsWords } from "./words.ts";

/** How long a button says that it copied. */
const SAID_MS = 2_000;

/** `<Copy text={id} label={t.copyId} />`: a small button; with `labelled` its word is shown. */
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
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    void copyText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), SAID_MS);
    });
  };
  const word = copied ? t.copied : (label ?? t.copy);
  const icon = copied ? "check" : "copy";
  if (labelled) {
    return (
      <Button icon={icon} onClick={copy} aria-live="polite">
        {word}
      </Button>
    );
  }
  return <IconButton icon={icon} label={word} onClick={copy} />;
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

/** The clipboard of a page without https is only reached the old way. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
