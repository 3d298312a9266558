import type { ReactNode } from "react";
import type { AuditRow } from "../../../../src/console/audit/contract.ts";
import { useWords } from "../../words/use-words.ts";
import { catalogWords } from "../operator-catalog/words.ts";
import { type Difference, differencesOf } from "./differences.ts";
import { auditWords } from "./words.ts";

/** As many as say what a change was about; the others open. */
const SHOWN = 4;

/** What changed: each value with how it stood before. */
export function Change({ row }: { readonly row: AuditRow }): ReactNode {
  const t = useWords(auditWords);
  const found = differencesOf(row.before, row.after);
  const rest = found.slice(SHOWN);
  return (
    <div className="flex flex-col gap-1">
      <List found={found.slice(0, SHOWN)} />
      {rest.length > 0 && (
        <details>
          <summary className="cursor-pointer text-sm text-accent">{t.more(rest.length)}</summary>
          <List found={rest} />
        </details>
      )}
    </div>
  );
}

function List({ found }: { readonly found: readonly Difference[] }): ReactNode {
  const { subject } = useWords(catalogWords);
  return (
    <ul className="flex flex-col gap-0.5">
      {found.map(({ path, before, after }) => (
        <li key={path} className="min-w-0 wrap-anywhere">
          {path !== "" && <code className="text-mute">{nameIn(subject, path)} </code>}
          {before !== undefined && <del className="bg-bad-soft text-bad">{before}</del>}
          {before !== undefined && after !== undefined && " → "}
          {after !== undefined && (
            <ins
              className={`bg-good-soft whitespace-pre-line text-good no-underline ${after.includes("\n") ? "block w-fit" : ""}`}
            >
              {after}
            </ins>
          )}
        </li>
      ))}
    </ul>
  );
}

/** "~ model a" with the word for a model in the page's language. */
function nameIn(subjects: Readonly<Record<string, string>>, path: string): string {
  const [, mark, subject = "", name] = /^([+~-] )(\w+)(.*)$/.exec(path) ?? [];
  return mark === undefined ? path : `${mark}${subjects[subject] ?? subject}${name}`;
}
