import { z } from "zod";
import { PROTOCOL_NAMES } from "../../conversation/protocol-name.ts";
import { CONDITION_WORDS } from "../contract-parts.ts";

export const routeQuery = z.strictObject({
  model: z.string().min(1).describe("Model id"),
  group: z.string().min(1).default("default").describe("Group of the calling account"),
  endpoint: z
    .enum([...PROTOCOL_NAMES, "images", "videos"])
    .optional()
    .describe("Endpoint of the request; default the model's first"),
});

export const route = z.object({
  process: z.string().describe("Responding process; each process tracks health by itself"),
  endpoint: z.string().describe("Assumed endpoint"),
  endpoints: z.array(z.string()).describe("Endpoints of the model"),
  refusal: z.string().nullable().describe("Reason why no upstream is available; null = at least one is"),
  conversations: z
    .object({
      sampled: z.int().describe("Sample of at most 256 conversations of this process in the last hours"),
      seen_once: z.int().describe("Sampled conversations with a single request"),
    })
    .describe(
      "Conversations of the model; if nearly all are seen once, clients may send a new id with each request",
    ),
  targets: z
    .array(
      z.object({
        tier: z
          .int()
          .describe(
            "Number of the tier, from 1; the next tier is used if no upstream of this one is available",
          ),
        upstream: z.object({ id: z.string(), name: z.string(), kind: z.string() }),
        model: z.string().describe("Upstream's name of the model"),
        priority: z.int(),
        weight: z.number(),
        share: z.number().describe("Share of the tier's requests if all are healthy, 0 to 1"),
        protocol: z.string().nullable().describe("Protocol used; null = the vendor's task API"),
        translates: z.boolean(),
        changes: z
          .array(z.string())
          .describe(
            "Request changes by the upstream's options, without values: `header x-team`, `remove logit_bias`",
          ),
        full: z.boolean(),
        limited_seconds: z
          .int()
          .describe("Seconds until requests resume after a limit per minute was reached; 0 = not limited"),
        credentials: z.array(
          z.object({
            id: z.string(),
            name: z.string(),
            state: z
              .enum(CONDITION_WORDS)
              .describe(
                "open = only probes, and requests without an alternative; returning = part of its share",
              ),
            wait_seconds: z.int().describe("Seconds until the next probe, or the end of the cool-down"),
            closed_accounts: z
              .int()
              .describe("Number of accounts that avoid it because their last requests failed"),
          }),
        ),
      }),
    )
    .describe("Tiers in the order of use"),
});
export type Route = z.infer<typeof route>;
