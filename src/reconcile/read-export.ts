import { z } from "zod";
import { parseExact } from "../base/json/exact-json.ts";
import { isRecord } from "../base/json/record.ts";
import { flattenIssues, issueMessage, pathText } from "../base/schema-issues.ts";
import { anthropicBucket, readAnthropicBucket } from "./anthropic-export.ts";
import { readCsvExport } from "./csv-export.ts";
import { ExportFormatError, type ExportRow, type VendorExport } from "./export-row.ts";
import type { KnownNames } from "./names.ts";
import { openaiBucket, readOpenaiBucket } from "./openai-export.ts";

const page = z.looseObject({ data: z.array(z.unknown()), has_more: z.boolean().nullish() });

/**
 * Reads an export as it was downloaded; several pages are an array of them. `zone` is where the vendor begins its days;
 * undefined = as the format has it. Throws ExportFormatError.
 */
export function readExport(text: string, names: KnownNames, zone?: string): VendorExport {
  const isJson = /^\s*[[{]/.test(text);
  // Parsed records take far more memory than their text: too many are not parsed at all.
  if (!isJson) requireFew(text.match(/\n/g)?.length ?? 0, "lines");
  const found = isJson ? readPages(text, zone) : readCsvExport(text, names, zone);
  requireFew(found.rows.length, "rows");
  if (found.rows.length === 0) throw new ExportFormatError("has no rows");
  return found;
}

/** A month of ten thousand models and buckets; minutes and a gigabyte suffice for it. */
const MAX_ROWS = 250_000;

function requireFew(count: number, what: "lines" | "rows"): void {
  if (count <= MAX_ROWS) return;
  throw new ExportFormatError(
    `has ${count} ${what}, of which at most ${MAX_ROWS} are compared; export fewer days or one project`,
  );
}

function readPages(text: string, zone = "UTC"): VendorExport {
  const given = parse(text);
  const pages = z
    .array(page)
    .min(1)
    .safeParse(Array.isArray(given) ? given : [given]);
  if (!pages.success) throw new ExportFormatError("is no page of an export: it has no `data`");
  if (pages.data.at(-1)?.has_more === true)
    throw new ExportFormatError("is not the last page (`has_more`): put all pages into one array");
  const buckets = pages.data.flatMap(({ data }, page) =>
    data.map((bucket, index) => ({
      bucket,
      path: [...(Array.isArray(given) ? [page] : []), "data", index],
    })),
  );
  const has = (field: string): boolean => buckets.some(({ bucket }) => isRecord(bucket) && field in bucket);
  if (has("start_time")) return ofVendor("OpenAI", zone, rowsOf(buckets, openaiBucket, readOpenaiBucket));
  if (has("starting_at") || buckets.length === 0)
    return ofVendor("Anthropic", zone, rowsOf(buckets, anthropicBucket, readAnthropicBucket));
  throw new ExportFormatError("is neither an export of OpenAI's nor of Anthropic's");
}

/** Rows of all buckets; throws with all that is wrong in them. */
function rowsOf<Bucket>(
  buckets: readonly { readonly bucket: unknown; readonly path: readonly (string | number)[] }[],
  schema: z.ZodType<Bucket>,
  read: (bucket: Bucket) => ExportRow[],
): ExportRow[] {
  const parsed = buckets.map(({ bucket, path }) => ({
    path,
    result: schema.safeParse(bucket, { error: issueMessage }),
  }));
  const issues = parsed.flatMap(({ path, result }) =>
    result.success ? [] : flattenIssues(result.error.issues, path),
  );
  if (issues.length > 0)
    throw new ExportFormatError(
      issues.map(({ path, message }) => ({ message: `can't be read: ${pathText(path)}: ${message}` })),
    );
  return parsed.flatMap(({ result }) => (result.success ? read(result.data) : []));
}

function parse(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    throw new ExportFormatError("is no JSON");
  }
}

function ofVendor(vendor: string, zone: string, rows: readonly ExportRow[]): VendorExport {
  const kind = rows.some(({ amount }) => amount !== undefined) ? "costs" : "usage";
  return { format: `${vendor} ${kind}`, zone, rows, leftOut: [] };
}
