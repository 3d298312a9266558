import { z } from "zod";
import { PLAIN_TEXT } from "../../base/text.ts";
import { inputMoment, moment, pageOf, pageQuery } from "../contract-parts.ts";

const plain = (most: number) => z.string().trim().max(most).regex(PLAIN_TEXT, "must be plain text");
const id = z.string().regex(/^[1-9]\d{0,17}$/, "must be an id");

export const failedRequestsQuery = pageQuery.extend({
  from: inputMoment.optional().describe("Recorded at or after this time"),
  to: inputMoment.optional().describe("Recorded before this time"),
  key: id.optional().describe("Id of the key"),
  model: plain(200).optional(),
  status: z.coerce.number().int().min(0).max(599).optional().describe("Status returned; 0 = none"),
  error_code: plain(100).optional(),
  refused: z.enum(["true", "false"]).optional().describe("Refused before money was held"),
  request: plain(100).optional().describe("Exact request id"),
});
export type FailedRequestsQuery = z.output<typeof failedRequestsQuery>;

const failedRequest = z.object({
  request_id: z.string(),
  recorded_at: moment,
  accepted_at: moment,
  key: z.object({ id: z.string(), name: z.string().nullable() }),
  endpoint: z.string(),
  model: z.string().nullable().describe("null = it named none that its caller may use"),
  status: z.number().int().describe("Status returned; 0 = the client disconnected first"),
  error_code: z.string(),
  message: z.string().describe("What the caller was told"),
  limit: z.string().nullable().describe("The limit that refused it"),
  refused: z.boolean().describe("Refused before money was held; else the list of requests has it too"),
  total_ms: z.number().int(),
});
export type FailedRequestRow = z.infer<typeof failedRequest>;

export const failedRequestsPage = pageOf(failedRequest);

const span = {
  from: inputMoment.optional().describe("Default: 24 hours ago; by whole hours"),
  to: inputMoment.optional(),
};

export const errorsQuery = z.strictObject({ ...span, code: plain(100).optional() });

const requests = z.number().int().describe("Exact");

export const errorsReport = z.object({
  counts: z
    .array(z.object({ code: z.string(), requests }))
    .describe("other = rare ones of busy hours together"),
  accounts: z
    .array(z.object({ account: z.object({ id: z.string(), name: z.string().nullable() }), requests }))
    .describe("The 20 accounts with the most"),
  data: z
    .array(
      z.object({
        code: z.string().describe("other = rare ones of busy hours together"),
        upstream: z.string().nullable().describe("null = none was asked"),
        vendor_message: z
          .string()
          .describe("Of the last attempt, with # for ids and numbers; empty = no upstream was asked"),
        requests,
        first_at: moment,
        last_at: moment,
        last_request_id: z.string(),
      }),
    )
    .describe("The 200 most frequent"),
});
export type ErrorsReport = z.infer<typeof errorsReport>;

export const unknownKeysQuery = z.strictObject(span);

export const unknownKeysReport = z.object({
  data: z
    .array(
      z.object({
        address: z.string().describe("other = rare ones of busy hours together"),
        prefix: z.string().describe("The key's first characters; empty = no key in a header"),
        requests,
        first_at: moment,
        last_at: moment,
      }),
    )
    .describe("The 200 most frequent"),
});
