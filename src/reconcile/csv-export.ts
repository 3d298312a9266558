import {
  ExportFormatError,
  type ExportRow,
  readAmount,
  readQuantity,
  type VendorExport,
} from "./export-row.ts";
import { bucketOfWords, modelInText, modelName } from "./names.ts";

/** Columns by what their names come to without case and punctuation; the first that is there counts. */
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

// The console's cost table and the BigQuery export: https://cloud.google.com/billing/docs/how-to/cost-table
const GOOGLE = "skudescription";
/** Of a bill for everything at Google, the services that sell models. */
const MODEL_SERVICES = /gemini|generative|vertex/i;
/** Google begins its days at midnight in Los Angeles. */
const GOOGLE_ZONE = "America/Los_Angeles";

/** `models` are ours: a line item in words is matched to them. */
export function readCsvExport(text: string, models: readonly string[]): VendorExport {
  const records = parseCsv(text);
  // Google's table has lines about the invoice above its header.
  const at = records.findIndex((record) => {
    const names = record.map(plainName);
    return COLUMNS.day.some((name) => names.includes(name));
  });
  const header = records[at]?.map(plainName);
  if (header === undefined)
    throw new ExportFormatError("has no header with a column for the day (day, date, Usage start date)");
  const place = (column: Column): number => {
    const found = COLUMNS[column].map((name) => header.indexOf(name)).filter((index) => index >= 0);
    return found[0] ?? -1;
  };
  const places = { amount: place("amount"), quantity: place("quantity") };
  if (places.amount < 0 && places.quantity < 0)
    throw new ExportFormatError("has neither a column of amounts (amount, Cost) nor of quantities");
  const isGoogle = header.includes(GOOGLE);
  const rows = records.slice(at + 1).flatMap((record) => {
    const cell = (column: Column): string | undefined => record[place(column)]?.trim() || undefined;
    const day = dayOf(cell("day"));
    // Lines of totals have no day.
    const isOurs = MODEL_SERVICES.test(cell("service") ?? "gemini");
    return day === undefined || !isOurs ? [] : [rowOf(day, cell, models)];
  });
  return {
    format: isGoogle ? "Google billing CSV" : "CSV",
    zone: isGoogle ? GOOGLE_ZONE : "UTC",
    rows,
  };
}

function rowOf(
  day: string,
  cell: (column: Column) => string | undefined,
  models: readonly string[],
): ExportRow {
  const item = cell("item");
  const model = cell("model");
  const amount = readAmount(cell("amount"));
  const tier = cell("tier");
  const bucket = cell("bucket");
  return {
    day,
    model: model === undefined ? item && modelInText(item, models) : modelName(model),
    bucket: bucket ?? (item === undefined ? undefined : bucketOfWords(item)),
    project: cell("project"),
    tier: tier === "standard" || tier === "default" ? undefined : tier,
    quantity: readQuantity(cell("quantity")),
    amount,
    currency: amount === undefined ? undefined : (cell("currency") ?? "USD").toUpperCase(),
  };
}

function dayOf(text: string | undefined): string | undefined {
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(text ?? "") ?? [];
  if (day !== undefined || text === undefined) return day;
  const [, month, ofMonth, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})/.exec(text) ?? [];
  return month && ofMonth && `${year}-${month.padStart(2, "0")}-${ofMonth.padStart(2, "0")}`;
}

/** "Unrounded Cost ($)" is "unroundedcost", "project.id" is "projectid". */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, "");
}

/** Records of a CSV text by RFC 4180; empty lines are none. */
function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let field = "";
  let quoted = false;
  const endField = (): void => {
    record.push(field);
    field = "";
  };
  const endRecord = (): void => {
    endField();
    if (record.some((each) => each !== "")) records.push(record);
    record = [];
  };
  for (let index = text.startsWith("\ufeff") ? 1 : 0; index < text.length; index += 1) {
    const char = text[index];
    if (quoted) {
      if (char !== '"') field += char;
      else if (text[index + 1] === '"') {
        field += '"';
        index += 1;
      } else quoted = false;
    } else if (char === '"' && field === "") quoted = true;
    else if (char === ",") endField();
    else if (char === "\n") endRecord();
    else if (char !== "\r") field += char;
  }
  endRecord();
  return records;
}
