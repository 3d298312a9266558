import { z } from "zod";
import { moment, nanos, pageOf, pageQuery } from "../contract-parts.ts";
import { receipt } from "../requests/contract.ts";

export const tasksQuery = pageQuery.extend({
  medium: z.enum(["image", "video"]).optional(),
  model: z.string().max(200).optional(),
  state: z.enum(["open", "SUCCESS", "FAILURE"]).optional().describe("State; open = not finished yet"),
  key: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, "must be a key id")
    .optional(),
  from: z.iso.datetime({ offset: true }).optional().describe("Accepted at or after this time"),
  to: z.iso.datetime({ offset: true }).optional().describe("Accepted before this time"),
});

const taskFile = z.object({
  kind: z.enum(["image", "video", "last_frame"]),
  url: z.string().describe("URL returned by the API: the vendor's, or this gateway's copy"),
  view: z.string().describe("Path in the console API, with Range support; `?download=1` downloads it"),
  expires_at: moment.nullable().describe("Expiry of the URL; null = unknown"),
});

export const taskSummary = z.object({
  id: z.string(),
  request_id: z.string().describe("Id of the submit's request"),
  medium: z.enum(["image", "video"]),
  family: z.string(),
  model: z.string(),
  action: z.string(),
  state: z.enum(["NOT_START", "SUBMITTED", "QUEUED", "IN_PROGRESS", "SUCCESS", "FAILURE"]),
  progress_percent: z.number().int(),
  fail_reason: z.string().describe('Reason of the failure; "" if there is none'),
  prompt: z.string().describe("Beginning of the prompt"),
  key: z
    .object({ id: z.string(), name: z.string().nullable() })
    .describe("API key; name null = the key was deleted"),
  accepted_at: moment,
  started_at: moment.nullable(),
  finished_at: moment.nullable(),
  deadline_at: moment.describe("Deadline"),
  hold_nanos: nanos.describe("Amount reserved while the task runs"),
  charge_nanos: nanos.nullable().describe("Charge; null until the task finishes; 0 if it failed"),
  files: z.array(taskFile),
  late: z.boolean().describe("true if the task completed after it was refunded; its files are free"),
});

export const tasksPage = pageOf(taskSummary).describe(
  "Tasks, newest first. With filters, a page may have fewer rows than requested, or none, and still have a `next`",
);

export const taskDetail = taskSummary.extend({
  submit: z.string().describe("API path of the request"),
  request: z.record(z.string(), z.unknown()).describe("Full request including defaults; can be sent again"),
  shortened: z.number().int().describe("Number of images in the request that are too large to show"),
  receipt: receipt.nullable(),
  webhook: z
    .object({
      url: z.string(),
      delivered_at: moment.nullable(),
      next_at: moment
        .nullable()
        .describe("Time of the next attempt; null = delivered, given up, or not due yet"),
      attempts: z.array(
        z.object({
          attempt: z.number().int(),
          at: moment,
          status: z
            .number()
            .int()
            .nullable()
            .describe("Status of the receiver's response; null = no response"),
          failure: z.string().nullable(),
          duration_ms: z.number().int(),
        }),
      ),
    })
    .nullable()
    .describe("Webhook deliveries; null = no webhook requested"),
});

export const fileQuery = z.strictObject({
  download: z.enum(["1"]).optional().describe("Download instead of displaying"),
});

export type TasksQuery = z.infer<typeof tasksQuery>;
export type TaskSummary = z.infer<typeof taskSummary>;
export type TaskFile = z.infer<typeof taskFile>;
export type TaskDetail = z.infer<typeof taskDetail>;
export type TasksPage = z.infer<typeof tasksPage>;
