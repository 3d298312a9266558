import { type UseComboboxState, type UseComboboxStateChangeOptions, useCombobox } from "downshift";
import { type ReactNode, useEffect, useState } from "react";
import type { Offered, RowOf } from "../api/operations.ts";
import type { ListAnswer } from "../api/use-list.ts";
import { useReadAny } from "../api/use-read.ts";
import { useWords } from "../words/use-words.ts";
import { Failed } from "./failure.tsx";
import { Input, useAttributes } from "./field.tsx";
import { partsWords } from "./words.ts";

/** The pause in typing after which the gateway is asked. */
const REST_MS = 250;
/** The number of rows that can be read at a glance; more words find the others. */
const MAX_SHOWN = 20;

/** The list is as wide as its box, so that it stays within the window. */
const OVER =
  "absolute inset-x-0 top-full z-20 mt-1 flex flex-col gap-1 rounded-md border border-line bg-paper p-1 shadow-lg";

/** One of many: what the page keeps of it. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  /** A text that distinguishes it from others of its name. */
  readonly note?: string;
}

interface ChooserProps<Path extends string> {
  /** A list below /api that takes `?search=`. */
  readonly path: Path & Offered<Path, "get">;
  readonly choiceOf: (row: RowOf<Path>) => Choice;
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
export function Chooser<const Path extends string>({
  path,
  choiceOf,
  chosen,
  onChoose,
  placeholder,
  over = false,
}: ChooserProps<Path>): ReactNode {
  const t = useWords(partsWords);
  const { id: inputId } = useAttributes();
  const [typed, setTyped] = useState("");
  const [open, setOpen] = useState(false);
  const [pointed, setPointed] = useState<string>();
  const found = useFound<RowOf<Path>>(path, typed, open);
  const choices = (found.rows ?? []).map(choiceOf);
  const expanded = open && choices.length > 0;
  const box = useCombobox<Choice>({
    items: choices,
    itemToString: (choice) => choice?.name ?? "",
    itemToKey: (choice) => choice?.id,
    inputId,
    inputValue: chosen?.name ?? typed,
    selectedItem: chosen,
    isOpen: open,
    // The highlight follows the id, because the list may change under it.
    highlightedIndex: choices.findIndex(({ id }) => id === pointed),
    stateReducer,
    onIsOpenChange: ({ isOpen }) => setOpen(isOpen),
    onHighlightedIndexChange: ({ highlightedIndex }) => setPointed(choices[highlightedIndex]?.id),
    onSelectedItemChange: ({ selectedItem, type }) => {
      onChoose(selectedItem);
      if (type !== useCombobox.stateChangeTypes.InputChange) setTyped("");
    },
  });

  return (
    <div className="relative flex flex-col gap-1">
      <Input
        {...box.getInputProps({
          "aria-labelledby": undefined,
          "aria-expanded": expanded,
          ...(expanded ? {} : { "aria-controls": undefined }),
          spellCheck: false,
          placeholder,
          // Not in onInputValueChange, which comes too late for the cursor to stay where it is.
          onChange: (event) => setTyped(event.currentTarget.value),
          onKeyDown(event) {
            // A closed list leaves Escape to the dialog, and does not give up what is chosen.
            const leaves = event.key === "Escape" && !open;
            Object.assign(event.nativeEvent, { preventDownshiftDefault: leaves });
          },
          // The box shows the chosen item, or nothing.
          onBlur: () => setTyped(""),
        })}
      />
      <div className={over && open ? OVER : "contents"}>
        <div
          {...box.getMenuProps({
            "aria-label": t.choices,
            "aria-busy": found.busy,
            hidden: !expanded,
            // The box keeps the focus.
            onMouseDown: (event) => event.preventDefault(),
            className: `max-h-60 overflow-y-auto rounded-md border border-line py-1 ${found.busy ? "opacity-60" : ""}`,
          })}
        >
          {expanded &&
            choices.map((choice, index) => (
              <div
                key={choice.id}
                {...box.getItemProps({
                  item: choice,
                  index,
                  className:
                    "flex cursor-pointer flex-wrap items-baseline justify-between gap-x-4 px-2 py-1 aria-selected:bg-accent-soft",
                })}
              >
                <span className="min-w-0 break-words">{choice.name}</span>
                {choice.note !== undefined && <span className="text-sm text-mute">{choice.note}</span>}
              </div>
            ))}
        </div>
        {open && found.error !== null && <Failed error={found.error} />}
        <p role="status" className="text-sm text-mute empty:sr-only">
          {open && found.error === null && (found.busy ? t.loading : t.found(choices.length, found.more))}
        </p>
      </div>
    </div>
  );
}

/** Nothing is chosen by leaving the box, what is chosen is no more once the text is changed, and a click only opens. */
function stateReducer(
  state: UseComboboxState<Choice>,
  { type, changes }: UseComboboxStateChangeOptions<Choice>,
): Partial<UseComboboxState<Choice>> {
  const { InputBlur, InputChange, InputClick } = useCombobox.stateChangeTypes;
  if (type === InputBlur) return { ...changes, selectedItem: state.selectedItem };
  if (type === InputChange) return { ...changes, selectedItem: null };
  if (type === InputClick) return { ...changes, isOpen: true };
  return changes;
}

/** The rows for a text, once typing pauses. */
function useFound<Row>(path: string, typed: string, enabled: boolean) {
  const [search, setSearch] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data, error, isPlaceholderData } = useReadAny<ListAnswer<Row>>(
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
