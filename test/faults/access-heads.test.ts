import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TEST_KEY } from "../support/gateway.ts";
import { cleanLedger, expectNothingOpen } from "../support/money-books.ts";
import { type MoneyRig, startMoneyRig } from "../support/money-rig.ts";
import { openRaw, type RawConnection, rawExchange, statusesIn } from "../support/raw-exchange.ts";
import { wireForm } from "../support/text-caller.ts";
import { waitFor } from "../support/wait.ts";

/** A stop waits 30 s for requests that do not end, and a refused body is read out for up to 10. */
const SOON_MS = 8_000;

const KEY = `authorization: Bearer ${TEST_KEY}`;
const NO_HTTP = "\x16\x03\x01 this is no HTTP\r\n\r\n";
const TUNNEL = "CONNECT vendor.example:443 HTTP/1.1\r\nhost: vendor.example:443\r\n\r\n";

/** A chat request; `lines` are its headers besides key and length. */
function chat(directive: string, streamed = false, lines: readonly string[] = ["host: a"]): string {
  const prompt = `Count. [[sandbox: ${directive}]]`;
  const body = JSON.stringify(wireForm({ protocol: "chat-completions", prompt, streamed }).body);
  const head = ["POST /v1/chat/completions HTTP/1.1", ...lines, KEY, `content-length: ${body.length}`];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** A request without a body. */
function get(path: string, lines: readonly string[], version = "1.1"): string {
  return `${[`GET ${path} HTTP/${version}`, KEY, ...lines].join("\r\n")}\r\n\r\n`;
}

/** The head of the last response by lower-case name, and its JSON. */
function responseIn(heard: string): { head: string; body: unknown } {
  const [head = "", body = ""] = heard.slice(heard.lastIndexOf("HTTP/1.1 ")).split("\r\n\r\n");
  return { head: head.toLowerCase(), body: body === "" ? undefined : JSON.parse(body) };
}

describe("heads that are refused", () => {
  let rig: MoneyRig;
  beforeAll(async () => {
    rig = await startMoneyRig();
  });
  afterAll(() => rig.stop());

  const tagsUpstream = async (): Promise<unknown[]> =>
    (await rig.sandbox.journal()).map((line) => line["tag"]);
  const open = async (): Promise<number> => {
    const status = await fetch(`${rig.sandbox.url}/_sandbox/status`);
    return ((await status.json()) as { open: number }).open;
  };

  describe("behind a request that is still being answered", () => {
    /** Answers came whole, in order, and then the refusal of what is no HTTP. */
    const expectRefusedLast = async (heard: string, ...tags: readonly string[]): Promise<void> => {
      expect(statusesIn(heard)).toEqual([...tags.map(() => 200), 400]);
      expect(responseIn(heard)).toMatchObject({ body: { error: { code: "invalid_request" } } });
      expect(responseIn(heard).head).toContain("connection: close");
      for (const tag of tags) expect((await rig.accountOf(tag)).row).toMatchObject({ reason: "completed" });
    };

    it("bytes that are no HTTP are refused once a running stream has ended", async () => {
      const caller = openRaw(rig.url);
      caller.write(chat("tag=bytes-stream chunks=20 pace=50", true));
      await waitFor("the answer's beginning", () => caller.heard().includes("data: "));
      for (const _ of [1, 2, 3]) caller.write(NO_HTTP);
      await caller.ended;
      await expectRefusedLast(caller.heard(), "bytes-stream");
      expect(caller.heard().indexOf("[DONE]")).toBeLessThan(caller.heard().indexOf("HTTP/1.1 400"));
    });

    it("bytes that are no HTTP are refused once a plain answer has come", async () => {
      const caller = openRaw(rig.url);
      caller.write(chat("tag=bytes-plain delay=1500"));
      await waitFor("the request upstream", async () => (await open()) > 0);
      caller.write(NO_HTTP);
      await caller.ended;
      await expectRefusedLast(caller.heard(), "bytes-plain");
    });

    it("bytes that are no HTTP are refused once all is answered that came in one piece with them", async () => {
      const caller = openRaw(rig.url);
      caller.write(chat("tag=bytes-first") + chat("tag=bytes-second chunks=4", true) + NO_HTTP);
      await caller.ended;
      await expectRefusedLast(caller.heard(), "bytes-first", "bytes-second");
    });

    it("a body that is broken is refused once what came before it is answered", async () => {
      const caller = openRaw(rig.url);
      const head = ["POST /v1/chat/completions HTTP/1.1", "host: a", KEY, "transfer-encoding: chunked"];
      caller.write(`${chat("tag=before-broken delay=500")}${head.join("\r\n")}\r\n\r\nno size\r\n`);
      await caller.ended;
      await expectRefusedLast(caller.heard(), "before-broken");
    });

    it("bytes that are no HTTP do not hide that their caller leaves", async () => {
      const caller = openRaw(rig.url);
      caller.write(chat("tag=bytes-left chunks=200 pace=100", true));
      await waitFor("the answer's beginning", () => caller.heard().includes("data: "));
      caller.write(NO_HTTP);
      caller.leave();
      expect((await rig.accountOf("bytes-left")).row).toMatchObject({ reason: "client_aborted" });
    });

    it("bytes that are no HTTP and do not end close the connection", async () => {
      const caller = openRaw(rig.url);
      caller.write(chat("tag=bytes-flood chunks=200 pace=100", true));
      await waitFor("the answer's beginning", () => caller.heard().includes("data: "));
      for (let mb = 0; mb < 4; mb += 1) caller.write(NO_HTTP.repeat(40_000));
      await caller.ended;
      expect((await rig.accountOf("bytes-flood")).row).toMatchObject({ reason: "client_aborted" });
      expect(caller.heard()).not.toMatch(/HTTP\/1\.1 4|\[DONE\]/);
    });

    it("CONNECT ends a running stream as when its caller leaves, and nothing is written into it", async () => {
      const caller = openRaw(rig.url);
      caller.write(chat("tag=connect-stream chunks=40 pace=100", true));
      await waitFor("the answer's beginning", () => caller.heard().includes("data: "));
      caller.write(TUNNEL);
      await caller.ended;
      expect(statusesIn(caller.heard())).toEqual([200]);
      expect(caller.heard()).not.toMatch(/HTTP\/1\.1 4|method_not_allowed|\[DONE\]/);
      expect((await rig.accountOf("connect-stream")).row).toMatchObject({ reason: "client_aborted" });
    });

    it("CONNECT is not answered in the place of a request whose own answer has not begun", async () => {
      const caller = openRaw(rig.url);
      caller.write(chat("tag=connect-plain delay=1500"));
      await waitFor("the request upstream", async () => (await open()) > 0);
      caller.write(TUNNEL);
      await caller.ended;
      expect(caller.heard()).toBe("");
      const { line, row } = await rig.accountOf("connect-plain");
      expect([line.outcome, row.reason]).toEqual(["completed", "client_aborted"]);
    });

    it("CONNECT: a request that came in one piece with it is not begun", async () => {
      const caller = openRaw(rig.url);
      caller.write(chat("tag=connect-together") + TUNNEL);
      await caller.ended;
      expect(caller.heard()).toBe("");
      expect(statusesIn(await rawExchange(rig.url, chat("tag=connect-after")))).toEqual([200]);
      expect(await tagsUpstream()).not.toContain("connect-together");
    });

    it("what follows a request that said it is the last is passed over: its answer comes whole", async () => {
      const last = ["host: a", "connection: close"];
      for (const behind of [NO_HTTP, get("/v1/models", ["host: a"])]) {
        const caller = openRaw(rig.url);
        caller.write(chat("tag=last chunks=4 pace=100", true, last));
        await waitFor("the answer's beginning", () => caller.heard().includes("data: "));
        caller.write(behind);
        caller.write(behind);
        await caller.ended;
        expect(statusesIn(caller.heard())).toEqual([200]);
        expect(caller.heard()).toContain("[DONE]");
        expect(statusesIn(await rawExchange(rig.url, chat("chunks=4", true, last) + behind))).toEqual([200]);
      }
    });

    it("a head without a host is refused in its turn, and nothing behind it is served", async () => {
      const heard = await rawExchange(
        rig.url,
        chat("tag=first chunks=4 pace=50", true) + get("/v1/models", []) + chat("tag=third"),
      );
      expect(statusesIn(heard)).toEqual([200, 400]);
      expect(heard.indexOf("[DONE]")).toBeLessThan(heard.indexOf("HTTP/1.1 400"));
      expect(await tagsUpstream()).not.toContain("third");
    });
  });

  it("tells a caller whose connection owes no answer that its bytes are no HTTP", async () => {
    const caller = openRaw(rig.url);
    caller.write(get("/v1/models", ["host: a"]));
    await waitFor("the answer", () => caller.heard().includes('"object":"list"'));
    caller.write(NO_HTTP);
    await caller.ended;
    expect(statusesIn(caller.heard())).toEqual([200, 400]);
    expect(responseIn(caller.heard()).body).toMatchObject({ error: { code: "invalid_request" } });
  });

  it("tells a caller whose body is broken", async () => {
    const caller = openRaw(rig.url);
    caller.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n${KEY}\r\ntransfer-encoding: chunked\r\n\r\nno size\r\n`,
    );
    await caller.ended;
    expect(statusesIn(caller.heard())).toEqual([400]);
    expect(responseIn(caller.heard()).body).toMatchObject({ error: { code: "invalid_request" } });
  });

  describe("need one host", () => {
    const refused = { message: expect.stringMatching(/one Host header/), code: "invalid_request" };
    it.each([
      { path: "/v1/models", shape: { error: refused } },
      { path: "/v1/messages", shape: { type: "error", error: refused } },
      { path: "/v1beta/models", shape: { error: { ...refused, code: 400, status: "INVALID_ARGUMENT" } } },
      { path: "//v2/videos/generations/x/", shape: { ...refused, data: null } },
    ])("at $path in the path's shape", async ({ path, shape }) => {
      for (const lines of [[], ["host: a", "Host: a"]]) {
        const heard = await rawExchange(rig.url, get(path, lines));
        expect(statusesIn(heard)).toEqual([400]);
        const { head, body } = responseIn(heard);
        expect(body).toMatchObject(shape);
        expect(head).toContain("\r\nconnection: close");
        expect(head).toMatch(/\r\nx-request-id: req_/);
      }
    });

    it("but HTTP/1.0 needs none, and it may be empty", async () => {
      for (const request of [get("/v1/models", [], "1.0"), get("/v1/models", ["host:"])])
        expect(statusesIn(await rawExchange(rig.url, request))).toEqual([200]);
    });
  });

  it("are refused over HTTP/1.0 where the body is in a transfer coding, be its length told too", async () => {
    const coded = "transfer-encoding: chunked";
    const [body, behind] = ['5\r\n{"a":\r\n0\r\n\r\n', get("/v1/models", ["host: a"])];
    for (const path of ["/v1/chat/completions", "/v1/models"]) {
      const head = `POST ${path} HTTP/1.0\r\nhost: a\r\nconnection: keep-alive\r\n${KEY}\r\n${coded}\r\n\r\n`;
      const heard = await rawExchange(rig.url, head + body + behind);
      expect(statusesIn(heard)).toEqual([400]);
      expect(responseIn(heard).head).toContain("\r\nconnection: close");
      expect(responseIn(heard).body).toMatchObject({ error: { code: "invalid_request" } });
    }
    const lengthToo = `POST /v1/models HTTP/1.0\r\nhost: a\r\n${coded}\r\ncontent-length: 5\r\n\r\n${body}`;
    expect(statusesIn(await rawExchange(rig.url, lengthToo))).toEqual([400]);
  });

  it("are refused for a transfer coding besides chunked, which nobody here decodes", async () => {
    const [body, behind] = ["2\r\n{}\r\n0\r\n\r\n", get("/v1/models", ["host: a"])];
    for (const coding of ["gzip, chunked", "identity, chunked", "deflate,chunked"]) {
      const head = `POST /v1/models HTTP/1.1\r\nhost: a\r\n${KEY}\r\ntransfer-encoding: ${coding}\r\n\r\n`;
      const heard = await rawExchange(rig.url, head + body + behind);
      expect(statusesIn(heard), coding).toEqual([400]);
      expect(responseIn(heard).head).toContain("\r\nconnection: close");
    }
    const plain = `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n${KEY}\r\ntransfer-encoding: Chunked\r\n\r\n`;
    expect(responseIn(await rawExchange(rig.url, plain + body)).body).toMatchObject({
      error: { message: expect.stringMatching(/model/) },
    });
  });

  it("are refused for more headers than are read, so that none vanishes", async () => {
    const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `a: ${index % 10}`);
    const models = (lines: readonly string[]): string =>
      `GET /v1/models HTTP/1.1\r\nhost: a\r\n${lines.join("\r\n")}\r\n${KEY}\r\n\r\n`;
    expect(statusesIn(await rawExchange(rig.url, models(many(1_998))))).toEqual([200]);
    for (const count of [1_999, 4_000]) {
      const heard = await rawExchange(rig.url, models(many(count)) + models([]));
      expect(statusesIn(heard)).toEqual([431]);
      const { head, body } = responseIn(heard);
      expect(head).toContain("\r\nconnection: close");
      expect(body).toMatchObject({
        error: { code: "invalid_request", message: expect.stringContaining("2000 headers") },
      });
    }
  });

  it("of another version than 1.x are refused with 505, and the connection ends", async () => {
    const heard = await rawExchange(rig.url, "GET /v1/models HTTP/2.0\r\nhost: a\r\n\r\n");
    expect(statusesIn(heard)).toEqual([505]);
    expect(heard).toContain('"code":"invalid_request"');
    expect(heard.toLowerCase()).toContain("\r\nconnection: close");
  });

  describe("with an Expect header", () => {
    it.each([
      { path: "/v1/models", shape: { error: { code: "invalid_request" } } },
      {
        path: "/v1beta/models",
        shape: { error: { code: 417, status: "INVALID_ARGUMENT", reason: "invalid_request" } },
      },
    ])("that nobody knows are refused at $path in the path's shape", async ({ path, shape }) => {
      const heard = await rawExchange(
        rig.url,
        get(path, ["host: a", "expect: tea"]) + get("/v1/models", ["host: a"]),
      );
      expect(statusesIn(heard)).toEqual([417]);
      const { head, body } = responseIn(heard);
      expect(body).toMatchObject(shape);
      expect(JSON.stringify(body)).toContain("Expect");
      expect(head).toContain("\r\nconnection: close");
    });

    it("are told to go on where that is what they expect, before their body has come", async () => {
      const request = chat("tag=continued", false, ["host: a", "expect: 100-continue"]);
      const cut = request.indexOf("\r\n\r\n") + 4;
      const caller = openRaw(rig.url);
      caller.write(request.slice(0, cut));
      await waitFor("the word to go on", () => caller.heard().includes("100 Continue\r\n\r\n"));
      caller.write(request.slice(cut));
      await waitFor("the answer", () => caller.heard().includes("chat.completion"));
      expect(statusesIn(caller.heard())).toEqual([100, 200]);
      expect((await rig.accountOf("continued")).row).toMatchObject({ reason: "completed" });
      caller.leave();
    });
  });

  it("answers CONNECT with 405 and closes: it is no proxy", async () => {
    const heard = await rawExchange(rig.url, TUNNEL + get("/v1/models", ["host: a"]));
    expect(statusesIn(heard)).toEqual([405]);
    const { head, body } = responseIn(heard);
    expect(body).toMatchObject({
      error: { code: "method_not_allowed", message: expect.stringContaining("not a proxy") },
    });
    expect(head).toContain("\r\nconnection: close");
    expect(head).toContain("\r\nallow:");
  });

  it("answers a request to change to another protocol as any other", async () => {
    const upgrade = ["host: a", "connection: Upgrade", "upgrade: websocket", "sec-websocket-version: 13"];
    const heard = await rawExchange(rig.url, get("/v1/models", upgrade));
    expect(statusesIn(heard)).toEqual([200]);
    expect(heard).toContain('"object":"list"');
  });

  it("hold up no stop, whatever their callers do, and leave clean books", async () => {
    const unsent = "content-length: 1000";
    const callers: RawConnection[] = [
      get("/v1/models", [unsent]),
      get("/v1/models", ["host: a", "expect: tea", unsent]),
      TUNNEL,
      NO_HTTP,
      `POST /v1/messages HTTP/1.1\r\nhost: a\r\n${KEY}\r\ntransfer-encoding: chunked\r\n\r\nno size\r\n`,
    ].map((bytes) => {
      const caller = openRaw(rig.url);
      caller.write(bytes);
      return caller;
    });
    await waitFor("all answers", () => callers.every((caller) => caller.heard().includes("\r\n\r\n{")));
    expect(callers.map((caller) => statusesIn(caller.heard()))).toEqual([[400], [417], [405], [400], [400]]);
    const beganMs = performance.now();
    expect(await rig.gateway.end()).toBe(0);
    expect(performance.now() - beganMs).toBeLessThan(SOON_MS);
    for (const caller of callers) caller.leave();
    await expectNothingOpen(rig.databaseUrl);
    await cleanLedger(rig.gateway);
  });
});
