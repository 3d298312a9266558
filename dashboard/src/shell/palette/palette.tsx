import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { useWords } from "../../words/use-words.ts";
import { paletteWords } from "./palette-words.ts";
import { useFound, type Way } from "./use-found.ts";

interface PaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** The command palette: a few letters lead to every page that the user may see, and to what has a name or an id. */
export function Palette({ open, onClose }: PaletteProps): ReactNode {
  const t = useWords(paletteWords);
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (open && !dialog?.open) dialog?.showModal();
    return () => dialog?.close();
  }, [open]);
  return (
    <dialog
      ref={ref}
      aria-label={t.title}
      onClose={(event) => event.target === ref.current && !ref.current.open && open && onClose()}
      // A click beside it hits the dialog itself; a click within it hits its children.
      onClick={(event) => event.target === ref.current && onClose()}
      onKeyDown={() => undefined}
      className="mx-auto mt-[12dvh] mb-auto max-h-[76dvh] w-[calc(100vw-2rem)] max-w-xl overflow-hidden rounded-md border border-line bg-paper text-ink backdrop:bg-veil"
    >
      {open && <Finder onClose={onClose} />}
    </dialog>
  );
}

/** A dialog that opens looks for this attribute; without it the whole list would have the focus. */
function markFirst(box: HTMLInputElement | null): void {
  box?.setAttribute("autofocus", "");
}

function Finder({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useWords(paletteWords);
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const { groups, busy } = useFound(typed);
  const go = ({ to, search = {} }: Way): void => {
    onClose();
    void navigate({ to, search });
  };
  const isEmpty = groups.length === 0;
  return (
    // What fits is decided by the gateway and by useFound.
    <Command label={t.title} shouldFilter={false} loop className="flex max-h-[76dvh] flex-col">
      <Command.Input
        value={typed}
        onValueChange={setTyped}
        placeholder={t.label}
        aria-label={t.label}
        ref={markFirst}
        className="h-12 w-full shrink-0 border-b border-line bg-paper px-4 -outline-offset-2"
      />
      <Command.List label={t.results} className={isEmpty ? "sr-only" : "min-h-0 overflow-y-auto p-2"}>
        {groups.map(({ title, ways }) => (
          <Command.Group
            key={title + ways[0]?.id}
            heading={title}
            className="pb-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-sm [&_[cmdk-group-heading]]:text-mute"
          >
            {ways.map((way) => (
              <Command.Item
                key={way.id}
                value={way.id}
                onSelect={() => go(way)}
                className="flex cursor-pointer flex-wrap items-baseline justify-between gap-x-4 rounded-md px-2 py-1.5 aria-selected:bg-accent-soft aria-selected:text-accent"
              >
                <span className="min-w-0 wrap-anywhere">{way.title}</span>
                {way.note !== undefined && <span className="text-sm wrap-anywhere">{way.note}</span>}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
      <p role="status" className="shrink-0 px-4 py-2 text-sm text-mute empty:hidden">
        {busy ? t.searching : isEmpty ? t.none : ""}
      </p>
    </Command>
  );
}
