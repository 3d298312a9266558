import type { ImageOrder, MediaOrder, VideoOrder } from "../../families/family.ts";
import type { TokenUsage } from "../../usage/usage.ts";

/** One vendor's way of making images and videos: pure functions that write requests and read answers. */
export interface TaskApi {
  readonly name: string;
  /** The request that submits an order. */
  submit(order: MediaOrder, about: SubmitAbout): TaskApiRequest;
  readSubmit(response: TaskApiResponse): SubmitOutcome;
  /** The request that asks for one task's state; absent = the submit answers with the result itself. */
  readonly poll?: (upstreamId: string, about: PollAbout) => TaskApiRequest;
  /** `upstreamId`: the task that was asked for; a response about another one tells nothing. */
  readonly readPoll?: (response: TaskApiResponse, upstreamId?: string) => PollOutcome;
  /** Asks for many tasks at once, where the vendor offers it. */
  readonly batch?:
    | {
        readonly max: number;
        request(upstreamIds: readonly string[], about: PollAbout): TaskApiRequest;
        /**
         * The outcomes by upstream id; a missing one is polled alone. undefined = the vendor is too busy for more
         * polls.
         */
        read(response: TaskApiResponse): ReadonlyMap<string, PollOutcome> | undefined;
      }
    | undefined;
  /** The vendor makes one task of any number of submits with the same `taskId`: a lost answer may be repeated. */
  readonly idempotent: boolean;
  /**
   * Looks for the task that a submit may have made whose response was lost; undefined = the vendor keeps nothing by which
   * this order's task is told from others. Absent = it has no list, or none that says whose a task is.
   */
  readonly find?: (
    order: MediaOrder,
    about: SubmitAbout,
  ) => { readonly request: TaskApiRequest; read(response: TaskApiResponse): FindOutcome } | undefined;
  /** Reference images travel as files: links must be fetched, and stand in the order as data URLs. */
  readonly wantsFiles?: boolean;
}

export interface SubmitAbout {
  /** The vendor's name of the model. */
  readonly model: string;
  /** Ours; the idempotency key where the vendor takes one. */
  readonly taskId: string;
}

export interface PollAbout {
  readonly model: string;
  readonly medium: "image" | "video";
}

/** `path` is appended to the upstream's base URL; the transport adds authentication as the kind says. */
export interface TaskApiRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array;
  /** Instead of `body`: what becomes JSON where it is sent, since orders with images in them are large. */
  readonly json?: object | undefined;
  /** The response holds the images themselves: it may take as long, and be as large, as they need. */
  readonly responsesWithMedia?: boolean;
  /** Longer than this nobody waits for the response, in milliseconds, the way there included. */
  readonly mostMs?: number;
}

export interface TaskApiResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * `refused`: no task exists there. Its `next` says what can still be done: `fail` the caller's task (it is
 * the order that is wrong), ask `another` upstream (our account or the vendor is at fault), or wait and try
 * `later` (saturated). `unclear`: the response does not say whether a task exists. `failed`: the vendor did the work, may bill
 * it, and gave nothing that can be used.
 */
export type SubmitOutcome =
  | { readonly type: "accepted"; readonly upstreamId: string }
  | { readonly type: "done"; readonly result: TaskResult }
  | {
      readonly type: "refused";
      readonly next: "fail" | "another" | "later";
      readonly reason: string;
      readonly retryAfterSeconds?: number | undefined;
    }
  | { readonly type: "unclear"; readonly reason: string }
  | { readonly type: "failed"; readonly reason: string };

/** `unknown`: not in the list, which may be late or longer than what was read of it. */
export type FindOutcome =
  | { readonly type: "found"; readonly upstreamId: string }
  | { readonly type: "unknown" };

/**
 * Unknown words, HTTP errors and unreadable bodies are `running` without progress: only a deadline ends them.
 * `resultless`: done, they say, and show nothing; the result may be about to come.
 */
export type PollOutcome =
  | { readonly type: "queued" }
  | {
      readonly type: "running";
      readonly progressPercent?: number | undefined;
      /** The response is about this one, and says nothing of the task that was asked for. */
      readonly otherTask?: string | undefined;
    }
  | { readonly type: "resultless" }
  | { readonly type: "succeeded"; readonly result: TaskResult }
  | { readonly type: "failed"; readonly reason: string; readonly cost?: TaskResult["cost"] | undefined };

/** The result of a task. Links are the vendor's, or data URLs if it responds with the bytes. */
export interface TaskResult {
  readonly outputs: readonly { readonly url: string; readonly expiresAt?: number | undefined }[];
  readonly lastFrameUrl?: string | undefined;
  /** The length of the video, if the vendor states it. */
  readonly durationSeconds?: number;
  readonly resolution?: string;
  /** The image's terms, if the vendor states them: `1024x1024` or a tier, and `low`, `medium` or `high`. */
  readonly imageTerms?:
    | { readonly size?: string | undefined; readonly quality?: string | undefined }
    | undefined;
  /** The vendor's own usage object. */
  readonly usage?: unknown;
  /** The tokens in it, by which images are charged where they have prices. */
  readonly tokens?: TokenUsage | undefined;
  /** The cost that the vendor states, in its own unit; kept for reports on margins. */
  readonly cost?: number | undefined;
  /** `data.content` is served too where the vendor's own layout is ark's. */
  readonly layout?: "ark";
}

/** The order as one of a video; a kind serves only the families of its table, so anything else is a bug. */
export function wantVideo(order: MediaOrder, api: string): VideoOrder {
  if (order.medium === "video") return order;
  throw new RangeError(`${api} makes no images`);
}

export function wantImage(order: MediaOrder, api: string): ImageOrder {
  if (order.medium === "image") return order;
  throw new RangeError(`${api} makes no videos`);
}
