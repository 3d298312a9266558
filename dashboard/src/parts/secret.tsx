import type { ReactNode } from "react";
import { useWords } from "../words/use-words.ts";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { Dialog, DialogButtons, useShownOnce } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { partsWords } from "./words.ts";

/** A secret that is shown once: `<Secret text={created.key} fileName="faregate-key.txt" />`. */
export function Secret({ text, fileName }: { readonly text: string; readonly fileName: string }): ReactNode {
  const t = useWords(partsWords);
  useShownOnce();
  return (
    <div className="flex flex-col gap-2 border-l-2 border-accent pl-4">
      <p>{t.secretOnce}</p>
      <code className="rounded-md bg-shade px-3 py-2 font-mono text-sm break-all whitespace-pre-wrap select-all">
        {text}
      </code>
      <div className="flex flex-wrap gap-2">
        <Copy text={text} labelled />
        <a
          className="inline-flex h-8 items-center gap-2 rounded-md border border-line px-3 font-medium hover:bg-shade"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
          download={fileName}
        >
          <Icon name="download" />
          {t.download}
        </a>
      </div>
    </div>
  );
}

interface SecretDialogProps {
  readonly title: string;
  readonly text: string;
  readonly fileName: string;
  readonly onClose: () => void;
}

/** A dialog that shows a secret after it was created. */
export function SecretDialog({ title, text, fileName, onClose }: SecretDialogProps): ReactNode {
  const t = useWords(partsWords);
  return (
    <Dialog open title={title} onClose={onClose}>
      <Secret text={text} fileName={fileName} />
      <DialogButtons>
        <Button look="primary" onClick={onClose}>
          {t.done}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
