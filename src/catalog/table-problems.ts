import { formatDecimal, PPM } from "../base/money.ts";
import type { Path } from "../base/schema-issues.ts";
import { sameInAnyCase } from "../base/text.ts";
import { isPlainService } from "../usage/service-terms.ts";
import {
  hoursAt,
  MINUTES_PER_DAY,
  namesMissing,
  namesText,
  type PriceHours,
  type PriceTable,
  rowsOf,
} from "./price-table.ts";
import {
  keysOfTokenPrice,
  TOKEN_PRICE_NAMES,
  type TokenPriceName,
  type TokenPrices,
  tokenPrice,
} from "./token-prices.ts";

/** A problem of a price table, with its path in the catalog file. */
export interface TableProblem {
  readonly path: Path;
  readonly message: string;
}

/**
 * Lists what is wrong with a table: with such prices a larger request could cost less, or tokens could cost less than
 * anybody intended.
 */
export function tableProblems(table: PriceTable): TableProblem[] {
  return [
    ...stepProblems(table),
    ...tierProblems(table),
    ...hourProblems(table.hours),
    ...(["tiers", "speeds", "regions"] as const).flatMap((key) => caseProblems([key], table[key])),
  ];
}

/**
 * Lists names that differ in case only. Prices are looked up without regard to case, so only one of them could ever
 * apply.
 */
export function caseProblems(path: Path, prices: Readonly<Record<string, unknown>>): TableProblem[] {
  return sameInAnyCase(Object.keys(prices)).map(({ name, earlier }) => ({
    path: [...path, name],
    message: `is a duplicate of ${earlier}: names are matched in any case`,
  }));
}

function stepProblems(table: PriceTable): TableProblem[] {
  const { steps } = rowsOf(table.base, table);
  return table.steps.flatMap((step, index): TableProblem[] => {
    const path: Path = ["steps", index];
    const [beneath, row] = [steps[index], steps[index + 1]];
    if (beneath === undefined || row === undefined) return [];
    if (step.above <= beneath.above)
      return [
        { path: [...path, "above"], message: `must be above ${beneath.above}: steps are in ascending order` },
      ];
    if (Object.keys(step.prices).length === 0) return [{ path, message: "names no price" }];
    const missing = missingProblems(path, beneath.prices, step.prices);
    if (missing.length > 0) return missing;
    const lower = TOKEN_PRICE_NAMES.flatMap((name) => {
      const [before, after] = [tokenPrice(beneath.prices, name), tokenPrice(row.prices, name)];
      return before === undefined || after === undefined || after >= before ? [] : [{ name, before }];
    });
    // A price that is not named is taken from another one, whose problem is reported already.
    const named = lower.filter(({ name }) => step.prices[name] !== undefined);
    return (named.length > 0 ? named : lower.slice(0, 1)).map(({ name, before }) => ({
      path: [...path, ...keysOfTokenPrice(name)],
      message: `is below the ${usd(before)} of the row beneath: a longer request would cost less`,
    }));
  });
}

function tierProblems(table: PriceTable): TableProblem[] {
  return Object.entries(table.tiers).flatMap(([tier, terms]): TableProblem[] => {
    const path: Path = ["tiers", tier];
    if (isPlainService(tier))
      return [
        {
          path,
          message: "is the vendor's standard service; its price is the base price. Remove it",
        },
      ];
    if (!("prices" in terms)) return [];
    return missingProblems(path, table.base, terms.prices);
  });
}

/** A complete row that leaves out a name would charge an old price, which is mostly too low, or none at all. */
function missingProblems(path: Path, beneath: TokenPrices, row: TokenPrices): TableProblem[] {
  if (!namesText(row)) return [];
  const missing = namesMissing(beneath, row);
  if (missing.length === 0) return [];
  const names = `${missing.map(spelt).join(", ")} ${missing.length === 1 ? "is" : "are"} missing`;
  return [
    {
      path,
      message: `names input or output, so it must name every price of the previous step, or of the base price: ${names}`,
    },
  ];
}

function spelt(name: TokenPriceName): string {
  return keysOfTokenPrice(name).join(".");
}

function hourProblems(hours: readonly PriceHours[]): TableProblem[] {
  const problems: TableProblem[] = [];
  hours.forEach((each, index) => {
    const twin = hours.findIndex(({ name }) => name === each.name);
    if (twin < index) problems.push({ path: ["hours", index, "name"], message: "is a duplicate" });
    const other = hours.slice(0, index).find((earlier) => overlap(earlier, each));
    if (other !== undefined)
      problems.push({
        path: ["hours", index, "utc"],
        message: `overlaps "${other.name}": only one can apply at a time`,
      });
  });
  return problems;
}

/** Ranges begin and end on whole minutes, so it is enough to check the boundaries of both. */
function overlap(one: PriceHours, other: PriceHours): boolean {
  const starts = [...one.ranges, ...other.ranges].map(({ from }) => from);
  const days = Array.from({ length: 7 }, (_, day) => day * MINUTES_PER_DAY);
  const moments = days.flatMap((day) => [day, ...starts.map((from) => day + from)]);
  return moments.some((minute) => {
    const at = minute * 60_000;
    return hoursAt([one], at) !== undefined && hoursAt([other], at) !== undefined;
  });
}

/** Warnings about tables that are valid but probably a mistake. */
export function tableWarnings(table: PriceTable): string[] {
  const { steps, tiers } = rowsOf(table.base, table);
  const cheap = Object.entries(table.tiers).flatMap(([tier, terms]) =>
    "factor" in terms && terms.factor < PPM && !CHEAPER_TIERS.has(tier.toLowerCase())
      ? [`tier ${tier} has factor ${formatDecimal(terms.factor, 6)}, which makes it cheaper than no tier`]
      : [],
  );
  const sunk = Array.from(tiers, ([tier, row]) => {
    const base = steps[0]?.prices ?? {};
    const names = (["input", "output"] as const).filter((name) =>
      steps.some(({ prices }) => {
        const [own, plain, first] = [row.prices[name], prices[name], base[name]];
        if (own === undefined || plain === undefined || first === undefined) return false;
        return own >= first && own < plain;
      }),
    );
    return names.map((name) => `tier ${tier} has an ${name} price below that of a step, and no steps itself`);
  });
  return [...cheap, ...sunk.flat()];
}

/** Tiers with slower service, which vendors sell for less. */
const CHEAPER_TIERS: ReadonlySet<string> = new Set(["flex", "batch"]);

function usd(nanos: bigint): string {
  return formatDecimal(nanos, 9);
}
