import { PPM, parseWrittenNumber } from "../base/money.ts";
import { pathText } from "../base/schema-issues.ts";
import { NO_DIMENSIONS, type PriceHours, type PriceStep, type PriceTable } from "../catalog/price-table.ts";
import { tableProblems } from "../catalog/table-problems.ts";
import { TOKEN_PRICE_NAMES, type TokenPrices } from "../catalog/token-prices.ts";
import { NotExpressible } from "./list-entry.ts";

/** Row of prices while it is being read. */
export type Row = { -readonly [Name in keyof TokenPrices]: TokenPrices[Name] };

/** A number as a list writes it, exact to this many places. Throws NotExpressible beyond them. */
export function exactly(field: string, written: string, places: number): bigint {
  if (!/^\d/.test(written)) throw new NotExpressible(`${field} is ${written}, which is no price`);
  try {
    return parseWrittenNumber(written, places);
  } catch {
    throw new NotExpressible(`${field} is ${written}, which has too many decimal places to be kept exactly`);
  }
}

/** The factor, in parts per million, by which all these prices differ from the plain ones; undefined = there is no one. */
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

/** Steps by rising boundary, each a whole row. Where two boundaries mean the same one, the list contradicts itself. */
export function stepsOf(rows: Iterable<readonly [above: number, prices: TokenPrices]>): PriceStep[] {
  return Array.from(rows, ([above, prices]) => ({ above, prices })).sort(
    (one, other) => one.above - other.above,
  );
}

/** Hours named by their place, those that change nothing left out. */
export function hoursOf(hours: readonly Omit<PriceHours, "name">[]): PriceHours[] {
  return hours
    .filter(({ factor }) => factor !== PPM)
    .map((each, index) => ({ name: `hours ${index + 1}`, ...each }));
}

/** The table, if it is one that the catalog takes. Throws NotExpressible. */
export function validTable(parts: Partial<PriceTable> & Pick<PriceTable, "base">): PriceTable {
  const table: PriceTable = { ...NO_DIMENSIONS, ...parts };
  if (table.base.input === undefined) throw new NotExpressible("it has no price for input tokens");
  const [problem] = tableProblems(table);
  if (problem !== undefined) throw new NotExpressible(`${pathText(problem.path)} ${problem.message}`);
  return table;
}
