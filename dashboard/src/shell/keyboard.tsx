import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { useWords } from "../words/use-words.ts";
import { type Place, usePlaces } from "./use-places.ts";
import { shellWords } from "./words.ts";

/** The time that `g` waits for its letter. */
const WAIT_MS = 1_500;

/** `/` to the search, `g` and a letter to a page, `?` for the list of them. */
export function Keyboard(): ReactNode {
  const t = useWords(shellWords);
  const { account, operator } = usePlaces();
  const [helping, setHelping] = useState(false);
  useKeys([...account, ...operator], () => setHelping(true));
  return (
    <Dialog open={helping} title={t.help} onClose={() => setHelping(false)}>
      <p className="text-mute">{t.helpLead}</p>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-6 gap-y-1.5">
        <Key keys="/">{t.helpSearch}</Key>
        <Key keys="Ctrl K">{t.helpPalette}</Key>
        <Key keys="?">{t.helpHelp}</Key>
        {[...account, ...operator].map(({ letter, title, href }) => (
          <Key key={href} keys={`g ${letter}`}>
            {title}
          </Key>
        ))}
      </dl>
    </Dialog>
  );
}

function Key({ keys, children }: { readonly keys: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="contents">
      <dt>
        {keys.split(" ").map((key) => (
          <kbd key={key} className="mr-1 rounded-sm border border-line bg-shade px-1.5 font-mono text-sm">
            {key}
          </kbd>
        ))}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function useKeys(places: readonly Place[], help: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let goingSince = Number.NEGATIVE_INFINITY;
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const going = event.timeStamp - goingSince < WAIT_MS;
      goingSince = Number.NEGATIVE_INFINITY;
      const place = going ? places.find(({ letter }) => letter === event.key) : undefined;
      if (place !== undefined) void navigate({ to: place.href });
      else if (event.key === "g") goingSince = event.timeStamp;
      else if (event.key === "?") help();
      else if (event.key === "/") document.querySelector<HTMLInputElement>("[data-search]")?.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest("input, textarea, select, dialog, [role=menu]") !== null
  );
}
