import { PPM, parseWrittenNumber } from "../base/money.ts";
import { pathText } from "../base/schema-issues.ts";
import { NO_DIMENSIONS, type PriceHours, type PriceStep, type PriceTable } from "../catalog/price-table.ts";
import { tableProblems } from "../catalog/table-problems.ts";
import { TOKEN_PRICE_NAMES, type TokenPrices } from "../catalog/token-prices.ts";
import { NotExpressible } from "./list-entry.ts";

/** A row of prices while it is being built. */
export type Row = { -readonly [Name in keyof TokenPrices]: TokenPrices[Name] };

/** Returns the number in a list, exact to this many decimal places. Throws NotExpressible if it has more. */
export function exactly(field: string, written: string, places: number): bigint {
  if (!/^\d/.test(written)) throw new NotExpressible(`${field} is ${written}, which is no price`);
  try {
    return parseWrittenNumber(written, places);
  } catch {
    throw new NotExpressible(`${field} is ${written}, which has too many decimal places to be kept exactly`);
  }
}

/**
 * Returns the factor, in parts per million, between all these prices and the plain ones; undefined = there is no common
 * factor.
 */
export function commonFactor(plain: TokenPrices, other: TokenPrices): bigint | undefined {
  let factor: bigint | undefined;
  for (const name of TOKEN_PRICE_NAMES) {
    const [from, to] = [plain[name], other[name]];
    if (from === undefined && to === undefined) continue;
    if (from === undefined || to === undefined) return undefined;
    if (from === 0n && to === 0n) continue;
    if (from === 0n || (to * PPM) % from !== 0n) return undefined;
    const own = (to * PPM) / from;
    if (factor !== undefined && factor !== own) return undefined;
    factor = own;
  }
  return factor ?? PPM;
}

/**
 * Steps sorted by boundary, each a complete row. Two boundaries that mean the same one are a contradiction in the list.
 */
export function stepsOf(rows: Iterable<readonly [above: number, prices: TokenPrices]>): PriceStep[] {
  return Array.from(rows, ([above, prices]) => ({ above, prices })).sort(
    (one, other) => one.above - other.above,
  );
}

/** Hours, named by position, without those that change nothing. */
export function hoursOf(hours: readonly Omit<PriceHours, "name">[]): PriceHours[] {
  return hours
    .filter(({ factor }) => factor !== PPM)
    .map((each, index) => ({ name: `hours ${index + 1}`, ...each }));
}

/** Returns the table if the catalog accepts it; otherwise throws NotExpressible. */
export function validTable(parts: Partial<PriceTable> & Pick<PriceTable, "base">): PriceTable {
  const table: PriceTable = { ...NO_DIMENSIONS, ...parts };
  if (table.base.input === undefined) throw new NotExpressible("it has no price for input tokens");
  const [problem] = tableProblems(table);
  if (problem !== undefined) throw new NotExpressible(`${pathText(problem.path)} ${problem.message}`);
  return table;
}
