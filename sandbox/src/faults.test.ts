import { createConnection } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ask, askOver, CHAT, FOUR_PROTOCOLS, type ProtocolUnderTest } from "./testing/four-protocols.ts";
import { type StartedSandbox, sseEvents, startSandbox } from "./testing/started-sandbox.ts";

let sandbox: StartedSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const TERMINALS = /\[DONE\]|response\.completed|message_stop|"finishReason"|"finish_reason":"/;

type Patience = (text: string) => boolean;

/** The bytes that arrive until the connection ends, however it ends, or until the reader has seen enough and leaves. */
async function received(
  protocol: ProtocolUnderTest,
  ask: Ask,
  enough: Patience = () => false,
): Promise<{ text: string; ended: boolean }> {
  const leaving = new AbortController();
  let text = "";
  try {
    const url = `${sandbox.url}${protocol.path(ask.stream === true)}`;
    const body = JSON.stringify(protocol.body(ask));
    const response = await fetch(url, { method: "POST", body, signal: leaving.signal });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (enough(text)) leaving.abort();
    }
    return { text, ended: true };
  } catch {
    return { text, ended: false };
  }
}

/** Asks for what never answers, and leaves once the request has arrived. */
async function leaveUnanswered(protocol: ProtocolUnderTest, ask: Ask): Promise<void> {
  const leaving = new AbortController();
  const body = JSON.stringify(protocol.body(ask));
  const asked = fetch(`${sandbox.url}${protocol.path(true)}`, {
    method: "POST",
    body,
    signal: leaving.signal,
  });
  const left = expect(asked).rejects.toThrow();
  await sandbox.opened(1);
  leaving.abort();
  await left;
}

/** Content frames of any of the four streams. */
const contentIn = (text: string): number =>
  (text.match(/"content":"[^"]|\.delta","item_id|_delta","text":"[^"]|"parts":\[\{"text":"[^"]/g) ?? [])
    .length;

const chunksIn = (text: string): number => (text.match(/"delta":|"partial_json":/g) ?? []).length;

describe.each(FOUR_PROTOCOLS)("a fault over $name", (protocol) => {
  it("answers an error status before the first byte, streamed or not, with retry-after", async () => {
    for (const stream of [false, true]) {
      const given = await askOver(sandbox, protocol, { user: "[[sandbox: error=503]]", stream });
      expect(given.status).toBe(503);
      expect(JSON.parse(given.raw).error.message).toEqual(expect.any(String));
      expect(await sandbox.lastEntry()).toMatchObject({
        outcome: "faulted:error-503",
        status: 503,
        usage: { outputVisible: 0 },
      });
    }
    const limited = await sandbox.post(
      protocol.path(false),
      protocol.body({ user: "[[sandbox: error=429 retry_after=7]]" }),
    );
    expect(limited.headers.get("retry-after")).toBe("7");
  });

  it("breaks off mid-stream in the protocol's own error form, and never looks finished", async () => {
    const { text, ended } = await received(protocol, { user: "[[sandbox: error=529 at=3]]", stream: true });
    expect(ended).toBe(true);
    expect(text).not.toMatch(TERMINALS);
    expect(text).toMatch(/"error"/);
    const entry = await sandbox.lastEntry();
    expect(entry).toMatchObject({ outcome: "faulted:error-529", status: 200, produced: { chunks: 3 } });
    expect(entry.usage.outputVisible).toBeGreaterThan(3);
    expect(entry.usage.outputVisible).toBeLessThan(15);
  });

  it("cuts the connection after a chunk or a byte", async () => {
    const cut = await received(protocol, { user: "[[sandbox: cut=2]]", stream: true });
    expect(cut.ended).toBe(false);
    expect(cut.text).not.toMatch(TERMINALS);
    expect(await sandbox.lastEntry()).toMatchObject({ outcome: "faulted:cut", produced: { chunks: 2 } });
    const bytes = await received(protocol, { user: "[[sandbox: cut_bytes=777]]", stream: true });
    expect(bytes.ended).toBe(false);
    expect(bytes.text).toHaveLength(777);
    for (const [directive, outcome] of [
      ["cut=0", "faulted:cut"],
      ["reset=1", "faulted:reset"],
      ["cut=1", "faulted:cut"],
      ["lost=1", "faulted:lost"],
    ]) {
      expect((await received(protocol, { user: `[[sandbox: ${directive}]]` })).ended, directive).toBe(false);
      expect(await sandbox.lastEntry()).toMatchObject({ outcome });
    }
  });

  it("stalls before the headers and after a chunk until the reader gives up", async () => {
    await leaveUnanswered(protocol, { user: "[[sandbox: stall=0]]", stream: true });
    expect(await sandbox.lastEntry()).toMatchObject({
      outcome: "faulted:stall",
      status: 0,
      usage: { inputUncached: 0 },
    });
    const ask = { user: "[[sandbox: stall=2]]", stream: true };
    const stalled = await received(protocol, ask, (text) => contentIn(text) >= 2);
    expect(stalled.ended).toBe(false);
    expect(stalled.text).not.toMatch(TERMINALS);
    expect(await sandbox.lastEntry()).toMatchObject({
      outcome: "faulted:stall",
      status: 200,
      produced: { chunks: 2 },
    });
  });

  it("reports spoilt usage while the journal keeps the truth", async () => {
    for (const stream of [false, true]) {
      const truth = (await askOver(sandbox, protocol, { user: "Hi [[sandbox: usage=none-such]]", stream }))
        .usage;
      const raws: Record<string, string> = {};
      for (const kind of [
        "omit",
        "zero",
        "negative",
        "nan",
        "infinite",
        "huge",
        "cached_over",
        "fraction",
        "string",
      ]) {
        const user = `Hi [[sandbox: usage=${kind}]]`;
        const response = await sandbox.post(protocol.path(stream), protocol.body({ user, stream }));
        raws[kind] = response.text;
        const entry = await sandbox.lastEntry();
        expect(entry.usage.outputVisible).toBe(truth.outputVisible);
        expect(entry.outcome).toBe("completed");
      }
      expect(raws["omit"]).not.toMatch(/"(prompt|input|total)_tokens"|TokenCount/);
      expect(raws["zero"]).not.toMatch(
        /(output_tokens|completion_tokens|candidatesTokenCount|input_tokens)": ?[1-9]/,
      );
      expect(raws["negative"]).toMatch(/(output_tokens|completion_tokens|candidatesTokenCount)":-\d/);
      expect(raws["nan"]).toMatch(/":NaN/);
      expect(raws["infinite"]).toMatch(/":1e400/);
      expect(raws["huge"]).toMatch(/":18446744073709551516/);
      expect(raws["cached_over"]).toMatch(
        /"(cached_tokens|ephemeral_5m_input_tokens|cachedContentTokenCount)":1\d\d\d/,
      );
      expect(raws["fraction"]).toMatch(/":\d+\.5/);
      expect(raws["string"]).toMatch(/okens?(Count)?":"\d+"/);
    }
  });

  it("gives an empty answer that costs no output", async () => {
    for (const stream of [false, true]) {
      const given = await askOver(sandbox, protocol, { user: "[[sandbox: empty=1]]", stream });
      expect(given).toMatchObject({ status: 200, text: "", usage: { outputVisible: 0, outputReasoning: 0 } });
    }
  });

  it("says exactly the text it is told, and calls as many tools as asked", async () => {
    const user = '[[sandbox: text="Good \\"day\\" to you"]]';
    expect((await askOver(sandbox, protocol, { user, stream: true })).text).toBe('Good "day" to you');
    const tools = [{ name: "a", description: "", schema: { type: "object", properties: {} } }];
    expect((await askOver(sandbox, protocol, { user, tools })).calls).toEqual([]);
    const none = await askOver(sandbox, protocol, { user: "[[sandbox: tools=0]]", tools });
    expect(none.calls).toEqual([]);
    const two = await askOver(sandbox, protocol, { user: "[[sandbox: tools=2]]", tools, stream: true });
    expect(two.calls).toEqual([
      { name: "a", args: {} },
      { name: "a", args: {} },
    ]);
  });

  it("paces a stream and cuts it into as many chunks as asked", async () => {
    const started = Date.now();
    await received(protocol, { user: "[[sandbox: chunks=11 pace=20]]", stream: true });
    expect(Date.now() - started).toBeGreaterThanOrEqual(190);
    expect((await sandbox.lastEntry()).produced.chunks).toBe(11);
  });

  it("fails only the first k requests, or every n-th, of one prompt", async () => {
    const statuses = async (directive: string): Promise<number[]> => {
      const user = `${protocol.name} [[sandbox: ${directive}]]`;
      const given: number[] = [];
      for (let index = 0; index < 4; index += 1)
        given.push((await askOver(sandbox, protocol, { user })).status);
      return given;
    };
    expect(await statuses("error=500 times=2")).toEqual([500, 500, 200, 200]);
    expect(await statuses("flap=2")).toEqual([200, 503, 200, 503]);
  });

  it("floods as fast as the reader takes it, holding nothing in memory, and notices when he leaves", async () => {
    const { text, ended } = await received(protocol, { user: "[[sandbox: flood=3]]", stream: true });
    expect(ended).toBe(true);
    expect(text.length).toBeGreaterThan(3 * 1_048_576);
    const before = await sandbox.lastEntry();
    expect(before).toMatchObject({ outcome: "completed" });
    expect(before.usage.outputVisible).toBeGreaterThan(300_000);
    await received(
      protocol,
      { user: "[[sandbox: flood=2000]]", stream: true },
      (seen) => seen.length > 100_000,
    );
    const after = await sandbox.lastEntry();
    expect(after.outcome).toBe("aborted-by-client");
    expect(after.usage.outputVisible).toBeGreaterThan(0);
  });

  it("answers the HTML page of a broken proxy", async () => {
    const response = await sandbox.post(protocol.path(false), protocol.body({ user: "[[sandbox: html=1]]" }));
    expect(response.status).toBe(502);
    expect(response.headers.get("content-type")).toBe("text/html");
    expect(response.text).toContain("502 Bad Gateway");
  });

  it("journals an abort with what had been produced by then", async () => {
    const ask = { user: "[[sandbox: chunks=100 pace=10000]]", stream: true };
    await received(protocol, ask, (text) => contentIn(text) >= 1);
    const entry = await sandbox.lastEntry();
    expect(entry.outcome).toBe("aborted-by-client");
    expect(entry.produced.chunks).toBe(1);
    expect(entry.usage.inputUncached).toBeGreaterThan(0);
    expect(entry.produced.tokens).toBe(entry.usage.outputVisible);
  });
});

describe("a fault", () => {
  it("waits before the headers for as long as asked", async () => {
    const started = Date.now();
    await askOver(sandbox, CHAT, { user: "[[sandbox: delay=120]]" });
    expect(Date.now() - started).toBeGreaterThanOrEqual(119);
  });

  it("cuts with RST where a reset is asked", async () => {
    const body = JSON.stringify(CHAT.body({ user: "[[sandbox: cut=2 reset=1]]", stream: true }));
    const { port } = sandbox;
    const code = await new Promise<string | undefined>((resolve) => {
      const socket = createConnection(port, "127.0.0.1");
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      socket.on("close", () => resolve(undefined));
      socket.resume();
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    });
    expect(code).toBe("ECONNRESET");
  });

  it("sends events of the vendor's form, one write each", async () => {
    const { text } = await received(CHAT, { user: "[[sandbox: chunks=5]]", stream: true });
    expect(chunksIn(text)).toBe(7);
    expect(sseEvents(text).at(-1)?.data).toBe("[DONE]");
  });

  it("strikes embeddings and rerank too", async () => {
    const embedded = await sandbox.post("/v1/embeddings", { model: "e", input: "[[sandbox: error=500]]" });
    expect(embedded).toMatchObject({ status: 500, json: { error: { type: "server_error" } } });
    const ranked = await sandbox.post("/v1/rerank", {
      model: "r",
      query: "[[sandbox: error=500]]",
      documents: ["x"],
    });
    expect(ranked).toMatchObject({ status: 500, json: { detail: expect.any(String) } });
  });
});
