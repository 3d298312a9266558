import type { BudgetRow } from "../../../../src/console/budgets/contract.ts";
import { readNanos, typedAmount } from "../../format/amount.ts";

export type Period = BudgetRow["period"];
type Target = BudgetRow["alerts"]["targets"][number];

/** A target as it is typed: its URL or, of an e-mail, its address. */
export interface TargetDraft {
  readonly kind: Target["kind"];
  readonly place: string;
}

/** What the form of a budget holds: texts, as people type them. */
export interface BudgetDraft {
  readonly name: string;
  readonly amount: string;
  readonly period: Period;
  readonly hard: boolean;
  readonly percents: string;
  readonly targets: readonly TargetDraft[];
}

const NO_TARGET: TargetDraft = { kind: "slack", place: "" };

/** A channel is asked for from the beginning, as a budget that nobody hears of is of little use. */
export const EMPTY_DRAFT: BudgetDraft = {
  name: "",
  amount: "",
  period: "month",
  hard: false,
  percents: "50, 80, 100",
  targets: [NO_TARGET],
};

export function draftOf({ name, amount_nanos, period, hard, alerts }: BudgetRow): BudgetDraft {
  const { percents, targets } = alerts;
  return {
    name,
    amount: typedAmount(amount_nanos),
    period,
    hard,
    percents: percents.join(", "),
    targets: targets.map(typedTarget),
  };
}

/** Gives one more target to fill in. */
export function withTarget(draft: BudgetDraft): Partial<BudgetDraft> {
  return { targets: [...draft.targets, NO_TARGET] };
}

/** What is sent; undefined where the amount or the percentages can't be read. A target without a URL or address is none. */
export function termsOf(draft: BudgetDraft) {
  const amount = readNanos(draft.amount);
  const percents = readPercents(draft.percents);
  if (amount === undefined || percents === undefined) return undefined;
  return {
    name: draft.name.trim(),
    amount_nanos: amount,
    period: draft.period,
    hard: draft.hard,
    alerts: { percents, targets: givenTargets(draft).map(sentTarget) },
  };
}

/** The targets that are sent: their numbers are those of the gateway's errors. */
export function givenTargets({ targets }: BudgetDraft): readonly TargetDraft[] {
  return targets.filter(({ place }) => place.trim() !== "");
}

function typedTarget(target: Target): TargetDraft {
  return { kind: target.kind, place: target.kind === "email" ? target.address : target.url };
}

function sentTarget({ kind, place }: TargetDraft): Target {
  return kind === "email" ? { kind, address: place.trim() } : { kind, url: place.trim() };
}

const MOST_PERCENTS = 10;
const MAX_PERCENT = 1000;

/** "50, 80, 100" as numbers; none at all is a list too. Undefined where a part is no whole percentage, or is there twice. */
export function readPercents(typed: string): number[] | undefined {
  const parts = typed.split(/[\s,，、]+/).filter((part) => part !== "");
  const percents = parts.map((part) => (/^\d{1,4}%?$/.test(part) ? Number.parseInt(part, 10) : 0));
  const isSound = percents.every((percent) => percent >= 1 && percent <= MAX_PERCENT);
  const differ = new Set(percents).size === percents.length;
  return isSound && differ && percents.length <= MOST_PERCENTS ? percents : undefined;
}
