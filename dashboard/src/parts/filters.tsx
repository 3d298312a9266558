import { type ReactNode, useEffect, useState } from "react";
import type { Offered, RowOf } from "../api/operations.ts";
import { useSearch } from "../api/search.ts";
import { useReadAny } from "../api/use-read.ts";
import { useWords } from "../words/use-words.ts";
import { Button } from "./button.tsx";
import { type Choice, Chooser } from "./chooser.tsx";
import { Field, Input, Select } from "./field.tsx";
import { partsWords } from "./words.ts";

/** The pause in typing after which the URL follows. */
const REST_MS = 300;

/** A row of filters kept in the URL: `<Filters names={["q", "state"]}><SearchFilter …/><SelectFilter …/></Filters>`. */
export function Filters({
  names,
  children,
}: {
  readonly names: readonly string[];
  readonly children: ReactNode;
}): ReactNode {
  const t = useWords(partsWords);
  const [search, change] = useSearch();
  const given = names.some((name) => search[name]);
  const clear = () =>
    change({ ...Object.fromEntries(names.map((name) => [name, undefined])), after: undefined });
  return (
    <search className="flex flex-wrap items-end gap-2">
      {children}
      {given && (
        <Button look="quiet" icon="close" onClick={clear}>
          {t.clear}
        </Button>
      )}
    </search>
  );
}

/** `<SelectFilter name="state" label={t.state} options={[["active", t.active], …]} all={t.anyState} />` */
export function SelectFilter({
  name,
  label,
  options,
  all,
}: {
  readonly name: string;
  readonly label: string;
  readonly all: string;
  readonly options: readonly (readonly [value: string, title: string])[];
}): ReactNode {
  const [search, change] = useSearch();
  return (
    <div className="min-w-28">
      <Field label={label} quiet>
        <Select
          value={search[name] ?? ""}
          onChange={(event) => change({ [name]: event.target.value, after: undefined })}
        >
          <option value="">{all}</option>
          {options.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  );
}

/** One of more things than SelectFilter should list. `<ChooserFilter name="key" label={t.key} all={t.anyKey} path={`/accounts/${account}/keys`} choiceOf={…} />` */
export function ChooserFilter<const Path extends string>({
  name,
  label,
  all,
  path,
  choiceOf,
}: {
  readonly name: string;
  readonly label: string;
  readonly all: string;
  /** The path has Chooser's form, with each of the list below it by its id. */
  readonly path: Path & Offered<Path, "get">;
  readonly choiceOf: (row: RowOf<Path>) => Choice;
}): ReactNode {
  const [search, change] = useSearch();
  const given = search[name] ?? "";
  // The choice made here, until the URL has it or another one; its name need not be read.
  const [chosen, setChosen] = useState<Choice | null>();
  useEffect(() => setChosen((now) => ((now?.id ?? "") === given ? now : undefined)), [given]);
  const named = useReadAny<RowOf<Path>>(
    `${path}/${encodeURIComponent(given)}`,
    {},
    { enabled: given !== "" && chosen === undefined },
  );
  const ofUrl = (): Choice | null => {
    if (given === "") return null;
    const { data, isPlaceholderData } = named;
    return data === undefined || isPlaceholderData ? { id: given, name: `#${given}` } : choiceOf(data);
  };
  return (
    <div className="min-w-44 flex-1 sm:max-w-64">
      <Field label={label} quiet>
        <Chooser
          path={path}
          choiceOf={choiceOf}
          chosen={chosen === undefined ? ofUrl() : chosen}
          onChoose={(choice) => {
            setChosen(choice);
            change({ [name]: choice?.id, after: undefined });
          }}
          placeholder={all}
          over
        />
      </Field>
    </div>
  );
}

/** Text that is searched for; `/` leads to it. `<SearchFilter name="q" label={t.search} />` */
export function SearchFilter({
  name,
  label,
  type = "search",
}: {
  readonly name: string;
  readonly label: string;
  readonly type?: "search" | "date";
}): ReactNode {
  const [search, change] = useSearch();
  const known = search[name] ?? "";
  const [text, setText] = useState(known);
  useEffect(() => setText(known), [known]);
  useEffect(() => {
    if (text === known) return;
    const timer = setTimeout(() => change({ [name]: text, after: undefined }, { replace: true }), REST_MS);
    return () => clearTimeout(timer);
  });
  return (
    <div className="min-w-28 flex-1 sm:max-w-64">
      <Field label={label} quiet={type === "search"}>
        <Input
          type={type}
          placeholder={label}
          value={text}
          data-search={type === "search" || undefined}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
    </div>
  );
}
