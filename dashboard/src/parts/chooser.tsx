import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from "react";
import type { ListAnswer } from "../api/use-list.ts";
import { useRead } from "../api/use-read.ts";
import { useWords } from "../words/use-words.ts";
import { Failed } from "./failure.tsx";
import { Input } from "./field.tsx";
import { partsWords } from "./words.ts";

/** How long typing rests before the gateway is asked. */
const REST_MS = 250;
/** As many as are looked over at a glance; more words find the others. */
const MAX_SHOWN = 20;

/** As wide as its box, so that it stands within the window wherever that does. */
const OVER =
  "absolute inset-x-0 top-full z-20 mt-1 flex flex-col gap-1 rounded-md border border-line bg-paper p-1 shadow-lg";

/** One of many: what the page keeps of it. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  /** What tells it from its likes, beside its name. */
  readonly note?: string;
}

interface ChooserProps<Row> {
  /** A list below /api that takes `?search=`. */
  readonly path: string;
  readonly choiceOf: (row: Row) => Choice;
  readonly chosen: Choice | null;
  /** null: what was chosen is no more, as the text was changed. */
  readonly onChoose: (choice: Choice | null) => void;
  readonly placeholder?: string;
  /** The list stands over what follows: where a row of filters would be torn apart by it. */
  readonly over?: boolean;
}

/**
 * Within Field, one of more things than a Select should list, found by a part of its name. Nothing is chosen by typing
 * alone, as a part of a name may fit another: it takes a click, or an arrow and Enter. In a form the list stands below the
 * box and not over the page, as a dialog would cut it off.
 */
export function Chooser<Row>({
  path,
  choiceOf,
  chosen,
  onChoose,
  placeholder,
  over = false,
}: ChooserProps<Row>): ReactNode {
  const t = useWords(partsWords);
  const listId = useId();
  const [typed, setTyped] = useState("");
  const [open, setOpen] = useState(false);
  const [pointed, setPointed] = useState<string>();
  const text = chosen?.name ?? typed;
  const found = useFound<Row>(path, typed, open);
  const choices = (found.rows ?? []).map(choiceOf);
  const at = choices.findIndex(({ id }) => id === pointed);
  const expanded = open && choices.length > 0;

  const close = (): void => {
    setOpen(false);
    setPointed(undefined);
  };
  const choose = (choice: Choice): void => {
    onChoose(choice);
    setTyped("");
    close();
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const pointedAt = choices[at];
    if (step !== undefined) {
      setOpen(true);
      // Round and round; from nowhere to the first or the last.
      const next = at === -1 ? (step === 1 ? 0 : -1) : at + step;
      setPointed(choices.at(next % Math.max(choices.length, 1))?.id);
    } else if (open && event.key === "Enter") {
      // The text is no choice yet, so it must not send the form.
      if (pointedAt !== undefined) choose(pointedAt);
    } else if (open && event.key === "Escape") close();
    else return;
    event.preventDefault();
  };

  return (
    <div className="relative flex flex-col gap-1">
      <Input
        role="combobox"
        aria-expanded={expanded}
        aria-controls={expanded ? listId : undefined}
        aria-autocomplete="list"
        aria-activedescendant={expanded && at !== -1 ? `${listId}-${pointed}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          if (chosen !== null) onChoose(null);
          setTyped(event.target.value);
          setPointed(undefined);
          setOpen(true);
        }}
        onClick={() => setOpen(true)}
        onKeyDown={press}
        onBlur={() => {
          // What stands in the box is what is chosen, or nothing.
          setTyped("");
          close();
        }}
      />
      <div className={over && open ? OVER : "contents"}>
        {expanded && (
          <Choices id={listId} choices={choices} pointed={pointed} busy={found.busy} onChoose={choose} />
        )}
        {open && found.error !== null && <Failed error={found.error} />}
        <p role="status" className="text-sm text-mute empty:sr-only">
          {open && found.error === null && (found.busy ? t.loading : t.found(choices.length, found.more))}
        </p>
      </div>
    </div>
  );
}

function Choices({
  id: listId,
  choices,
  pointed,
  busy,
  onChoose,
}: {
  readonly id: string;
  readonly choices: readonly Choice[];
  readonly pointed: string | undefined;
  /** They are those of an earlier text. */
  readonly busy: boolean;
  readonly onChoose: (choice: Choice) => void;
}): ReactNode {
  const t = useWords(partsWords);
  useEffect(() => {
    if (pointed !== undefined)
      document.getElementById(`${listId}-${pointed}`)?.scrollIntoView({ block: "nearest" });
  }, [listId, pointed]);
  return (
    <div
      id={listId}
      role="listbox"
      aria-label={t.choices}
      aria-busy={busy}
      // The box keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      className={`max-h-60 overflow-y-auto rounded-md border border-line py-1 ${busy ? "opacity-60" : ""}`}
    >
      {choices.map((choice) => (
        <div
          key={choice.id}
          id={`${listId}-${choice.id}`}
          role="option"
          tabIndex={-1}
          aria-selected={choice.id === pointed}
          className="flex cursor-pointer flex-wrap items-baseline justify-between gap-x-4 px-2 py-1 hover:bg-shade aria-selected:bg-accent-soft"
          onClick={() => onChoose(choice)}
          onKeyDown={() => undefined}
        >
          <span className="min-w-0 break-words">{choice.name}</span>
          {choice.note !== undefined && <span className="text-sm text-mute">{choice.note}</span>}
        </div>
      ))}
    </div>
  );
}

/** What the list has for a text, once typing rests. */
function useFound<Row>(path: string, typed: string, enabled: boolean) {
  const [search, setSearch] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data, error, isPlaceholderData } = useRead<ListAnswer<Row>>(
    path,
    { search: search.trim(), limit: MAX_SHOWN },
    { enabled },
  );
  return {
    rows: data?.data,
    more: data?.next != null,
    error,
    busy: data === undefined || isPlaceholderData || search !== typed,
  };
}
