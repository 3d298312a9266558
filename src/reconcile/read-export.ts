import { z } from "zod";
import { anthropicBucket, readAnthropicBucket } from "./anthropic-export.ts";
import { readCsvExport } from "./csv-export.ts";
import { ExportFormatError, type ExportRow, type VendorExport } from "./export-row.ts";
import { openaiBucket, readOpenaiBucket } from "./openai-export.ts";

const page = z.looseObject({ data: z.array(z.unknown()), has_more: z.boolean().nullish() });

/** Reads an export as it was downloaded; several pages are an array of them. `models` are ours. Throws ExportFormatError. */
export function readExport(text: string, models: readonly string[]): VendorExport {
  const isJson = /^\s*[[{]/.test(text);
  // Parsed records take far more memory than their text: too many are not parsed at all.
  if (!isJson) requireFew(text.match(/\n/g)?.length ?? 0, "lines");
  const found = isJson ? readPages(text) : readCsvExport(text, models);
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

function readPages(text: string): VendorExport {
  const given = parse(text);
  const pages = z
    .array(page)
    .min(1)
    .safeParse(Array.isArray(given) ? given : [given]);
  if (!pages.success) throw new ExportFormatError("is no page of an export: it has no `data`");
  if (pages.data.at(-1)?.has_more === true)
    throw new ExportFormatError("is not the last page (`has_more`): put all pages into one array");
  const buckets = pages.data.flatMap(({ data }) => data);
  const openai = z.array(openaiBucket).safeParse(buckets);
  if (openai.success) return ofVendor("OpenAI", openai.data.flatMap(readOpenaiBucket));
  const anthropic = z.array(anthropicBucket).safeParse(buckets);
  if (anthropic.success) return ofVendor("Anthropic", anthropic.data.flatMap(readAnthropicBucket));
  throw new ExportFormatError("is neither an export of OpenAI's nor of Anthropic's");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ExportFormatError("is no JSON");
  }
}

function ofVendor(vendor: string, rows: readonly ExportRow[]): VendorExport {
  const kind = rows.some(({ amount }) => amount !== undefined) ? "costs" : "usage";
  return { format: `${vendor} ${kind}`, zone: "UTC", rows };
}
