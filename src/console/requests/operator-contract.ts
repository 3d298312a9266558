import { z } from "zod";
import { PLAIN_TEXT } from "../../base/text.ts";
import { inputMoment, moment, nanos, pageOf, pageQuery, tagFilter } from "../contract-parts.ts";

const plain = (most: number) => z.string().trim().max(most).regex(PLAIN_TEXT, "must be plain text");
const id = z.string().regex(/^[1-9]\d{0,17}$/, "must be an id");

export const operatorRequestsQuery = pageQuery.extend({
  id: plain(200).optional().describe("A request's id, or the vendor's own id of a failed attempt"),
  account: id.optional().describe("Id of the account"),
  key: id.optional().describe("Id of the key"),
  user: id.optional().describe("Id of the user who created the key"),
  model: plain(200).optional(),
  upstream: plain(200).optional(),
  tag: tagFilter.optional(),
  status: z.coerce.number().int().min(0).max(599).optional().describe("Status returned; 0 = none"),
  error_code: plain(100).optional(),
  outcome: z
    .enum(["failed", "refused"])
    .optional()
    .describe("failed: any error; refused: before money was held"),
  from: inputMoment.optional().describe("Recorded at or after this time"),
  to: inputMoment.optional().describe("Recorded before this time"),
});
export type OperatorRequestsQuery = z.output<typeof operatorRequestsQuery>;

const named = z.object({ id: z.string(), name: z.string().nullable() });

const operatorRequest = z.object({
  request_id: z.string(),
  recorded_at: moment,
  accepted_at: moment,
  account: named,
  key: named,
  endpoint: z.string(),
  model: z.string().nullable().describe("null = it named none that its caller may use"),
  status: z.number().int().describe("Status returned; 0 = the client disconnected first"),
  error_code: z.string().nullable(),
  message: z.string().nullable().describe("What the caller was told; null = nothing"),
  limit: z.string().nullable().describe("The limit that refused it"),
  refused: z.boolean().describe("Refused before money was held"),
  upstream: z.string().nullable(),
  attempts: z.number().int(),
  total_ms: z.number().int(),
  charge_nanos: nanos,
  charge_usd: z.string().describe("US dollars as an exact decimal string"),
  tags: z.array(z.string()).readonly().describe("As key=value; empty = none"),
});
export type OperatorRequest = z.infer<typeof operatorRequest>;

export const operatorRequestsPage = pageOf(operatorRequest);

export const operatorRequestDetail = z.object({
  request: operatorRequest,
  attempts: z
    .array(
      z.object({
        upstream: z.string(),
        upstream_model: z.string(),
        credential: z.string().describe("Name of the credential"),
        status: z.number().int().nullable().describe("HTTP status of the upstream; null = no response"),
        type: z.string().describe("The vendor's error type"),
        code: z.string().describe("The vendor's error code"),
        message: z.string().describe("The vendor's words, or why there was no response; secrets removed"),
        vendor_request_id: z.string().nullable(),
        began_ms: z.number().int().describe("Milliseconds since the request came, as are the other times"),
        connected_ms: z.number().int().nullable().describe("A connection took it; null = none did"),
        first_byte_ms: z.number().int().nullable().describe("The response's head was here; null = none came"),
        ended_ms: z.number().int(),
      }),
    )
    .describe("Of a failed or retried request; empty = it succeeded at once, or no upstream was asked"),
});
