import { z } from "zod";
import { moment, nanos, pageOf, pageQuery } from "../contract-parts.ts";

const state = z.enum(["NOT_START", "SUBMITTED", "QUEUED", "IN_PROGRESS", "SUCCESS", "FAILURE"]);

export const queueQuery = pageQuery.extend({
  trouble: z
    .enum(["overdue", "stuck", "ambiguous"])
    .optional()
    .describe(
      "overdue: past its deadline; stuck: not picked up for 30 s; ambiguous: submitted more than a minute ago, without a response",
    ),
  model: z.string().max(200).optional(),
  account: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, "must be an account id")
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
    "Time when a worker picks the task up next; while claimed, the time when the claim expires unless renewed",
  ),
  upstream: z
    .object({
      name: z.string(),
      model: z.string().describe("Upstream's name of the model"),
      task: z.string().nullable().describe("Upstream's task id; null = no response to the submit"),
      intended_at: moment.describe("Time of the submit"),
    })
    .nullable()
    .describe("null = unassigned"),
  submit_attempts: z.number().int().describe("Submit attempts in which no upstream accepted it"),
  polls: z.number().int().describe("Polls since the submit"),
  hold_nanos: nanos,
  trouble: z.array(z.enum(["overdue", "stuck", "ambiguous"])),
});

export const queuePage = pageOf(queuedTask).describe("Tasks, oldest first");

export const queueCounts = z.object({
  open: z.number().int().describe("Number of open tasks"),
  overdue: z.number().int(),
  stuck: z.number().int(),
  ambiguous: z.number().int(),
  polled_late: z
    .number()
    .int()
    .describe("Number of failed and refunded tasks that are still polled for a late success"),
  by_model: z.array(z.object({ model: z.string(), state, open: z.number().int() })),
});

export const polledNow = z.object({ id: z.string() });

export type QueuePage = z.infer<typeof queuePage>;
export type QueuedTask = z.infer<typeof queuedTask>;
export type QueueCounts = z.infer<typeof queueCounts>;
export type Trouble = QueuedTask["trouble"][number];
