import { z } from "zod";

/** The part of every list's query that pages through it by the place of the last row, never by counting. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("Maximum number of rows"),
  after: z.string().max(500).optional().describe("`next` of the previous page"),
});

/** A page of rows: `next` fetches the one after it, null = this is the last. */
export function pageOf<Row extends z.ZodType>(row: Row) {
  return z.object({ data: z.array(row), next: z.string().nullable() });
}

/** An amount of money: whole billionths of a dollar as decimal text. */
export const nanos = z.string().regex(/^-?\d+$/, "must be billionths of a dollar, as a decimal string");

/** ISO 8601, UTC. */
export const moment = z.iso.datetime();
