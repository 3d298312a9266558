import type { ReactNode } from "react";
import { ApiError, faultOf } from "../../api/api-error.ts";
import { readAmount } from "../../format/amount.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Checkbox, Field, Input, Select } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import {
  type BudgetDraft,
  givenTargets,
  type Period,
  readPercents,
  type TargetDraft,
  withTarget,
} from "./terms.ts";
import { budgetsWords } from "./words.ts";

interface BudgetFieldsProps {
  readonly draft: BudgetDraft;
  readonly change: (values: Partial<BudgetDraft>) => void;
  readonly error: unknown;
}

const PERIODS: readonly Period[] = ["day", "week", "month"];
const KINDS: readonly TargetDraft["kind"][] = ["slack", "teams", "email", "webhook"];

/** The gateway's names of the fields that show their own error. */
const SHOWN = new Set(["name", "amount_usd", "amount_nanos", "user", "key", "model", "alerts.percents"]);

/** True if a field shows the error already. */
export function isShown(error: unknown, draft: BudgetDraft): boolean {
  if (!(error instanceof ApiError)) return false;
  return (
    SHOWN.has(error.param) ||
    givenTargets(draft).some((each, index) => error.param === targetParam(each, index))
  );
}

function targetParam({ kind }: TargetDraft, index: number): string {
  return `alerts.targets.${index}.${kind === "email" ? "address" : "url"}`;
}

/** All that may be said of a budget, and changed later. */
export function BudgetFields({ draft, change, error }: BudgetFieldsProps): ReactNode {
  const t = useWords(budgetsWords);
  const amountWrong = draft.amount !== "" && readAmount(draft.amount) === undefined;
  const amountFault = faultOf(error, "amount_usd") ?? faultOf(error, "amount_nanos");
  return (
    <>
      <Field label={t.name} error={faultOf(error, "name")}>
        <Input
          value={draft.name}
          maxLength={100}
          required
          autoFocus
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t.amount} error={amountWrong ? t.amountWrong : amountFault}>
          <Input
            inputMode="decimal"
            required
            value={draft.amount}
            onChange={(event) => change({ amount: event.target.value })}
          />
        </Field>
        <Field label={t.period}>
          <Select value={draft.period} onChange={(event) => change({ period: event.target.value as Period })}>
            {PERIODS.map((period) => (
              <option key={period} value={period}>
                {t.periods[period]}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <Checkbox
        label={t.hardField}
        hint={t.hardHint}
        checked={draft.hard}
        onChange={(event) => change({ hard: event.target.checked })}
      />
      <AlertFields draft={draft} change={change} error={error} />
    </>
  );
}

/** From which percentages on which channels are told. */
function AlertFields({ draft, change, error }: BudgetFieldsProps): ReactNode {
  const t = useWords(budgetsWords);
  const { targets } = draft;
  const percentsWrong = readPercents(draft.percents) === undefined;
  const put = (at: number, values: Partial<TargetDraft>): void =>
    change({ targets: targets.map((each, index) => (index === at ? { ...each, ...values } : each)) });
  const faultAt = (target: TargetDraft): ApiError | undefined =>
    faultOf(error, targetParam(target, givenTargets(draft).indexOf(target)));
  return (
    <>
      <Field
        label={t.percents}
        hint={t.percentsHint}
        error={percentsWrong ? t.percentsWrong : faultOf(error, "alerts.percents")}
      >
        <Input value={draft.percents} onChange={(event) => change({ percents: event.target.value })} />
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">{t.targets}</legend>
        {targets.map((target, index) => (
          // A channel has no name of its own, and rows are added and removed at will.
          <div key={index} className="flex items-start gap-2">
            <div className="w-28 shrink-0">
              <Field label={t.kind}>
                <Select
                  value={target.kind}
                  onChange={(event) => put(index, { kind: event.target.value as TargetDraft["kind"] })}
                >
                  {KINDS.map((kind) => (
                    <option key={kind} value={kind}>
                      {t.kinds[kind]}
                    </option>
                  ))}
                </Select>
              </Field>
            </div>
            <div className="min-w-0 flex-1">
              <Field label={t.urls[target.kind]} error={faultAt(target)}>
                <Input
                  type={target.kind === "email" ? "email" : "url"}
                  value={target.place}
                  maxLength={2000}
                  onChange={(event) => put(index, { place: event.target.value })}
                />
              </Field>
            </div>
            <div className="pt-6">
              <IconButton
                icon="close"
                label={t.removeTarget(index + 1)}
                onClick={() => change({ targets: targets.filter((_, at) => at !== index) })}
              />
            </div>
          </div>
        ))}
        {targets.length < 10 && (
          <div>
            <Button icon="plus" onClick={() => change(withTarget(draft))}>
              {t.addTarget}
            </Button>
          </div>
        )}
      </fieldset>
    </>
  );
}
