import { closestMatch } from "../base/text.ts";
import { type CsvCell, parseCsv } from "./csv-records.ts";
import {
  daysOf,
  ExportFormatError,
  type ExportProblem,
  type ExportRow,
  isDay,
  type LeftOut,
  readAmount,
  readQuantity,
  type VendorExport,
} from "./export-row.ts";
import {
  bucketNamed,
  bucketOfWords,
  KNOWN_BUCKETS,
  type KnownNames,
  modelInText,
  modelName,
} from "./names.ts";
import { zoneDays } from "./zone-days.ts";

/** Columns by their names without case and punctuation; the first one that exists counts. */
const COLUMNS = {
  day: ["day", "date", "usagedate", "usagestartdate", "usagestarttime"],
  model: ["model"],
  item: ["lineitem", "skudescription"],
  bucket: ["bucket", "tokentype"],
  service: ["servicedescription"],
  project: ["projectid", "project", "workspaceid", "workspace"],
  tier: ["tier", "servicetier"],
  quantity: ["quantity", "usageamount", "usageamountinpricingunits"],
  amount: ["amount", "unroundedcost", "cost"],
  currency: ["currency", "costcurrency"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Column = keyof typeof COLUMNS;

// Present in the console's cost table and in the BigQuery export:
// https://cloud.google.com/billing/docs/how-to/cost-table
const GOOGLE = "skudescription";
/** Services that sell models, among all services on a bill of Google's. */
const MODEL_SERVICES = /gemini|generative|vertex/i;
/** Google's days begin at midnight in Los Angeles. */
const GOOGLE_ZONE = "America/Los_Angeles";

/**
 * Reads a CSV export. `givenZone` is the zone in which the vendor's days begin; undefined = that of the format. Throws
 * ExportFormatError with all problems.
 */
export function readCsvExport(text: string, names: KnownNames, givenZone?: string): VendorExport {
  const records = parseCsv(text);
  // Google's table has lines about the invoice above its header.
  const at = records.findIndex((record) => {
    const columns = record.map((cell) => plainName(cell.text));
    return COLUMNS.day.some((name) => columns.includes(name));
  });
  const header = records[at];
  if (header === undefined)
    throw new ExportFormatError("has no header with a column for the day (day, date, Usage start date)");
  const places = placesOf(header);
  if (places.amount < 0 && places.quantity < 0)
    throw new ExportFormatError("has neither a column of amounts (amount, Cost) nor of quantities");
  const isGoogle = header.some((cell) => plainName(cell.text) === GOOGLE);
  const zone = givenZone ?? (isGoogle ? GOOGLE_ZONE : "UTC");
  const problems: ExportProblem[] = [];
  const days = zoneDays(zone);
  let hasMoments = false;
  const reader: RowReader = {
    names,
    currency: places.amount < 0 ? "USD" : currencyOf(header[places.amount], problems),
    dayAt(ms) {
      hasMoments = true;
      return days.dayAt(ms);
    },
    refuse: (cell, column, message) =>
      problems.push({
        line: cell.line,
        column: cell.column,
        message: `${header[places[column]]?.text.trim() ?? column}: ${message}`,
      }),
  };
  const rows: ExportRow[] = [];
  const [totals, services]: [number[], number[]] = [[], []];
  for (const record of records.slice(at + 1)) {
    const row: Row = (column) => cellAt(record, places[column]);
    const [start] = record;
    if (start === undefined) continue;
    const fields = record.length;
    if (TOTALS.test(row("day")?.text ?? "")) totals.push(start.line);
    else if (fields !== header.length)
      problems.push({
        line: start.line,
        column: start.column,
        message: `the row has ${fields} fields and the header ${header.length}; write a field with a comma in quotes`,
      });
    else if (!MODEL_SERVICES.test(row("service")?.text ?? "gemini")) services.push(start.line);
    else rows.push(readRow(start, row, reader));
  }
  if (problems.length > 0) throw new ExportFormatError(problems);
  const leftOut: LeftOut[] = [
    { reason: "without a day, as totals are", lines: totals },
    { reason: "of services that sell no models", lines: services },
  ];
  return {
    format: isGoogle ? "Google billing CSV" : "CSV",
    zone,
    hasMoments,
    rows,
    days: daysOf(rows),
    leftOut: leftOut.filter(({ lines }) => lines.length > 0),
  };
}

/** The content of the day column in lines of totals. */
const TOTALS = /^(?:(?:grand |sub-?)?totals?:?)?$/i;

/** Returns the trimmed cell of a column; undefined = it is empty, or there is no such column. */
type Row = (column: Column) => CsvCell | undefined;

interface RowReader {
  readonly names: KnownNames;
  /** The currency of rows that name none. */
  readonly currency: string;
  dayAt(ms: number): string;
  refuse(cell: CsvCell, column: Column, message: string): void;
}

function placesOf(header: readonly CsvCell[]): Readonly<Record<Column, number>> {
  const names = header.map((cell) => plainName(cell.text));
  const place = (column: Column): number => {
    const at = COLUMNS[column].map((name) => names.indexOf(name)).find((index) => index >= 0) ?? -1;
    const again = names.indexOf(names[at] ?? "", at + 1);
    const twice = header[again];
    if (at >= 0 && twice !== undefined)
      throw new ExportFormatError([
        {
          line: twice.line,
          column: twice.column,
          message: `there are two columns "${twice.text.trim()}"; remove one`,
        },
      ]);
    return at;
  };
  const columns = Object.keys(COLUMNS) as Column[];
  return Object.fromEntries(columns.map((column) => [column, place(column)])) as Record<Column, number>;
}

function cellAt(record: readonly CsvCell[], place: number): CsvCell | undefined {
  const cell = record[place];
  const text = cell?.text.trim() ?? "";
  return cell === undefined || text === "" ? undefined : { ...cell, text };
}

function readRow(start: CsvCell, row: Row, reader: RowReader): ExportRow {
  const { names, refuse } = reader;
  const [amountCell, quantityCell] = [row("amount"), row("quantity")];
  if (amountCell === undefined && quantityCell === undefined)
    refuse(start, "amount", "the row has neither an amount nor a quantity");
  const amount = amountCell && readAmount(amountCell.text);
  if (amountCell && amount === undefined) refuse(amountCell, "amount", notDecimal(amountCell.text));
  const quantity = quantityCell && readQuantity(quantityCell.text);
  if (quantityCell && quantity === undefined) refuse(quantityCell, "quantity", notDecimal(quantityCell.text));
  const item = row("item")?.text;
  const model = row("model")?.text;
  const tier = row("tier")?.text;
  const currency = row("currency");
  if (currency && !/^[a-z]{3}$/i.test(currency.text))
    refuse(currency, "currency", `"${currency.text}" is no currency's code, such as USD`);
  return {
    day: readDay(row("day") ?? start, reader),
    model: model === undefined ? item && modelInText(item, names.models) : modelName(model),
    bucket: readBucket(row("bucket"), reader) ?? (item === undefined ? undefined : bucketOfWords(item)),
    project: row("project")?.text,
    tier: tier === "standard" || tier === "default" ? undefined : tier,
    quantity,
    amount,
    currency: amount === undefined ? undefined : (currency?.text ?? reader.currency).toUpperCase(),
  };
}

function notDecimal(text: string): string {
  return `"${text}" is no number with a decimal point, such as 1234.5 or 1,234.5`;
}

const MOMENT =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?: ?(Z|UTC|[+-]\d{2}:?\d{2}))?)?$/;
const OTHER_ORDER = /^\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}$/;

/** Reads a day. A time with an offset belongs to the day that it has in the vendor's zone. */
function readDay(cell: CsvCell, { refuse, dayAt }: RowReader): string {
  const { text } = cell;
  const [, day = "", time, offset] = MOMENT.exec(text) ?? [];
  const ms = Date.parse(
    `${day}T${time ?? "00:00"}${offset === undefined || offset === "UTC" ? "Z" : offset}`,
  );
  if (isDay(day) && !Number.isNaN(ms)) return offset === undefined ? day : dayAt(ms);
  const why = OTHER_ORDER.test(text)
    ? "can begin with the day or with the month; write it as YYYY-MM-DD"
    : "is no day, such as 2026-11-28";
  refuse(cell, "day", `"${text}" ${why}`);
  return "";
}

function readBucket(cell: CsvCell | undefined, { names, refuse }: RowReader): string | undefined {
  if (cell === undefined) return undefined;
  const bucket = bucketNamed(cell.text, names.tools);
  if (bucket !== undefined) return bucket;
  const near = closestMatch(cell.text, KNOWN_BUCKETS);
  const hint =
    near === undefined
      ? `known: ${KNOWN_BUCKETS.join(", ")}, and tools with a price`
      : `did you mean "${near}"?`;
  refuse(cell, "bucket", `unknown bucket "${cell.text}"; ${hint}`);
  return undefined;
}

const SYMBOLS: Readonly<Record<string, string>> = {
  $: "USD",
  "€": "EUR",
  "£": "GBP",
  "¥": "JPY",
  "₹": "INR",
};

/**
 * Reads the currency from a column such as "Cost (€)". Amounts are in USD if neither the column nor the row says
 * otherwise.
 */
function currencyOf(cell: CsvCell | undefined, problems: ExportProblem[]): string {
  const [, unit] = /\(([^)]*)\)\s*$/.exec(cell?.text ?? "") ?? [];
  const code = unit === undefined ? "USD" : (SYMBOLS[unit.trim()] ?? unit.trim().toUpperCase());
  if (cell !== undefined && !/^[A-Z]{3}$/.test(code))
    problems.push({
      line: cell.line,
      column: cell.column,
      message: `unknown currency "${unit}"; write its code, such as Cost (USD)`,
    });
  return code;
}

/** Converts "Unrounded Cost ($)" to "unroundedcost", and "project.id" to "projectid". */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/\([^)]*\)\s*$/, "")
    .replace(/[^a-z]/g, "");
}
