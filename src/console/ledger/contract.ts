import { z } from "zod";
import { moment, nanos, pageOf } from "../contract-parts.ts";

export const verification = z.object({
  ok: z.boolean(),
  breaches: z.array(
    z.object({
      rule: z.string(),
      says: z.string().describe("The rule in words"),
      subject: z.string(),
      found: z.string(),
      expected: z.string(),
    }),
  ),
  revenue_nanos: nanos,
  loss_nanos: nanos,
  funding_nanos: nanos,
  quarantined_records: z
    .int()
    .describe("Records that the database refused; the platform absorbed their holds"),
  unposted_records: z
    .int()
    .nullable()
    .describe("Finished requests that are only in journals in this process's data dir so far; no breach"),
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
        "post = a charge beyond everything the account had; quarantine = the hold of a record that the database refused",
      ),
    amount_nanos: nanos,
    account: z.object({ id: z.string(), name: z.string() }),
    reference: z.string(),
  }),
).extend({ total_nanos: nanos.describe("Of all losses ever") });
export type Losses = z.infer<typeof losses>;

export const writeOffs = pageOf(
  z.object({
    request_id: z.string(),
    at: moment,
    account: z.object({ id: z.string(), name: z.string() }),
    model: z.string(),
    upstream: z.string().nullable(),
    amount_nanos: nanos.describe("What the request cost beyond its charge"),
    charge_nanos: nanos.describe("What the account paid for it"),
    reason: z.string().describe("How the request ended"),
    why: z
      .enum(["beyond_money", "impossible_usage"])
      .describe(
        "beyond_money = the charge was above the hold, and neither balance nor key had the rest; impossible_usage = so it was, and its vendor had reported what the model cannot do",
      ),
    implausible: z
      .array(
        z.object({
          field: z.enum(["input", "output"]),
          reported: z.number(),
          most: z.number(),
          charged: z.literal(true).optional(),
        }),
      )
      .describe(
        "Tokens that the vendor reported and that are not possible; they are no part of the amount. charged = possible, but far beyond the caller's own limit",
      ),
  }),
).extend({ total_nanos: nanos.describe("Of all requests that the usage log still has") });
export type WriteOffs = z.infer<typeof writeOffs>;

export const quarantine = pageOf(
  z.object({
    journal: z.string(),
    record: z.string().describe("Its number in the journal"),
    at: moment,
    account: z.object({ id: z.string(), name: z.string() }),
    hold_nanos: nanos,
    refusal: z.string().describe("Why the database refused it"),
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
    .describe("Today and the days before it, in UTC; more than a month takes too long"),
});

const upstreamCosts = z.object({
  upstream: z.string(),
  responses: z.int().describe("Responses in these days"),
  charged_nanos: nanos,
  reporting: z.int().describe("Of those, responses whose vendor said what they cost"),
  reporting_charged_nanos: nanos.describe("What was charged for exactly those"),
  reported_cost: z
    .string()
    .nullable()
    .describe("What the vendor says they cost, as decimal text; null = it says nothing"),
});
export type UpstreamCosts = z.infer<typeof upstreamCosts>;

export const vendorCosts = z.object({
  text: z.array(upstreamCosts).describe("By the `cost` in the vendor's usage object, which is in US dollars"),
  tasks: z
    .array(upstreamCosts)
    .describe("Pictures and videos that are kept; the cost is in the vendor's own unit"),
});
export type VendorCosts = z.infer<typeof vendorCosts>;
