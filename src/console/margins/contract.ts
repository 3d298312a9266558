import { z } from "zod";
import { nanos } from "../contract-parts.ts";

const day = z.iso.date({ error: "must be a day, such as 2027-01-31" });

export const marginsQuery = z.strictObject({
  from: day.optional().describe("First day, UTC; default 29 days before the last"),
  to: day.optional().describe("Last day, UTC; default today"),
  by: z.enum(["upstream", "model", "account", "month"]).default("upstream"),
});

export type MarginsQuery = z.input<typeof marginsQuery>;

const sums = z.object({
  attempts: z.int().describe("Requests to upstreams, retries included"),
  unknown: z
    .int()
    .describe("Attempts among these with unreported usage that the vendor may bill; counted as 0"),
  charge_nanos: nanos.describe("Charges for the requests that these attempts served"),
  cost_nanos: nanos.describe("Cost by `upstreams[].cost`"),
  margin_nanos: nanos.describe("charge - cost"),
  stated_attempts: z.int().describe("Number of attempts whose vendor states a cost"),
  stated_nanos: nanos.describe("Cost of those attempts, as the vendors state it"),
  stated_cost_nanos: nanos.describe("Cost of those attempts, by `upstreams[].cost`"),
});
export type MarginSums = z.infer<typeof sums>;

const margin = sums.extend({
  id: z.string().describe("Upstream, model, account id or month; empty = unknown upstream"),
  name: z.string().nullable().describe("Name of the account; null = not an account"),
});
export type Margin = z.infer<typeof margin>;

export const margins = z.object({
  from: z.string(),
  to: z.string(),
  totals: sums.describe("Totals, including groups that are not listed"),
  data: z.array(margin).describe("The 1,000 groups with the highest cost; months in order"),
});
export type Margins = z.infer<typeof margins>;
