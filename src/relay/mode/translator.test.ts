import { afterAll, describe, expect, it } from "vitest";
import { blankPlan, type EncodeTarget } from "../../conversation/lower/plan.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { TextRequest } from "../text-request.ts";
import { decodeRequest, encodeRequest } from "./translate-request.ts";
import { createTranslator } from "./translator.ts";

const ORIGIN = { protocol: "messages", upstream: "u", model: "m" } as const;
const TARGET: EncodeTarget = { model: "m", origin: ORIGIN, quirks: {}, maxOutputTokens: 1_000, seed: "s" };

/** A request with this much text, and what makes translation lose, keep and rename things. */
function requestOf(bytes: number, more: object = {}): TextRequest {
  const body = Buffer.from(
    JSON.stringify({
      model: "ours",
      seed: 7,
      stream_options: { include_usage: true },
      messages: [{ role: "user", content: "漢 text ".repeat(bytes / 9) }],
      tools: [{ type: "custom", custom: { name: "a tool" } }],
      ...more,
    }),
  );
  const half = body.length >> 1;
  return {
    protocol: PROTOCOLS["chat-completions"],
    model: "ours",
    streamed: true,
    caller: { accountId: 1n },
    scan: { length: body.length, values: 10 },
    body: [body.subarray(0, half), body.subarray(half)],
  } as unknown as TextRequest;
}

describe("translating beside the event loop", () => {
  const translator = createTranslator();
  afterAll(() => translator.close());

  it.each([10, 100_000])("gives to the byte what translating here gives (%i bytes)", async (bytes) => {
    const request = requestOf(bytes);
    const body = Buffer.concat(request.body);
    const decoded = decodeRequest({ protocol: "chat-completions", model: "ours", streamed: true, body });
    if (!("value" in decoded)) throw new Error("refused");
    const here = encodeRequest(decoded.value, TARGET);
    const there = await translator.translate(request, TARGET);
    if (!("value" in here && "value" in there)) throw new Error("refused");
    expect(Buffer.from(there.value.body).equals(Buffer.from(here.value.body))).toBe(true);
    expect({ ...there.value, body: null }).toEqual({ ...here.value, body: null });
    const limited = await translator.translate(request, TARGET, { outputLimit: 300 });
    if (!("value" in limited)) throw new Error("refused");
    expect(Buffer.from(limited.value.body).toString()).toMatch(/"max_(output_)?tokens":300\b/);
    expect(there.value.plan.tools.size).toBe(blankPlan(ORIGIN, "s").tools.size + 1);
    expect(there.value.losses).toContainEqual({ path: "seed", reason: "no-slot" });
    expect(Buffer.concat(request.body).equals(body)).toBe(true);
  });

  it("names the field of a refusal", async () => {
    expect(await translator.translate(requestOf(10, { n: 9 }), TARGET)).toEqual({
      refused: { path: "n", message: expect.stringContaining("at most 8") },
    });
  });

  it("leaves files that must be fetched to those who may", async () => {
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
    const request = requestOf(10, { messages: [{ role: "user", content: [image] }] });
    const inline: EncodeTarget = { ...TARGET, quirks: { mediaUrls: [] } };
    expect(await translator.translate(request, inline)).toEqual({ linksMedia: true });
  });

  it("is told busy when more wait than may, and goes on afterwards", async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 200 }, () => translator.translate(requestOf(10), TARGET)),
    );
    const refused = all.filter(({ status }) => status === "rejected");
    // Two are translated, 128 wait.
    expect(refused.length).toBe(70);
    expect(refused[0]).toMatchObject({ reason: { reason: "service_unavailable", retryAfterSeconds: 1 } });
    expect(await translator.translate(requestOf(10), TARGET)).toHaveProperty("value");
  });

  it("refuses what a worker cannot take, and another worker goes on", async () => {
    const broken = { ...requestOf(10), body: [Buffer.from("{")] } as TextRequest;
    await expect(translator.translate(broken, TARGET)).rejects.toMatchObject({ reason: "invalid_request" });
    expect(await translator.translate(requestOf(10), TARGET)).toHaveProperty("value");
  });

  it("refuses what is made of more values than may be translated", async () => {
    const request = requestOf(10);
    const withValues = (values: number) =>
      ({ ...request, scan: { length: request.scan.length, values } }) as TextRequest;
    expect(await translator.translate(withValues(400_000), TARGET)).toHaveProperty("value");
    await expect(translator.translate(withValues(400_001), TARGET)).rejects.toMatchObject({
      reason: "invalid_request",
      message: expect.stringContaining("at most 400000"),
    });
  });

  it("takes accounts in turn, and leaves what nobody waits for any more", async () => {
    const over: string[] = [];
    const request = (accountId: bigint) => ({ ...requestOf(10), caller: { accountId } }) as TextRequest;
    const translate = (name: string, accountId: bigint, signal?: AbortSignal) =>
      translator.translate(request(accountId), TARGET, { signal }).then(
        () => void over.push(name),
        () => void over.push(`${name} gone`),
      );
    const left = new AbortController();
    const greedy = Array.from({ length: 20 }, (_, index) =>
      translate(`greedy ${index}`, 1n, index > 15 ? left.signal : undefined),
    );
    const modest = [translate("modest 0", 2n), translate("modest 1", 2n)];
    left.abort(new Error("left"));
    await Promise.all([...greedy, ...modest]);
    expect(over.slice(0, 4)).toEqual([16, 17, 18, 19].map((index) => `greedy ${index} gone`));
    // Two of the greedy account's run already; then it is the other's turn.
    expect(over.indexOf("modest 1")).toBeLessThan(over.indexOf("greedy 8"));
    expect(over.length).toBe(22);
  });

  it("gives up what runs when it is closed", async () => {
    const closing = createTranslator();
    const running = expect(closing.translate(requestOf(10), TARGET)).rejects.toThrow();
    await closing.close();
    await running;
    await expect(closing.translate(requestOf(10), TARGET)).rejects.toThrow();
  });
});
