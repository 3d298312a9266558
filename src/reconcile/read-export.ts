import { z } from "zod";
import { parseExact } from "../base/json/exact-json.ts";
import { isRecord } from "../base/json/record.ts";
import { flattenIssues, issueMessage, pathText } from "../base/schema-issues.ts";
import { anthropicBucket, readAnthropicBucket } from "./anthropic-export.ts";
import { readCsvExport } from "./csv-export.ts";
import {
  daysOf,
  type ExportBucket,
  ExportFormatError,
  SHOWN_PROBLEMS,
  type VendorExport,
} from "./export-row.ts";
import { placeAt, placesIn } from "./json-places.ts";
import type { KnownNames } from "./names.ts";
import { openaiBucket, readOpenaiBucket } from "./openai-export.ts";

const page = z.looseObject({ data: z.array(z.unknown()), has_more: z.boolean().nullish() });

/**
 * Reads an export as downloaded; several pages form an array. `zone` is the zone in which the vendor's days begin;
 * undefined = that of the format. Throws ExportFormatError.
 */
export function readExport(text: string, names: KnownNames, zone?: string): VendorExport {
  const isJson = /^\s*[[{]/.test(text);
  // Parsed records take far more memory than their text, so a text with too many is not parsed at all.
  if (!isJson) requireFew(text.match(/\n/g)?.length ?? 0, "lines");
  const found = isJson ? readPages(text, zone) : readCsvExport(text, names, zone);
  requireFew(found.rows.length, "rows");
  if (found.days.length === 0) throw new ExportFormatError("has no rows");
  return found;
}

/** Equals a month of ten thousand models and buckets, which takes minutes and a gigabyte. */
const MAX_ROWS = 250_000;

function requireFew(count: number, what: "lines" | "rows"): void {
  if (count <= MAX_ROWS) return;
  throw new ExportFormatError(
    `has ${count} ${what}, of which at most ${MAX_ROWS} are compared; export fewer days or one project`,
  );
}

function readPages(text: string, zone = "UTC"): VendorExport {
  const parsed = parse(text);
  const pages = z
    .array(page)
    .min(1)
    .safeParse(Array.isArray(parsed) ? parsed : [parsed]);
  if (!pages.success)
    throw new ExportFormatError(
      `has no \`data\`, which each page of an export has; expected ${JSON_EXPORTS}`,
    );
  if (pages.data.at(-1)?.has_more === true)
    throw new ExportFormatError(
      "isn't complete: its last page has `has_more: true`. Download the other pages, and put all into one array",
    );
  const buckets = pages.data.flatMap(({ data }, page) =>
    data.map((bucket, index) => ({
      bucket,
      path: [...(Array.isArray(parsed) ? [page] : []), "data", index],
    })),
  );
  const has = (field: string): boolean => buckets.some(({ bucket }) => isRecord(bucket) && field in bucket);
  if (has("start_time"))
    return ofVendor("OpenAI", zone, bucketsOf(text, buckets, openaiBucket, readOpenaiBucket));
  if (has("starting_at") || buckets.length === 0)
    return ofVendor("Anthropic", zone, bucketsOf(text, buckets, anthropicBucket, readAnthropicBucket));
  throw new ExportFormatError(`is of no known vendor; expected ${JSON_EXPORTS}`);
}

const JSON_EXPORTS =
  "costs or usage of OpenAI (buckets with `start_time`), or a cost or usage report of Anthropic (`starting_at`)";

/** Reads all buckets; throws with all problems in them. */
function bucketsOf<Bucket>(
  text: string,
  buckets: readonly { readonly bucket: unknown; readonly path: readonly (string | number)[] }[],
  schema: z.ZodType<Bucket>,
  read: (bucket: Bucket) => ExportBucket,
): ExportBucket[] {
  const parsed = buckets.map(({ bucket, path }) => ({
    path,
    result: schema.safeParse(bucket, { error: issueMessage }),
  }));
  const issues = parsed.flatMap(({ path, result }) =>
    result.success ? [] : flattenIssues(result.error.issues, path),
  );
  if (issues.length > 0) {
    const places = placesIn(
      text,
      issues.slice(0, SHOWN_PROBLEMS).map(({ path }) => path),
    );
    throw new ExportFormatError(
      issues.map(({ path, message }, at) => ({ ...places[at], message: `${pathText(path)}: ${message}` })),
    );
  }
  return parsed.flatMap(({ result }) => (result.success ? [read(result.data)] : []));
}

function parse(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    const [, position = text.length] =
      /at position (\d+)/.exec(error instanceof Error ? error.message : "") ?? [];
    const message = "this isn't valid JSON; download the export again, and don't edit it";
    throw new ExportFormatError([{ ...placeAt(text, Number(position)), message }]);
  }
}

function ofVendor(vendor: string, zone: string, buckets: readonly ExportBucket[]): VendorExport {
  const rows = buckets.flatMap((bucket) => bucket.rows);
  const kind = rows.some(({ amount }) => amount !== undefined) ? "costs" : "usage";
  return { format: `${vendor} ${kind}`, zone, hasMoments: true, rows, days: daysOf(buckets), leftOut: [] };
}
