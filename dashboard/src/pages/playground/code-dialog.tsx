import { type ReactNode, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useWords } from "../../words/use-words.ts";
import type { Snippet } from "./snippets.ts";
import { playgroundWords } from "./words.ts";

/** A button that shows a request as code; `snippets` is asked when it is pressed. */
export function ShowCode({ snippets }: { readonly snippets: () => readonly Snippet[] }): ReactNode {
  const t = useWords(playgroundWords);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t.showCode}</Button>
      <Dialog open={open} wide title={t.showCode} onClose={() => setOpen(false)}>
        <Snippets snippets={snippets()} />
      </Dialog>
    </>
  );
}

function Snippets({ snippets }: { readonly snippets: readonly Snippet[] }): ReactNode {
  const t = useWords(playgroundWords);
  const [chosen, choose] = useState(0);
  const [title, text] = snippets[chosen] ?? ["", ""];
  return (
    <>
      <p className="text-mute">{t.codeNote}</p>
      <fieldset className="flex flex-wrap gap-2">
        <legend className="sr-only">{t.language}</legend>
        {snippets.map(([name], index) => (
          <Button
            key={name}
            look={index === chosen ? "primary" : "plain"}
            aria-pressed={index === chosen}
            onClick={() => choose(index)}
          >
            {name}
          </Button>
        ))}
      </fieldset>
      <Code label={title} text={text} />
    </>
  );
}
