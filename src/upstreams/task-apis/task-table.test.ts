import { describe, expect, it } from "vitest";
import { apiOf } from "../../../test/support/task-api-contract.ts";
import type { PollOutcome, SubmitOutcome, TaskApiResponse } from "./task-api.ts";

type Kind = Parameters<typeof apiOf>[0];

function answered(body: object | string): TaskApiResponse {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status: 200, headers: {}, body: Buffer.from(text) };
}

function submitted(kind: Kind, body: object | string): SubmitOutcome {
  return apiOf(kind).readSubmit(answered(body));
}

function polled(kind: Kind, body: object | string): PollOutcome | undefined {
  return apiOf(kind).readPoll?.(answered(body));
}

describe("an id that is a number", () => {
  const id = "9007199254740993123";

  it("keeps all its digits", () => {
    expect(submitted("minimax", `{"task_id":${id},"base_resp":{"status_code":0}}`)).toEqual({
      type: "accepted",
      upstreamId: id,
    });
    const batch = `{"code":200,"data":[{"id":${id},"status":"pending"}]}`;
    expect(apiOf("apimart").batch?.read(answered(batch))).toEqual(new Map([[id, { type: "queued" }]]));
  });

  it("leaves the other numbers of its record what they are", () => {
    const record = `{"id":${id},"status":"succeeded","content":{"video_url":"https://v.example/1.mp4"},
      "duration":5.0416666666666667890,"usage":{"total_tokens":1e999}}`;
    expect(polled("ark", record)).toMatchObject({
      type: "succeeded",
      result: { durationSeconds: 5.041666666666667 },
    });
  });
});

describe("a link", () => {
  it("is what stands between the blanks around it", () => {
    const record = (url: unknown): object => ({
      data: { status: "completed", result: { images: [{ url }] } },
    });
    const outputs = [{ url: "https://v.example/1.png" }];
    for (const url of [" https://v.example/1.png\n", ["", "\thttps://v.example/1.png "]])
      expect(polled("apimart", record(url))).toEqual({ type: "succeeded", result: { outputs } });
  });
});

describe("a link that holds a user or a password", () => {
  it.each([
    "https://user:secret@v.example/1.png",
    "http://:secret@v.example/1.png",
    "HTTPS://user@v.example/1.png",
    "https://user%3A:s%40@v.example/1.png",
  ])("is no result: %s", (url) => {
    const outcome = polled("apimart", {
      data: { status: "completed", result: { images: [{ url: [url] }] } },
    });
    expect(outcome?.type).toBe("failed");
    expect(JSON.stringify(outcome)).not.toMatch(/secret|user|s%40/);
  });
});

describe("the end of a link", () => {
  it.each([
    [1_800_000_000.75, 1_800_000_000],
    ["1800000000", 1_800_000_000],
    [1_800_000_000_750, 1_800_000_000],
    [0, undefined],
    ["0", undefined],
    [9e15, undefined],
    ["1e300", undefined],
    ["2027-01-15T08:00:00Z", undefined],
  ])("is told in whole seconds, or not where the vendor does not say: %j", (expires_at, seconds) => {
    const video = { url: ["https://v.example/1.mp4"], expires_at };
    const outcome = polled("apimart", { data: { status: "completed", result: { videos: [video] } } });
    const expiresAt = seconds === undefined ? {} : { expiresAt: seconds };
    expect(outcome).toEqual({
      type: "succeeded",
      result: { outputs: [{ url: "https://v.example/1.mp4", ...expiresAt }] },
    });
  });
});

describe("a failure", () => {
  it.each<[Kind, object]>([
    ["minimax", { task: { status: "failed" }, base_resp: { status_code: 1027, status_msg: "too rude" } }],
    ["apimart", { code: 500, message: "too rude", data: { status: "failed", error: null } }],
    ["seedance-relay", { code: "refused", message: "too rude", data: { status: "FAILURE" } }],
  ])("is believed beside a code that says why, at %s", (kind, body) => {
    expect(polled(kind, body)).toEqual({ type: "failed", reason: "too rude" });
  });

  it("is none where only the question failed", () => {
    const task = { status: "succeeded", content: { url: "https://v.example/1.mp4" } };
    for (const known of [task, { status: "running" }, null])
      expect(polled("minimax", { task: known, base_resp: { status_code: 1002 } })).toEqual({
        type: "running",
      });
  });

  it.each<[Kind, object]>([
    ["ark", { status: "failed", error: "too rude" }],
    ["ark", { status: "failed", error: { code: "too rude", message: "" } }],
    ["apimart", { code: 200, data: { status: "failed", error: "too rude" } }],
    ["dashscope", { code: "X", message: "too rude", output: { task_status: "FAILED" } }],
    [
      "seedance-relay",
      { code: "success", data: { status: "FAILURE", data: { task: { error: "too rude" } } } },
    ],
  ])("has its reason wherever %s puts it", (kind, body) => {
    expect(polled(kind, body)).toEqual({ type: "failed", reason: "too rude" });
  });
});

describe("a refusal under HTTP 200", () => {
  it.each<[Kind, object]>([
    ["minimax", { base_resp: { status_code: 9999, status_msg: "too rude" } }],
    ["minimax", { base_resp: { status_code: 1042, status_msg: "too rude" } }],
    ["apimart", { code: 400, error: { message: "too rude" } }],
    ["apimart", { code: 10001, message: "too rude", data: [] }],
    ["apimart", { error: { message: "too rude" } }],
    ["seedance-relay", { code: "fail_to_fetch_task", message: "too rude" }],
    ["seedance-relay", { code: "bad_prompt", message: "too rude", data: { task_id: "" } }],
    ["dashscope", { code: "InvalidParameter", message: "too rude", request_id: "r" }],
    ["dashscope", { output: { task_status: "FAILED", message: "too rude" } }],
    ["ark", { error: { code: "InputTextSensitiveContentDetected", message: "too rude" } }],
    ["ark", { error: "too rude" }],
    ["openai", { error: { code: "moderation_blocked", message: "too rude" } }],
    ["openai", { data: [], error: { code: "content_policy_violation", message: "too rude" } }],
    ["openai", { data: [], message: "too rude" }],
    ["openai", { data: null, detail: "too rude" }],
  ])("is told in the vendor's words, at %s: %j", (kind, body) => {
    expect(submitted(kind, body)).toEqual({ type: "refused", next: "fail", reason: "too rude" });
  });

  it.each<[Kind, object]>([
    ["minimax", { base_resp: { status_code: 1000, status_msg: "unknown error" } }],
    ["apimart", { code: 500, message: "boo" }],
    ["apimart", { code: 200, message: "success", data: [] }],
    ["dashscope", { code: "InternalError.Timeout", message: "boo" }],
    ["seedance-relay", { code: "server_error", message: "boo" }],
    ["ark", { error: { code: "InternalServiceError", message: "boo" } }],
    ["openai", { error: { code: "server_error", message: "boo" } }],
  ])("is none where the vendor says that it failed itself, at %s: %j", (kind, body) => {
    expect(submitted(kind, body).type).toBe("unclear");
  });

  it("is none beside a task's id", () => {
    const body = { code: "odd", message: "boo", output: { task_id: "t-1" } };
    expect(submitted("dashscope", body)).toEqual({ type: "accepted", upstreamId: "t-1" });
  });
});

it("a refusal has its reason as a bare text too", () => {
  for (const body of [{ error: "too rude" }, { message: "too rude" }]) {
    const response = { ...answered(body), status: 400 };
    expect(apiOf("ark").readSubmit(response)).toEqual({ type: "refused", next: "fail", reason: "too rude" });
  }
});

it.each([0, "0", "success", 200])("an order is taken beside the code %j of those like apimart", (code) => {
  expect(submitted("apimart", { code, data: [{ task_id: "am-1" }] })).toEqual({
    type: "accepted",
    upstreamId: "am-1",
  });
  expect(polled("apimart", { code, data: { id: "am-1", status: "pending" } })).toEqual({ type: "queued" });
});

describe("an answer about another task than was asked for", () => {
  const bodies: Partial<Record<Kind, (id: string) => object>> = {
    apimart: (id) => ({ code: 200, data: { id, status: "failed" } }),
    ark: (id) => ({ id, status: "failed" }),
    dashscope: (id) => ({ output: { task_id: id, task_status: "FAILED" } }),
    minimax: (id) => ({ task: { id, status: "failed" }, base_resp: { status_code: 0 } }),
    "seedance-relay": (id) => ({ data: { task_id: id, status: "failed" }, code: "success" }),
    gateway: (id) => ({ task_id: id, status: "FAILURE" }),
  };
  const kinds = Object.keys(bodies) as Kind[];

  it.each(kinds)("tells nothing of it: %s", (kind) => {
    const read = (id: string, asked: string) =>
      apiOf(kind).readPoll?.(answered(bodies[kind]?.(id) ?? {}), asked);
    expect(read("task-b", "task-a")).toEqual({ type: "running", otherTask: "task-b" });
    expect(read("task-a", "task-a")).toMatchObject({ type: "failed" });
  });
});
