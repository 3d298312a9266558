import { z } from "zod";
import { BILLED_UNITS } from "../../usage/usage.ts";
import { moment, nanos, pageOf } from "../contract-parts.ts";

export const verification = z.object({
  ok: z.boolean(),
  breaches: z.array(
    z.object({
      rule: z.string(),
      says: z.string().describe("Rule in words"),
      subject: z.string(),
      found: z.string(),
      expected: z.string(),
    }),
  ),
  revenue_nanos: nanos,
  loss_nanos: nanos,
  funding_nanos: nanos,
  quarantined_records: z.int().describe("Records refused by the database; the platform absorbed their holds"),
  unposted_records: z
    .int()
    .nullable()
    .describe("Completed requests not yet posted from this process's journal; not a discrepancy"),
  accounts: z.array(z.object({ name: z.string(), balance_nanos: nanos, available_nanos: nanos })),
  took_ms: z.int(),
  at: moment,
});
export type Verification = z.infer<typeof verification>;

export const losses = pageOf(
  z.object({
    id: z.string(),
    at: moment,
    kind: z
      .enum(["post", "quarantine"])
      .describe(
        "post = a charge above the account's balance; quarantine = the hold of a record refused by the database",
      ),
    amount_nanos: nanos,
    account: z.object({ id: z.string(), name: z.string() }),
    reference: z.string(),
  }),
).extend({ total_nanos: nanos.describe("Sum of all losses") });
export type Losses = z.infer<typeof losses>;

export const writeOffs = pageOf(
  z.object({
    request_id: z.string(),
    at: moment,
    account: z.object({ id: z.string(), name: z.string() }),
    model: z.string(),
    upstream: z.string().nullable(),
    amount_nanos: nanos.describe("Cost above the charge"),
    charge_nanos: nanos.describe("Charge to the account"),
    reason: z.string().describe("Reason of the request's end"),
    why: z
      .enum(["beyond_money", "impossible_usage"])
      .describe(
        "beyond_money = the cost exceeded the hold, and balance or key didn't cover the rest; impossible_usage = the same, and the vendor had reported impossible usage",
      ),
    implausible: z
      .array(
        z.object({
          field: z.enum(["input", "output", "calls", ...BILLED_UNITS]),
          reported: z.number(),
          most: z.number(),
          charged: z.literal(true).optional(),
        }),
      )
      .describe(
        "Impossible counts reported by the vendor, not part of the amount. charged = possible, but far above the caller's limit",
      ),
  }),
).extend({ total_nanos: nanos.describe("Sum over the requests in the usage log") });
export type WriteOffs = z.infer<typeof writeOffs>;

export const quarantine = pageOf(
  z.object({
    journal: z.string(),
    record: z.string().describe("Number of the record in the journal"),
    at: moment,
    account: z.object({ id: z.string(), name: z.string() }),
    hold_nanos: nanos,
    refusal: z.string().describe("Error of the database"),
    request_id: z.string().nullable(),
    model: z.string().nullable(),
  }),
);
export type Quarantine = z.infer<typeof quarantine>;

export const costsQuery = z.strictObject({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(31)
    .default(7)
    .describe("Number of days up to today, UTC, at most a month"),
});

const upstreamCosts = z.object({
  upstream: z.string(),
  responses: z.int().describe("Number of responses in these days"),
  charged_nanos: nanos,
  reporting: z.int().describe("Responses with a vendor-reported cost"),
  reporting_charged_nanos: nanos.describe("Charges for those responses"),
  reported_cost: z
    .string()
    .nullable()
    .describe("Vendor-reported cost, as a decimal string; null = not reported"),
});
export type UpstreamCosts = z.infer<typeof upstreamCosts>;

export const vendorCosts = z.object({
  text: z.array(upstreamCosts).describe("From `cost` in the vendor's usage object, in US dollars"),
  tasks: z
    .array(upstreamCosts)
    .describe("Images and videos within retention; the cost is in the vendor's unit"),
});
export type VendorCosts = z.infer<typeof vendorCosts>;
