import type { ReactNode } from "react";
import type { CatalogPlan } from "../../../../src/console/catalog/contract.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Rows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { catalogWords } from "./words.ts";

const TONES: Readonly<Record<CatalogPlan["changes"][number]["action"], Tone>> = {
  create: "good",
  grant: "good",
  update: "accent",
  delete: "bad",
  disable: "bad",
  revoke: "bad",
};

/** What a catalog file would change, or every problem in it by its line. */
export function PlanView({ plan }: { readonly plan: CatalogPlan }): ReactNode {
  const t = useWords(catalogWords);
  if (plan.problems.length > 0) {
    return (
      <div role="alert" className="flex flex-col gap-2 border-l-2 border-bad pl-4">
        <p className="font-medium text-bad">{t.problemsTitle(plan.problems.length)}</p>
        <ul className="flex flex-col gap-1">
          {plan.problems.map(({ line, column, path, message }) => (
            <li key={`${line} ${column} ${path} ${message}`} className="break-words">
              {line > 0 && <span className="text-mute">{t.line(line, column)} </span>}
              {path !== "" && <code className="font-mono text-sm">{path}</code>} {message}
            </li>
          ))}
        </ul>
      </div>
    );
  }
  return (
    <div role="status" className="flex flex-col gap-3">
      <p className="font-medium">
        {plan.changes.length === 0 ? t.noChanges : t.changesTitle(plan.changes.length)}
      </p>
      {plan.changes.length > 0 && <Changes changes={plan.changes} />}
      {plan.notes.length > 0 && (
        <div className="border-l-2 border-warn pl-4">
          <p className="font-medium">{t.notes}</p>
          <ul className="list-disc pl-4">
            {plan.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function Changes({ changes }: Pick<CatalogPlan, "changes">): ReactNode {
  const t = useWords(catalogWords);
  return (
    <Rows
      caption={t.changesTitle(changes.length)}
      rows={changes}
      rowKey={({ subject, name, action }) => `${subject} ${name} ${action}`}
      columns={[
        {
          title: <span className="sr-only">{t.actions}</span>,
          cell: ({ action }) => <Badge tone={TONES[action]}>{t.action[action]}</Badge>,
        },
        {
          title: t.thing,
          cell: ({ subject, name }) => (
            <span className="break-all">
              <span className="text-mute">{t.subject[subject]}</span> {name}
            </span>
          ),
        },
        {
          title: t.details,
          cell: ({ details }) => (
            <ul>
              {details.map((detail) => (
                <li key={detail} className="break-words">
                  {detail}
                </li>
              ))}
            </ul>
          ),
        },
      ]}
    />
  );
}
