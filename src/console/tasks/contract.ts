import { z } from "zod";
import { moment, nanos, pageOf, pageQuery } from "../contract-parts.ts";
import { receipt } from "../requests/contract.ts";

export const tasksQuery = pageQuery.extend({
  medium: z.enum(["image", "video"]).optional(),
  model: z.string().max(200).optional(),
  state: z.enum(["open", "SUCCESS", "FAILURE"]).optional().describe("open: not over yet"),
  key: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, "must be the id of a key")
    .optional(),
  from: z.iso.datetime({ offset: true }).optional().describe("Accepted then or later"),
  to: z.iso.datetime({ offset: true }).optional().describe("Accepted before"),
});

const taskFile = z.object({
  kind: z.enum(["image", "video", "last_frame"]),
  url: z.string().describe("The link as the API answers it: the vendor's, or this gateway's copy"),
  view: z.string().describe("Where the console shows it, Range requests included; `?download=1` keeps it"),
  expires_at: moment.nullable().describe("null = not said"),
});

export const taskSummary = z.object({
  id: z.string(),
  request_id: z.string().describe("Of the submit"),
  medium: z.enum(["image", "video"]),
  family: z.string(),
  model: z.string(),
  action: z.string(),
  state: z.enum(["NOT_START", "SUBMITTED", "QUEUED", "IN_PROGRESS", "SUCCESS", "FAILURE"]),
  progress_percent: z.number().int(),
  fail_reason: z.string().describe('"" while there is none'),
  prompt: z.string().describe("Its beginning"),
  key: z.object({ id: z.string(), name: z.string().nullable() }).describe("name null = the key is gone"),
  accepted_at: moment,
  started_at: moment.nullable(),
  finished_at: moment.nullable(),
  deadline_at: moment.describe("It is over by then"),
  hold_nanos: nanos.describe("Set aside while it runs"),
  charge_nanos: nanos.nullable().describe("null until it is over; 0 of one that failed"),
  files: z.array(taskFile),
  late: z
    .boolean()
    .describe("It succeeded after it had failed and was refunded: its files came at no charge"),
});

export const tasksPage = pageOf(taskSummary).describe(
  "Newest first. With filters a page may hold fewer rows than asked for, even none, and still have a `next`: so far was looked",
);

export const taskDetail = taskSummary.extend({
  submit: z.string().describe("Path of the API that takes the request"),
  request: z
    .record(z.string(), z.unknown())
    .describe("What was asked for, every default written out; fit to be sent again"),
  shortened: z.number().int().describe("Pictures inside the request that are too large to be shown here"),
  receipt: receipt.nullable(),
  webhook: z
    .object({
      url: z.string(),
      delivered_at: moment.nullable(),
      next_at: moment.nullable().describe("null = delivered, given up, or not due yet"),
      attempts: z.array(
        z.object({
          attempt: z.number().int(),
          at: moment,
          status: z.number().int().nullable().describe("null = there was no answer"),
          failure: z.string().nullable(),
          duration_ms: z.number().int(),
        }),
      ),
    })
    .nullable()
    .describe("null = nobody asked to be told"),
});

export const fileQuery = z.strictObject({
  download: z.enum(["1"]).optional().describe("Keep it as a file in place of showing it"),
});

export type TasksQuery = z.infer<typeof tasksQuery>;
export type TaskSummary = z.infer<typeof taskSummary>;
export type TaskFile = z.infer<typeof taskFile>;
export type TaskDetail = z.infer<typeof taskDetail>;
export type TasksPage = z.infer<typeof tasksPage>;
