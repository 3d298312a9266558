import type { ReactNode } from "react";
import type { Clash } from "../api/merge-drafts.ts";
import type { Edit } from "../api/use-edit.ts";
import { useWords } from "../words/use-words.ts";
import { Button } from "./button.tsx";
import { Failed } from "./failure.tsx";
import { partsWords } from "./words.ts";

/** The form's names of its fields: one text, or one for each value within. */
export type FieldNames<Draft> = {
  readonly [Field in keyof Draft]: Draft[Field] extends
    | string
    | number
    | boolean
    | undefined
    | readonly unknown[]
    ? string
    : { readonly [Within in keyof Draft[Field]]: string };
};

interface MeanwhileProps<Shown, Draft> {
  readonly edit: Edit<Shown, Draft>;
  readonly names: FieldNames<Draft>;
}

/** `<Meanwhile edit={edit} names={…} />` above a form's buttons: somebody was faster, and how to go on without losing anything. */
export function Meanwhile<Shown, Draft>({ edit, names }: MeanwhileProps<Shown, Draft>): ReactNode {
  const t = useWords(partsWords);
  const { state, load, loading, error, clashes, take } = edit.meanwhile;
  if (state === "none") return null;
  const isRefused = state === "refused";
  const shownOf = ({ there }: Clash): string =>
    typeof there === "boolean" ? (there ? t.yes : t.no) : textOf(there) || t.meanwhileEmpty;
  return (
    <div role="alert" className="flex flex-col items-start gap-2 border-l-2 border-warn py-1 pl-4">
      <p className="font-medium">{isRefused ? t.meanwhileChanged : t.meanwhileLoaded}</p>
      <p>{isRefused ? t.meanwhileKept : t.meanwhileCheck}</p>
      {isRefused && (
        <Button icon="retry" busy={loading} onClick={load}>
          {t.meanwhileLoad}
        </Button>
      )}
      {isRefused && error != null && <Failed error={error} />}
      {!isRefused && clashes.length > 0 && (
        <>
          <p>{t.meanwhileBoth}</p>
          <ul className="flex flex-col gap-2">
            {clashes.map((clash) => (
              <li key={clash.path.join(".")} className="flex flex-wrap items-center gap-2">
                <span className="min-w-0 break-words">
                  {t.meanwhileThere(nameOf(names, clash), shownOf(clash))}
                </span>
                <Button
                  aria-label={`${t.meanwhileTake}: ${nameOf(names, clash)}`}
                  onClick={() => take(clash)}
                >
                  {t.meanwhileTake}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function nameOf<Draft>(names: FieldNames<Draft>, { path: [field, within] }: Clash): string {
  const name = (names as Readonly<Record<string, string | Readonly<Record<string, string>>>>)[field];
  if (typeof name === "string") return name;
  return (within === undefined ? undefined : name?.[within]) ?? field;
}

/** A value as one would type it. */
function textOf(value: unknown): string {
  if (Array.isArray(value))
    return value.map((each: unknown) => (Array.isArray(each) ? each.join(" → ") : textOf(each))).join(", ");
  if (typeof value !== "object" || value === null) return String(value ?? "");
  return Object.values(value)
    .map(textOf)
    .filter((text) => text !== "")
    .join(" ");
}
