import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT, MESSAGES, NATIVE, NATIVE_STREAM, RESPONSES } from "../support/endpoints.ts";
import { waitFor } from "../support/wait.ts";
import { codeIn, KEYS, type Reply, startWorld, type World } from "../support/world.ts";

const slowly = (milliseconds: number) => ({
  ...CHAT.body,
  messages: [{ role: "user", content: `Hi [[sandbox: delay=${milliseconds}]]` }],
});

describe("rate limits of a key", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  const send = (key: string, body: object = CHAT.body ?? {}): Promise<Reply> =>
    world.ask(CHAT.path, body, { key });

  it("let as many requests run at once as they say, those of one moment counted too", async () => {
    const replies = await Promise.all(Array.from({ length: 6 }, () => send(KEYS.single, slowly(300))));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 429, 429, 429, 429, 429]);
    const refused = replies.find(({ status }) => status === 429);
    expect(codeIn(refused?.json)).toBe("rate_limit_exceeded");
    expect(refused?.headers.get("retry-after")).toBe("1");
    expect((await send(KEYS.single)).status, "once it is over").toBe(200);
  });

  it("free the place of a request that failed or whose caller left", async () => {
    expect((await send(KEYS.single, { ...CHAT.body, model: "unreachable" })).status).toBe(502);
    expect((await send(KEYS.single, { ...CHAT.body, model: "nonsense" })).status).toBe(404);
    const abort = new AbortController();
    const body = {
      ...CHAT.body,
      stream: true,
      messages: [{ role: "user", content: "[[sandbox: stall=1]]" }],
    };
    const left = world.ask(CHAT.path, body, { key: KEYS.single, signal: abort.signal });
    const before = (await world.sandbox.journal()).length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    abort.abort();
    await expect(left).rejects.toThrow(/abort/i);
    await waitFor("the place to be free", async () => (await send(KEYS.single)).status === 200);
    expect((await world.sandbox.journal()).length).toBeGreaterThan(before);
  });

  it("count the tokens of answers, and refuse once they are used up", async () => {
    const first = await send(KEYS.thrifty);
    expect(first.status).toBe(200);
    expect(first.headers.get("x-ratelimit-limit-tokens")).toBe("10");
    // Half of the limit is the most that is taken ahead.
    expect(first.headers.get("x-ratelimit-remaining-tokens")).toBe("5");
    const second = await waitFor("the tokens to be counted", async () => {
      const reply = await send(KEYS.thrifty);
      return reply.status !== 200 && reply;
    });
    expect([second.status, codeIn(second.json)]).toEqual([429, "rate_limit_exceeded"]);
    expect(second.headers.get("x-ratelimit-remaining-tokens")).toBe("0");
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("are told in each protocol's shape", async () => {
    for (const { path, body, name } of [RESPONSES, MESSAGES, NATIVE, NATIVE_STREAM]) {
      const { status, json, headers } = await world.ask(path, body, { key: KEYS.thrifty });
      expect([status, codeIn(json)], name).toEqual([429, "rate_limit_exceeded"]);
      expect(headers.get("retry-after"), name).toMatch(/^\d+$/);
    }
  });

  it("count requests that the gateway itself refuses for what is in them: they cost it as much to read", async () => {
    expect((await send(KEYS.slow, { ...CHAT.body, model: "nonsense" })).status).toBe(404);
    expect((await send(KEYS.slow)).status).toBe(429);
  });
});
