import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createJournal, type JournalRecord } from "./journal.ts";
import { askOver, CHAT, MESSAGES } from "./testing/four-protocols.ts";
import { type StartedSandbox, startSandbox } from "./testing/started-sandbox.ts";
import { NO_USAGE } from "./usage.ts";

describe("the control endpoint", () => {
  let sandbox: StartedSandbox;
  beforeEach(async () => {
    sandbox = await startSandbox();
  });
  afterEach(() => sandbox.close());

  it("scripts the requests that match, for as many as asked", async () => {
    const rule = { match: { path: "/v1/messages", model: "m" }, directive: "error=529", times: 2 };
    expect((await sandbox.post("/_sandbox/script", rule)).status).toBe(200);
    expect((await askOver(sandbox, CHAT, { user: "Hi" })).status).toBe(200);
    const statuses = [];
    for (let index = 0; index < 3; index += 1)
      statuses.push((await askOver(sandbox, MESSAGES, { user: "Hi" })).status);
    expect(statuses).toEqual([529, 529, 200]);
  });

  it("scripts one credential, under the prompt's own directive, until it is told to stop", async () => {
    await sandbox.post("/_sandbox/script", {
      match: { credential: "one" },
      directive: "error=500 tag=ruled",
    });
    const ask = async (credential: string, user = "Hi"): Promise<number> =>
      (await askOver(sandbox, CHAT, { user, credential })).status;
    expect([await ask("one"), await ask("two"), await ask("one", "[[sandbox: error=503]]")]).toEqual([
      500, 200, 503,
    ]);
    expect((await sandbox.lastEntry()).tag).toBe("ruled");
    await fetch(`${sandbox.url}/_sandbox/script`, { method: "DELETE" });
    expect(await ask("one")).toBe(200);
  });

  it("refuses what it does not understand and names unknown paths", async () => {
    expect((await sandbox.post("/_sandbox/script", { match: {} })).json.error.message).toMatch(/directive/);
    expect((await sandbox.post("/_sandbox/clock", {})).status).toBe(400);
    expect((await sandbox.post("/_sandbox/other", {})).status).toBe(404);
    expect((await sandbox.post("/v1/unknown", {})).json.error.message).toMatch(/no POST \/v1\/unknown/);
    expect((await fetch(`${sandbox.url}/`)).status).toBe(404);
  });

  it("forgets everything at a reset but goes on numbering", async () => {
    await askOver(sandbox, CHAT, { user: "Hi" });
    const { n } = await sandbox.lastEntry();
    await sandbox.post("/_sandbox/script", { directive: "error=500" });
    await sandbox.post("/_sandbox/reset", {});
    expect(await sandbox.journal()).toEqual([]);
    expect((await askOver(sandbox, CHAT, { user: "Hi" })).status).toBe(200);
    expect((await sandbox.lastEntry()).n).toBe(n + 1);
  });
});

describe("the journal", () => {
  it("records what was received and produced, without any credential", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sandbox-"));
    const file = join(folder, "journal.jsonl");
    const sandbox = await startSandbox({ journalFile: file });
    const secret = "sk-very-secret-value";
    const headers = { authorization: `Bearer ${secret}`, "x-api-key": secret, "anthropic-beta": "one-beta" };
    await sandbox.post("/v1/messages", MESSAGES.body({ user: "Hi [[sandbox: tag=mine]]" }), headers);
    await sandbox.post(`/v1beta/models/m:generateContent?key=${secret}`, {
      contents: [{ parts: [{ text: "Hi" }] }],
    });
    const entries = await sandbox.journal();
    await sandbox.close();
    expect(entries[0]).toMatchObject({
      n: 1,
      protocol: "messages",
      path: "/v1/messages",
      model: "m",
      tag: "mine",
      stream: false,
      headers: { "anthropic-beta": "one-beta", authorization: "[credential]", "x-api-key": "[credential]" },
      outcome: "completed",
      status: 200,
      responseId: expect.stringMatching(/^msg_/),
      request: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: expect.any(Number) },
    });
    expect(entries[0]?.closedAtMs).toBeGreaterThanOrEqual(entries[0]?.at ?? 0);
    expect(entries[1]?.credential).toBe(entries[0]?.credential);
    const lines = await readFile(file, "utf8");
    await rm(folder, { recursive: true });
    expect(
      lines
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(entries);
    expect(lines).not.toContain(secret);
  });

  it("records refusals as refusals", async () => {
    const sandbox = await startSandbox();
    await sandbox.post("/v1/chat/completions", { model: "m" });
    expect(await sandbox.lastEntry()).toMatchObject({ outcome: "refused:400", status: 400, model: "m" });
    await askOver(sandbox, CHAT, { user: "Hi", credential: "bad-key" });
    expect(await sandbox.lastEntry()).toMatchObject({ outcome: "refused:401", status: 401 });
    await sandbox.close();
  });

  it("keeps the newest entries when it is full, and gives only what is newer than asked", () => {
    const journal = createJournal(undefined, 3);
    for (let index = 1; index <= 5; index += 1) journal.add(record(`tag-${index}`));
    expect([...journal.after(0)].map((entry) => [entry.n, entry.tag])).toEqual([
      [3, "tag-3"],
      [4, "tag-4"],
      [5, "tag-5"],
    ]);
    expect([...journal.after(4)].map((entry) => entry.n)).toEqual([5]);
    expect([...journal.after(9)]).toEqual([]);
  });

  it("forgets polls before submits, and gives both in the order they came", () => {
    const journal = createJournal(undefined, 4);
    journal.add({ ...record("first"), protocol: "video-submit" });
    for (let index = 1; index <= 9; index += 1)
      journal.add({ ...record(`poll-${index}`), protocol: "video-poll" });
    journal.add({ ...record("second"), protocol: "image-submit" });
    expect([...journal.after(0)].map((entry) => [entry.n, entry.tag])).toEqual([
      [1, "first"],
      [9, "poll-8"],
      [10, "poll-9"],
      [11, "second"],
    ]);
    expect([...journal.after(9)].map((entry) => entry.n)).toEqual([10, 11]);
  });
});

function record(tag: string): JournalRecord {
  return {
    at: 0,
    protocol: "messages",
    path: "/",
    model: "m",
    credential: null,
    rawHeaders: [],
    stream: false,
    request: { sha256: "", bytes: 0 },
    tag,
    responseId: null,
    produced: { textLength: 0, tokens: 0, chunks: 0, bytes: 0 },
    usage: { ...NO_USAGE },
    outcome: "completed",
    status: 200,
    closedAtMs: 0,
  };
}
