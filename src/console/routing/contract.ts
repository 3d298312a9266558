import { z } from "zod";
import { PROTOCOL_NAMES } from "../../conversation/protocol-name.ts";
import { CONDITION_WORDS } from "../contract-parts.ts";

export const routeQuery = z.strictObject({
  model: z.string().min(1).describe("Id of a model"),
  group: z.string().min(1).default("default").describe("Group of the account that calls"),
  endpoint: z
    .enum([...PROTOCOL_NAMES, "images", "videos"])
    .optional()
    .describe("Where the request comes in; by default the first that the model declares"),
});

export const route = z.object({
  process: z
    .string()
    .describe("The process that answers: what upstreams do is learnt by each process for itself"),
  endpoint: z.string().describe("Where the request is taken to come in"),
  endpoints: z.array(z.string()).describe("Those that the model declares"),
  refusal: z.string().nullable().describe("Why nobody can be asked; null = somebody can"),
  conversations: z
    .object({
      sampled: z.int().describe("At most 256 of those that this process was asked for in the last hours"),
      seen_once: z.int().describe("Of these, those that one request alone belonged to"),
    })
    .describe("Of the model: where nearly all are seen once, clients may make up a new id for each request"),
  stations: z
    .array(
      z.object({
        tier: z.int().describe("Counts from 1: the next is asked when none of this one can answer"),
        upstream: z.object({ id: z.string(), name: z.string(), kind: z.string() }),
        model: z.string().describe("What the upstream calls it"),
        priority: z.int(),
        weight: z.number(),
        share: z
          .number()
          .describe("Part of the tier's requests that it gets while all of it is well, 0 to 1"),
        protocol: z.string().nullable().describe("In which it is asked; null = by the vendor's task API"),
        translates: z.boolean(),
        full: z.boolean(),
        credentials: z.array(
          z.object({
            id: z.string(),
            name: z.string(),
            state: z
              .enum(CONDITION_WORDS)
              .describe(
                "open = asked only by probes, and where there is no other; returning = gets part of its share",
              ),
            wait_seconds: z.int().describe("Until the next probe, or until it has cooled"),
            closed_accounts: z
              .int()
              .describe("Accounts that are kept away, as their own last requests failed"),
          }),
        ),
      }),
    )
    .describe("In the order in which they are asked"),
});
export type Route = z.infer<typeof route>;
