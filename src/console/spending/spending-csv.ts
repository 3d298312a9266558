import { formatUsd } from "../../base/money.ts";
import { csvLine } from "../linked-file.ts";

/** A line of any file of spending. */
export interface SpendingLine {
  /** First and last day, or the hour's first and last second. */
  readonly from: string;
  readonly to: string;
  readonly by: string;
  readonly id: string;
  readonly name: string | null;
  readonly account: { readonly id: string; readonly name: string } | null;
  readonly requests: number;
  readonly errors: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly charge_nanos: string;
}

export type SpendingColumn<Line> = readonly [title: string, cellOf: (line: Line) => number | string | null];

/** The same in each file, so that files of accounts and of operators can be put together. Amounts are in US dollars. */
export const SPENDING_COLUMNS: readonly SpendingColumn<SpendingLine>[] = [
  ["from", (line) => line.from],
  ["to", (line) => line.to],
  ["by", (line) => line.by],
  ["id", (line) => line.id],
  ["name", (line) => line.name],
  ["account_id", (line) => line.account?.id ?? null],
  ["account", (line) => line.account?.name ?? null],
  ["requests", (line) => line.requests],
  ["errors", (line) => line.errors],
  ["input_tokens", (line) => line.input_tokens],
  ["output_tokens", (line) => line.output_tokens],
  ["charge_usd", (line) => formatUsd(BigInt(line.charge_nanos))],
];

export function spendingTitles<Line>(columns: readonly SpendingColumn<Line>[]): string {
  return csvLine(columns.map(([title]) => title));
}

export function spendingLines<Line>(
  columns: readonly SpendingColumn<Line>[],
  lines: readonly Line[],
): string {
  return lines.map((line) => csvLine(columns.map(([, cellOf]) => cellOf(line)))).join("");
}
