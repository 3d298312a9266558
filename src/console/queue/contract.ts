import { z } from "zod";
import { moment, nanos, pageOf, pageQuery } from "../contract-parts.ts";

const state = z.enum(["NOT_START", "SUBMITTED", "QUEUED", "IN_PROGRESS", "SUCCESS", "FAILURE"]);

export const queueQuery = pageQuery.extend({
  trouble: z
    .enum(["overdue", "stuck", "ambiguous"])
    .optional()
    .describe(
      "overdue: past its deadline; stuck: due, and no worker has come for it in 30 s; ambiguous: sent to its upstream more than a minute ago, and nobody knows what came of it",
    ),
  model: z.string().max(200).optional(),
  account: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, "must be the id of an account")
    .optional(),
});

const queuedTask = z.object({
  id: z.string(),
  account: z.object({ id: z.string(), name: z.string() }),
  medium: z.enum(["image", "video"]),
  model: z.string(),
  state,
  progress_percent: z.number().int(),
  accepted_at: moment,
  deadline_at: moment,
  due_at: moment.describe(
    "When a worker takes it up next; while one holds it, when its claim ends unless kept",
  ),
  upstream: z
    .object({
      name: z.string(),
      model: z.string().describe("The upstream's name of the model"),
      task: z.string().nullable().describe("The upstream's id; null = it has not answered the submit"),
      intended_at: moment.describe("When the order was about to be sent"),
    })
    .nullable()
    .describe("null = nobody has it"),
  submit_attempts: z.number().int().describe("Passes over the upstreams in which none took it"),
  polls: z.number().int().describe("Polls of its vendor since it was submitted"),
  hold_nanos: nanos,
  trouble: z.array(z.enum(["overdue", "stuck", "ambiguous"])),
});

export const queuePage = pageOf(queuedTask).describe("Oldest first");

export const queueCounts = z.object({
  open: z.number().int().describe("Tasks that are not over"),
  overdue: z.number().int(),
  stuck: z.number().int(),
  ambiguous: z.number().int(),
  polled_late: z
    .number()
    .int()
    .describe("Tasks that failed, were refunded, and are still polled for a success that comes too late"),
  by_model: z.array(z.object({ model: z.string(), state, open: z.number().int() })),
});

export const polledNow = z.object({ id: z.string() });

export type QueuePage = z.infer<typeof queuePage>;
export type QueuedTask = z.infer<typeof queuedTask>;
export type QueueCounts = z.infer<typeof queueCounts>;
export type Trouble = QueuedTask["trouble"][number];
