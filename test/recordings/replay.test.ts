import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { billedUsage, nanosOf } from "../support/recorded-usage.ts";
import { type Recording, readRecordings } from "../support/recordings.ts";
import {
  cutAtRandom,
  type ReceivedRequest,
  type ReplayUpstream,
  seededRandom,
  startReplayUpstream,
} from "../support/replay-upstream.ts";
import { numberOf, type ReplayedRequest, replayRequest } from "../support/replayed-request.ts";
import { framesOf, isSpecified, specifiedStream } from "../support/specified-stream.ts";
import { waitFor } from "../support/wait.ts";
import { PRICE } from "../support/world.ts";

const seed = Number(process.env["REPLAY_SEED"] ?? Date.now() % 1_000_000);
const recordings = readRecordings();
const AT_ONCE = 24;
const UPSTREAM_KEY = "upstream-key-of-ours";

interface Outcome {
  readonly recording: Recording;
  readonly sent: ReplayedRequest;
  received: ReceivedRequest | undefined;
  status: number;
  headers: Headers;
  bytes: Buffer;
}

describe(`recorded exchanges replayed (REPLAY_SEED=${seed})`, () => {
  const outcomes: Outcome[] = [];
  let upstream: ReplayUpstream;
  let gateway: TestGateway;

  beforeAll(async () => {
    const random = seededRandom(seed);
    upstream = await startReplayUpstream((request) => {
      const number = numberOf(request.body.toString());
      const outcome = number === undefined ? undefined : outcomes[number];
      if (outcome === undefined) return { status: 418, headers: {}, pieces: [request.body] };
      outcome.received = request;
      const { status, headers, body, stream } = outcome.recording;
      return { status, headers, pieces: cutAtRandom(Buffer.from(body), random, stream ? 12 : 2) };
    });
    gateway = await startGateway({ catalog: catalog(upstream.url) });
    recordings.forEach((recording, number) => {
      const sent = replayRequest(recording, number, upstreamName(recording.model), random);
      const nothing = { received: undefined, status: 0, headers: new Headers(), bytes: Buffer.alloc(0) };
      outcomes.push({ recording, sent, ...nothing });
    });
    const run = async ([...waiting]: Outcome[], lanes: number): Promise<void> => {
      const lane = async (): Promise<void> => {
        for (let next = waiting.shift(); next; next = waiting.shift()) await replay(gateway.url, next);
      };
      await Promise.all(Array.from({ length: lanes }, lane));
    };
    await run(
      outcomes.filter(({ recording }) => continues(recording) === undefined),
      AT_ONCE,
    );
    // What goes on from a stored response comes after it.
    await run(
      outcomes.filter(({ recording }) => continues(recording) !== undefined),
      1,
    );
  }, 120_000);

  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await upstream?.close();
  });

  const forwarded = (): Outcome[] => outcomes.filter(({ recording }) => refusal(recording) === undefined);

  it("refuses what the specification refuses, and nothing else", () => {
    for (const { recording, received, status, bytes } of outcomes) {
      const refused = refusal(recording);
      expect(received === undefined, recording.id).toBe(refused !== undefined);
      if (refused === undefined) continue;
      expect(status, recording.id).toBe(400);
      const { error } = JSON.parse(bytes.toString());
      // On native paths the code is the status, and the word the reason.
      expect({ ...error, code: error.reason ?? error.code }, recording.id).toMatchObject(refused);
    }
    expect(forwarded().length).toBeGreaterThan(1_600);
  });

  it("changes no byte of a request but the model's name and the wish for usage", () => {
    for (const { recording, sent, received } of forwarded()) {
      const body = received?.body.toString() ?? "";
      if (sent.usageUnasked) expect(withoutUsageWish(body), recording.id).toBe(sent.forwarded);
      else expect(body, recording.id).toBe(sent.forwarded);
      expect(received?.path, recording.id).toBe(sent.upstreamPath);
    }
  });

  it("sends an upstream its own credential and no header of the caller's", () => {
    for (const { recording, received } of forwarded()) {
      const { headers = {}, path } = received ?? {};
      const { name, value } = CREDENTIAL[recording.protocol];
      expect(headers[name], recording.id).toBe(value);
      expect(Object.keys(headers).filter((header) => header !== name && !ALLOWED.has(header))).toEqual([]);
      expect(JSON.stringify([headers, path])).not.toContain(TEST_KEY);
    }
  });

  it("passes every byte of an answer on, but for what the specification wants told otherwise", () => {
    for (const { recording, sent, status, headers, bytes } of forwarded()) {
      if (!isResponse(recording) || concealed(recording) || saysNothing(recording)) continue;
      if (failsBehindWords(recording) && status !== 200) {
        // Both came in one piece, before anything was passed on.
        expect(bytes.toString(), recording.id).toContain('"error"');
        continue;
      }
      expect(status, recording.id).toBe(200);
      expect(headers.get("content-type"), recording.id).toBe(recording.headers["content-type"]);
      const due = recording.body;
      const got = bytes.toString();
      if (recording.stream && recording.protocol === "chat-completions") {
        const frames = framesOf(got);
        const specified = specifiedStream(due, !sent.usageUnasked);
        expect(isSpecified(frames, specified), `${recording.id}: ${got.slice(0, 500)}`).toBe(true);
        if (failsBehindWords(recording)) continue;
        if (ENDED["chat-completions"].test(due)) expect(frames.length, recording.id).toBe(specified.length);
        else expect(got, recording.id).toMatch(/data: .*"code":"upstream_error"/);
        continue;
      }
      if (!recording.stream || ENDED[recording.protocol].test(due)) {
        expect(got === due, `${recording.id}: ${got.slice(-500)}`).toBe(true);
        continue;
      }
      // It broke off: the caller is told in form, after all that there was.
      expect(got.startsWith(due), recording.id).toBe(true);
      expect(got.slice(due.length), recording.id).toMatch(/event: error\ndata: .*"code":"upstream_error"/);
    }
  });

  it("keeps an error about our account to itself, even in the midst of a stream", () => {
    const hidden = forwarded().filter(({ recording }) => concealed(recording));
    expect(hidden.length).toBeGreaterThan(0);
    for (const { recording, status, bytes } of hidden) {
      const got = bytes.toString();
      expect(got, recording.id).toContain('"code":"upstream_error"');
      expect(got, recording.id).not.toMatch(/insufficient_quota|billing|your plan/);
      if (status !== 200) {
        // It came in one piece with the first events, so that nothing had been sent.
        expect([status, JSON.parse(got).error.type], recording.id).toEqual([502, "gateway_error"]);
        continue;
      }
      const audio = recording.body.slice(0, recording.body.indexOf("event: error"));
      const ours = got.indexOf("event: response.failed");
      expect(audio.startsWith(got.slice(0, ours).trimEnd()), recording.id).toBe(true);
    }
  });

  it("tells upstream errors in the caller's shape: their words for the caller's fault, ours for ours", () => {
    let told = 0;
    for (const { recording, status, headers, bytes } of forwarded()) {
      if (isResponse(recording)) continue;
      told += 1;
      const { error, ...beside } = JSON.parse(bytes.toString());
      const id = headers.get("x-request-id");
      expect(error, recording.id).toMatchObject({
        message: expect.stringMatching(new RegExp(`\\(request id: ${id}\\)$`)),
        type: expect.any(String),
        param: expect.any(String),
        ...(recording.protocol === "generate-content"
          ? { code: status, reason: expect.any(String) }
          : { code: expect.any(String) }),
      });
      const word = error.reason ?? error.code;
      if (recording.protocol === "messages") expect(beside).toEqual({ type: "error", request_id: id });
      if (recording.protocol === "generate-content") expect(error.status).toMatch(/^[A-Z_]+$/);
      if (ourFault(recording)) {
        expect([status, word, error.type], recording.id).toEqual([502, "upstream_error", "gateway_error"]);
        expect(error.message).toMatch(/^The upstream['a-z ]+\. Try again\. /);
      } else if (recording.status === 429) {
        expect([status, word], recording.id).toEqual([429, "upstream_rate_limited"]);
        expect(headers.get("retry-after"), recording.id).toBe("35");
      } else {
        const vendor = vendorError(recording.body);
        expect(status, recording.id).toBe(recording.status);
        expect(error.message, recording.id).toBe(`${vendor.message} (request id: ${id})`);
        expect([error.param, word], recording.id).toEqual([vendor.param, vendor.code]);
        if (vendor.type !== "") expect(error.type, recording.id).toBe(vendor.type);
      }
    }
    expect(told).toBe(28);
  });

  it("meters and charges every answer as its vendor's own usage says", async () => {
    const rows = await waitFor("all usage to be posted", async () => {
      const found = await usageRows(gateway);
      return found.size >= forwarded().length && found;
    });
    expect(rows.size).toBe(forwarded().length);
    let charged = 0;
    for (const { recording, headers } of forwarded()) {
      const row = rows.get(headers.get("x-request-id") ?? "");
      if (row === undefined) throw new Error(`${recording.id} left no usage`);
      const due = billedUsage(recording);
      const isUnheard = failsBehindWords(recording) && row.charge === 0n;
      if (!isResponse(recording) || saysNothing(recording) || isUnheard) {
        expect([row.charge, row.reason], recording.id).toEqual([
          0n,
          expect.stringMatching(/^(rejected|upstream_failed)$/),
        ]);
      } else if (due === undefined) {
        // An error that came along with the first events is told as one: nothing was sent, so nothing is charged.
        const refused = row.reason === "upstream_failed" && row.charge === 0n;
        expect(row.estimated || refused, `${recording.id} states no usage: ${row.reason}`).toBe(true);
      } else {
        expect([row.buckets, row.estimated], `${recording.id} ${row.reason}`).toEqual([
          due.buckets,
          due.doubted,
        ]);
        expect(row.charge, recording.id).toBe(nanosOf(due.buckets));
        charged += 1;
      }
    }
    expect(charged).toBeGreaterThan(1_500);
  });
});

async function replay(url: string, outcome: Outcome): Promise<void> {
  const response = await fetch(url + outcome.sent.path, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}` },
    body: outcome.sent.body,
  });
  outcome.status = response.status;
  outcome.headers = response.headers;
  outcome.bytes = Buffer.from(await response.arrayBuffer());
}

/** The stored response that a request goes on from. */
function continues({ request }: Recording): string | undefined {
  const id = request?.["previous_response_id"];
  return typeof id === "string" ? id : undefined;
}

/** What the gateway itself refuses of real traffic, and why. */
function refusal(recording: Recording): { code: string; param: string } | undefined {
  const { protocol, request } = recording;
  if (request?.["background"] === true) return { code: "invalid_request", param: "background" };
  // The vendor takes one tool for a list of one; the specification says array.
  if (protocol === "generate-content" && request?.["tools"] && !Array.isArray(request["tools"]))
    return { code: "invalid_request", param: "tools" };
  const id = continues(recording);
  return id === undefined || responseIds.has(id)
    ? undefined
    : { code: "previous_response_not_found", param: "previous_response_id" };
}

/** Of every response that is replayed, and may therefore be gone on from. */
const responseIds = new Set(
  recordings
    .filter(({ protocol, request }) => protocol === "responses" && request?.["background"] !== true)
    .map(({ body }) => /"id": ?"(resp_[^"]+)"/.exec(body)?.[1]),
);

/** Success is no response where its body is none, be it a page, a line of text or an object that says something else. */
function isResponse({ status, stream, body }: Recording): boolean {
  return status < 300 && (stream || (/^\s*\{/.test(body) && RESPONSE.test(body)));
}

const RESPONSE = /"(?:choices|output|content|candidates|promptFeedback|usage)"/;

/** A stream in which the vendor told that an account has run dry. */
function concealed({ stream, body }: Recording): boolean {
  return stream && /^event: error\ndata: .*insufficient_quota/m.test(body);
}

/**
 * A chat's stream without a word, a call or a count, the response of another endpoint, or one whose image was taken out when it
 * was recorded: taken for a failure.
 */
function saysNothing({ id, protocol, stream, body }: Recording): boolean {
  if (WITHOUT_IMAGE.test(id) && !stream) return true;
  if (protocol === "responses" && /"object": ?"chat\.completion"/.test(body)) return true;
  if (protocol === "chat-completions" && !stream && !/"(?:choices|error)" ?:/.test(body)) return true;
  const output = /"(?:content|reasoning\w*|arguments|refusal)": ?"[^"]|"usage": ?\{|"(?:tool_calls|error)"/;
  return protocol === "chat-completions" && stream && !output.test(body);
}

const WITHOUT_IMAGE = /xai-image-generation-tool\.1/;

/** A stream that tells of an error: whether its words are passed on before depends on how it is cut. */
function failsBehindWords({ stream, body }: Recording): boolean {
  return stream && /"error": ?[{"]/.test(body);
}

/** A recorded failure that is about the account or the catalog of whoever runs the gateway. */
function ourFault({ status, body }: Recording): boolean {
  return status < 300 || status === 404 || /insufficient_quota/.test(body);
}

function vendorError(body: string): { message: string; type: string; param: string; code: string } {
  const { error } = JSON.parse(body);
  if (typeof error === "string") return { message: error, type: "", param: "", code: "" };
  return {
    message: error.message,
    type: error.status ?? error.type ?? "",
    param: error.param ?? "",
    code: String(error.code ?? ""),
  };
}

/** Exactly one member spliced into the top level; what is left must be the caller's bytes. */
function withoutUsageWish(body: string): string {
  const wish = /,?\s*"stream_options"\s*:\s*\{\s*"include_usage"\s*:\s*true\s*\},?/;
  return body.replace(wish, "");
}

/** What a stream that came to its end, or was ended by its vendor's own error, holds. */
const ENDED = {
  "chat-completions": /"finish_reason": ?"|^data: \[DONE\]|"error": ?[{"]/m,
  responses: /"type": ?"(response\.(completed|incomplete|failed)|error)"/,
  messages: /"type": ?"(message_stop|error)"/,
  "generate-content": /"finishReason": ?"|"blockReason"|"error": ?\{/,
} as const;

const BEARER = { name: "authorization", value: `Bearer ${UPSTREAM_KEY}` };
const CREDENTIAL = {
  "chat-completions": BEARER,
  responses: BEARER,
  messages: { name: "x-api-key", value: UPSTREAM_KEY },
  "generate-content": { name: "x-goog-api-key", value: UPSTREAM_KEY },
} as const;
const ALLOWED = new Set([
  ...["host", "connection", "content-type", "content-length", "accept", "accept-encoding", "user-agent"],
  ...["x-request-id", "anthropic-version"],
]);

interface Row {
  readonly buckets: Record<string, number>;
  readonly charge: bigint;
  readonly estimated: boolean;
  readonly reason: string;
}

async function usageRows({ database }: TestGateway): Promise<Map<string, Row>> {
  const rows = await database?.database.query<Record<string, unknown>>("select * from usage");
  const count = (value: unknown): number => Number(value ?? 0);
  return new Map(
    rows?.map((row) => [
      String(row["request_id"]),
      {
        buckets: {
          inputUncached: count(row["input_uncached"]),
          cacheRead: count(row["cache_read"]),
          cacheWrite5m: count(row["cache_write_5m"]),
          cacheWrite1h: count(row["cache_write_1h"]),
          outputVisible: count(row["output_visible"]),
          outputReasoning: count(row["output_reasoning"]),
        },
        charge: row["charge_nanos"] as bigint,
        estimated: row["estimated"] === true,
        reason: String(row["reason"]),
      },
    ]),
  );
}

function upstreamName(model: string): string {
  return model.length % 2 === 0 ? model : `vendor's "${model}"/ü`;
}

function catalog(url: string): string {
  // A request may list additional models for OpenRouter to try; the gateway takes only those that it serves.
  const models = [...new Set(recordings.flatMap(({ model, request }) => [model, ...listed(request)]))];
  const names = JSON.stringify(Object.fromEntries(models.map((model) => [model, upstreamName(model)])));
  const price = JSON.stringify({
    ...PRICE,
    // What is told apart costs as its class, which is what the recordings' own sum knows.
    audio: MEDIA,
    image: MEDIA,
    video: MEDIA,
    calls: Object.fromEntries(EXTRAS.map((extra) => [extra, 0])),
  });
  return `version: 1
groups: [{ name: default, factor: 1 }]
models:
${models.map((id) => `  - { id: ${JSON.stringify(id)}, context_tokens: 1000000, max_output_tokens: 64000, price: ${price}, quirks: { translation: false } }`).join("\n")}
upstreams:
  - { name: openai, kind: openai, base_url: "${url}/v1", api_key: ${UPSTREAM_KEY}, models: ${names} }
  - { name: anthropic, kind: anthropic, base_url: "${url}", api_key: ${UPSTREAM_KEY}, models: ${names} }
  - { name: gemini, kind: gemini, base_url: "${url}", api_key: ${UPSTREAM_KEY}, models: ${names} }
accounts:
  - { name: acme, group: default, balance: 1000000, keys: [{ name: test, key: ${TEST_KEY} }] }
`;
}

function listed(request: Recording["request"]): string[] {
  const models = request?.["models"];
  return Array.isArray(models) ? models.map(String) : [];
}

/** What the recordings ask for beside tokens; without a price each would be refused. */
const MEDIA = { input: PRICE.input, cache_read: PRICE.cache_read, output: PRICE.output };

const EXTRAS = [
  "service_tier:fast",
  "service_tier:flex",
  "service_tier:on_demand",
  "web_search_options",
  "web_search",
  "web_search_20250305",
  "web_search_preview",
  "file_search",
  "code_container",
  "image_generation",
  "x_search",
  "collections_search",
  "document_search",
  "google_maps",
  "code_execution",
  "code_interpreter",
  "mcp",
  "fileSearch",
  "googleSearch",
  "code_execution_20260120",
  "programmatic_tool_calling",
  "advisor_20260301",
  "openrouter:web_search",
];
