import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import type { Upstream } from "../../src/catalog/catalog.ts";
import type { ImageOrder, MediaOrder, VideoOrder } from "../../src/families/family.ts";
import { silentLog } from "../../src/observe/log.ts";
import type { AskOutcome, Transport } from "../../src/upstreams/call.ts";
import { type KindName, kindOf } from "../../src/upstreams/kinds.ts";
import type {
  PollOutcome,
  SubmitOutcome,
  TaskApi,
  TaskApiRequest,
  TaskApiResponse,
} from "../../src/upstreams/task-apis/task-api.ts";
import { createTransport } from "../../src/upstreams/transport/transport.ts";
import { bareUpstream } from "./bare-upstream.ts";
import { PATIENT } from "./transport-rig.ts";

/** One vendor as its documentation describes it: what it is sent and what it answers. */
export interface FakeVendor {
  readonly kind: KindName;
  readonly authorization: string;
  /** The bodies in which the orders must arrive. */
  readonly orders: readonly FakeOrder[];
  /** Its response to a good order. */
  readonly accepted: (id: string) => object;
  /** The reading of an accepted order, unless it is `accepted`. */
  readonly done?: SubmitOutcome;
  /** The vendor's words for an error with this HTTP status. */
  readonly error: (status: number, message: string) => object;
  /** Errors that mean something else than their status says. */
  readonly peculiar: readonly {
    readonly name: string;
    readonly status: number;
    readonly body: object;
    readonly next: "fail" | "another" | "later";
  }[];
  /** Absent = it answers at once. */
  readonly polls?: {
    readonly path: (id: string, order: MediaOrder) => string;
    /** Its response to a question about a task, and what it means. */
    readonly records: readonly {
      readonly name: string;
      readonly body: (id: string) => object;
      readonly means: PollOutcome;
    }[];
    /** A record whose state is this word. */
    readonly word: (id: string, word: string) => object;
  };
}

export interface FakeOrder {
  readonly name: string;
  readonly order: MediaOrder;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The exact body as JSON; absent = looked at by the vendor's own tests. */
  readonly body?: object;
}

interface Arrived {
  readonly line: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** Values that no caller may be shown as a link. */
export const NO_LINKS = [
  ...[
    "javascript:alert(1)",
    "JavaScript:alert(1)//https://v.example/",
    "file:///etc/passwd",
    "blob:https://v.example/1",
  ],
  ...[
    "data:text/html;base64,PGI+",
    "data:image/png;base64,AAAA",
    "ftp://v.example/1.mp4",
    "//v.example/1.mp4",
  ],
  ...[
    "/1.mp4",
    "1.mp4",
    "null",
    "https://",
    "https:v.example",
    "http://?",
    "https://v.example/\u0000",
    "htt ps://v.example/1",
  ],
] as const;

/** The words by the state that a poll returns; a word for success without a result is none yet. */
const STATE_WORDS = {
  queued: ["not_start", "submitted", "queued", "pending", "in-queue", "waiting", "created", "scheduled"],
  running: ["in_progress", "processing", "running", "in progress", "inProgress", "generating", "started"],
  resultless: ["succeeded", "success", "completed", "done", "finished", "succeed", "complete"],
  failed: [
    "failed",
    "failure",
    "error",
    "cancelled",
    "canceled",
    "expired",
    "timeout",
    "timed_out",
    "rejected",
    "aborted",
  ],
} as const;

const ABOUT = { model: "their-model", taskId: "task_0123456789abcdef" };

/** The contract of every task API, shown against a server that behaves as its vendor does. */
export function taskApiContract(vendor: FakeVendor): void {
  const api = apiOf(vendor.kind);
  let server: Server;
  let upstream: Upstream;
  let transport: Transport;
  let arrived: Arrived[] = [];
  let reply: (response: ServerResponse) => void = () => undefined;

  beforeAll(async () => {
    transport = createTransport({ clock: systemClock, log: silentLog });
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        arrived.push({
          line: `${request.method} ${request.url}`,
          headers: request.headers,
          body: Buffer.concat(chunks),
        });
        reply(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    upstream = upstreamAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, vendor.kind);
  });
  afterAll(async () => {
    await transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(() => {
    arrived = [];
  });

  const answers = (status: number, body: object | string, headers: Record<string, string> = {}): void => {
    reply = (response) =>
      response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  };
  const ask = (request: TaskApiRequest): Promise<AskOutcome> =>
    transport.ask({
      upstream,
      requestId: "request-1",
      request,
      credential: { id: 1n, name: "main", secret: "their-key" },
    });
  const answerTo = async (request: TaskApiRequest): Promise<TaskApiResponse> => {
    const outcome = await ask(request);
    if (outcome.type === "failed") throw new Error(outcome.failure.message);
    return outcome.response;
  };
  const submit = async (order = firstOrder(vendor)): Promise<SubmitOutcome> =>
    api.readSubmit(await answerTo(api.submit(order, ABOUT)));

  describe("a submit", () => {
    it.each(vendor.orders)("arrives as the vendor wants it: $name", async (expected) => {
      answers(200, vendor.accepted("their-task-1"));
      expect(await submit(expected.order)).toEqual(
        vendor.done ?? { type: "accepted", upstreamId: "their-task-1" },
      );
      const [request] = arrived;
      expect(request?.line).toBe(`POST ${expected.path}`);
      expect(request?.headers).toMatchObject({
        authorization: vendor.authorization,
        ...expected.headers,
      });
      if (expected.body !== undefined) expect(JSON.parse(String(request?.body))).toEqual(expected.body);
    });

    it.each([400, 413, 422])("that is wrong (%i) fails with the vendor's reason", async (status) => {
      answers(status, vendor.error(status, "The prompt is too rude."));
      expect(await submit()).toEqual({ type: "refused", next: "fail", reason: "The prompt is too rude." });
    });

    it.each([401, 402, 403, 404])("that our account there is refused (%i) asks another", async (status) => {
      answers(status, vendor.error(status, "no"));
      expect(await submit()).toMatchObject({ type: "refused", next: "another" });
    });

    it("that comes too soon waits as long as the vendor says", async () => {
      answers(429, vendor.error(429, "slow down"), { "retry-after": "7" });
      expect(await submit()).toEqual({
        type: "refused",
        next: "later",
        reason: "slow down",
        retryAfterSeconds: 7,
      });
      answers(429, vendor.error(429, "slow down"), {
        date: "Sat, 21 Nov 2026 04:00:00 GMT",
        "retry-after": "Sat, 21 Nov 2026 04:00:30 GMT",
      });
      expect(await submit()).toMatchObject({ next: "later", retryAfterSeconds: 30 });
      answers(429, "", { "retry-after": "soon" });
      expect(await submit()).toEqual({
        type: "refused",
        next: "later",
        reason: "The vendor returned status 429.",
      });
    });

    it("that is sent elsewhere (302) was taken by nobody, and asks another", async () => {
      answers(302, "<html>oops</html>");
      expect(await submit()).toMatchObject({ type: "refused", next: "another" });
    });

    it.each([408, 500, 501, 502, 503, 504, 520, 524, 529, 599])(
      "answered with %i is unclear, whoever says it and however",
      async (status) => {
        for (const body of ["", "<html>oops</html>", vendor.error(status, "internal error")]) {
          answers(status, body);
          expect(await submit()).toMatchObject({ type: "unclear" });
        }
      },
    );

    it.each(["", "<html>hello</html>", "{", "null", "[]", "{}", '"ok"', "7"])(
      "answered 200 with %j is unclear",
      async (body) => {
        answers(200, body);
        expect(await submit()).toMatchObject({ type: "unclear" });
      },
    );

    it("answered with 2xx that can't be read, or that also names a task, is never submitted again", () => {
      const taken = vendor.accepted("their-task-1");
      const text = JSON.stringify(taken);
      const bodies = [
        ...Array.from({ length: text.length }, (_, end) => text.slice(0, end)),
        text.replace(/:("[^"]*"|\d+)/g, ":null"),
        text.replace(/"[^"]*"(?=[,}\]])/g, '""'),
        ...vendor.peculiar.map(({ body }) => JSON.stringify({ ...body, ...taken })),
      ];
      for (const status of [200, 201, 202, 204, 206])
        for (const body of bodies) {
          const outcome = api.readSubmit({ status, headers: {}, body: Buffer.from(body) });
          const next = outcome.type === "refused" ? outcome.next : undefined;
          expect(["another", "later"], `${status} ${body}`).not.toContain(next);
        }
    });

    it.each(vendor.peculiar)("may be refused in peculiar ways: $name", async ({ status, body, next }) => {
      answers(status, body);
      expect(await submit()).toMatchObject({ type: "refused", next });
    });

    it("whose connection breaks after it was sent says that it was sent", async () => {
      reply = (response) => response.destroy();
      expect(await ask(api.submit(firstOrder(vendor), ABOUT))).toMatchObject({
        type: "failed",
        failure: { kind: "closed", phase: "first-byte" },
      });
    });
  });

  const { polls } = vendor;
  if (polls === undefined) {
    it("is not asked again, since the first answer holds the result", () => {
      expect(api.poll).toBeUndefined();
      expect(api.batch).toBeUndefined();
    });
  } else {
    describe("a look at a task", () => {
      const look = async (order = firstOrder(vendor)): Promise<PollOutcome> => {
        if (api.poll === undefined || api.readPoll === undefined) throw new Error("it cannot be polled");
        const about = { model: ABOUT.model, medium: order.medium };
        return api.readPoll(await answerTo(api.poll("their/task 1", about)));
      };

      it.each(vendor.orders)("asks at the vendor's path, with the id escaped: $name", async ({ order }) => {
        answers(200, polls.word("their/task 1", "whatever"));
        await look(order);
        expect(arrived[0]?.line).toBe(`GET ${polls.path("their%2Ftask%201", order)}`);
        expect(arrived[0]?.headers).toMatchObject({ authorization: vendor.authorization });
      });

      it.each(polls.records)("reads $name", async ({ body, means }) => {
        answers(200, body("their/task 1"));
        expect(await look()).toEqual(means);
      });

      it("takes an unknown word for running", async () => {
        for (const word of ["meditating", "unknown", "partially", "not failed", "", "成功"]) {
          answers(200, polls.word("their/task 1", word));
          expect(await look(), word).toMatchObject({ type: "running" });
        }
      });

      it.each(Object.entries(STATE_WORDS))(
        "knows the words for %s in any case and spelling",
        async (type, words) => {
          for (const word of words)
            for (const spelt of [
              word,
              word.toUpperCase(),
              word[0]?.toUpperCase() + word.slice(1),
              ` ${word}\n`,
            ]) {
              answers(200, polls.word("their/task 1", spelt));
              expect(await look(), spelt).toMatchObject({ type });
            }
        },
      );

      const successes = polls.records.filter(({ means }) => means.type === "succeeded");

      it.each(successes)(
        "takes for a result what can be fetched, and nothing else: $name",
        async ({ body }) => {
          const told = JSON.stringify(body("their/task 1"));
          // Wherever the record repeats it.
          const withLink = (link: string): string =>
            told.replace(/"https?:[^"]*"/g, () => JSON.stringify(link));
          for (const link of NO_LINKS) {
            answers(200, withLink(link));
            expect(await look(), link).toMatchObject({
              type: "failed",
              reason: expect.stringContaining("link"),
            });
          }
          for (const none of ["", "  "]) {
            answers(200, withLink(none));
            expect(await look(), none).toEqual({ type: "resultless" });
          }
          answers(200, withLink("HTTPS://v.example/Made.mp4?a=b"));
          expect(await look()).toMatchObject({
            type: "succeeded",
            result: { outputs: [{ url: "HTTPS://v.example/Made.mp4?a=b" }] },
          });
        },
      );

      it.each([400, 401, 404, 429, 500, 503])("takes an HTTP error (%i) for running", async (status) => {
        answers(status, vendor.error(status, "no"));
        expect(await look()).toEqual({ type: "running" });
      });

      it.each(["", "<html></html>", "{", "null", "[]", "{}", "7"])(
        "takes an unreadable answer (%j) for running",
        async (body) => {
          answers(200, body);
          expect(await look()).toEqual({ type: "running" });
        },
      );
    });
  }

  it("reads any answer whatever without a throw", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.json({ maxDepth: 5 }).map((text) => new TextEncoder().encode(text)),
    );
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), bytes, (status, body) => {
        const answer = { status, headers: {}, body };
        expect(["accepted", "done", "refused", "unclear", "failed"]).toContain(api.readSubmit(answer).type);
        if (api.readPoll) {
          expect(["queued", "running", "succeeded", "failed"]).toContain(api.readPoll(answer).type);
        }
        api.batch?.read(answer);
      }),
      { numRuns: 300 },
    );
  });
}

export function apiOf(kind: KindName): TaskApi {
  const api = kindOf(kind)?.taskApi;
  if (!api) throw new Error(`${kind} has no task API`);
  return api;
}

export function imageOrder(over: Partial<ImageOrder> = {}): ImageOrder {
  return {
    medium: "image",
    family: "imagegen",
    prompt: "A lighthouse",
    widthPx: 2048,
    heightPx: 1152,
    ratio: "16:9",
    tier: "2k",
    quality: null,
    images: [],
    ...over,
  };
}

export function videoOrder(family: VideoOrder["family"], over: Partial<VideoOrder> = {}): VideoOrder {
  return {
    medium: "video",
    family,
    prompt: "A lighthouse",
    durationSeconds: 5,
    resolution: "720p",
    ratio: "16:9",
    audio: null,
    seed: null,
    watermark: null,
    references: [],
    returnLastFrame: false,
    tools: [],
    promptExtend: null,
    fileUrl: null,
    linkUrl: null,
    ...over,
  };
}

function firstOrder({ orders }: FakeVendor): MediaOrder {
  const [first] = orders;
  if (first === undefined) throw new Error("the vendor lists no order");
  return first.order;
}

function upstreamAt(baseUrl: string, kind: KindName): Upstream {
  return bareUpstream({ kind, baseUrl, timeouts: PATIENT });
}
