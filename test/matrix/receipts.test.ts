import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CHAT,
  EMBEDDINGS,
  MESSAGES,
  NATIVE,
  NATIVE_STREAM,
  RERANK,
  RESPONSES,
  TEXT_ENDPOINTS,
} from "../support/endpoints.ts";
import { KEYS, PRICE, type Reply, startWorld, type World } from "../support/world.ts";

const PRICES: Readonly<Record<string, number>> = {
  input_uncached: PRICE.input,
  cache_read: PRICE.cache_read,
  cache_write_5m: PRICE.cache_write,
  cache_write_1h: PRICE.cache_write_1h,
  output_visible: PRICE.output,
  output_reasoning: PRICE.reasoning,
};

interface Line {
  readonly bucket: string;
  readonly tokens: number;
  readonly usd_per_million_tokens: string;
  readonly usd: string;
}

describe("receipts", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  const receiptOf = (reply: Reply, key: string = KEYS.main): Promise<Reply> =>
    world.ask(`/v1/receipts/${reply.headers.get("x-request-id")}`, undefined, { key });

  /** Buckets x frozen prices x factor, rounded once, half up, in billionths of a dollar. */
  const chargeOf = (lines: readonly Line[], factorPpm: bigint): bigint => {
    const exact = lines.reduce(
      (sum, { tokens, usd_per_million_tokens: usd }) =>
        sum + BigInt(tokens) * BigInt(Math.round(Number(usd) * 1e9)),
      0n,
    );
    return (exact * factorPpm + 500_000_000_000n) / 1_000_000_000_000n;
  };

  it("show, for every endpoint, the buckets that the upstream truly used, each at its price", async () => {
    for (const { name, path, body } of TEXT_ENDPOINTS) {
      const reply = await world.ask(path, body);
      expect(reply.status, name).toBe(200);
      const { json: receipt } = await receiptOf(reply);
      const [line] = (await world.sandbox.journal()).slice(-1);
      if (line === undefined) throw new Error("the sandbox saw nothing");
      expect(receipt, name).toMatchObject({
        request_id: reply.headers.get("x-request-id"),
        state: expect.stringMatching(/^(pending|posted)$/),
        status: 200,
        reason: "completed",
        charged: true,
        estimated: false,
        factor: "1",
        streamed: path.includes("stream"),
      });
      const tokens = (bucket: string): number =>
        receipt.lines.find((each: Line) => each.bucket === bucket)?.tokens ?? 0;
      expect([tokens("input_uncached"), tokens("output_visible"), tokens("output_reasoning")], name).toEqual([
        line.usage["inputUncached"],
        line.usage["outputVisible"],
        line.usage["outputReasoning"],
      ]);
      expect(BigInt(receipt.charge_nanos), name).toBe(chargeOf(receipt.lines, 1_000_000n));
      expect(BigInt(receipt.charge_nanos), name).toBeGreaterThan(0n);
    }
  });

  it("price every bucket of a cached, thinking answer by itself", async () => {
    const ask = (question: string, ttl: string) =>
      world.ask(
        MESSAGES.path,
        {
          model: "text",
          max_tokens: 2_048,
          thinking: { type: "enabled", budget_tokens: 1_024 },
          system: [
            {
              type: "text",
              text: `${ttl} rivers run. `.repeat(500),
              cache_control: { type: "ephemeral", ttl },
            },
          ],
          messages: [{ role: "user", content: question }],
        },
        { headers: { "vendorx-beta": "extended-cache-ttl-2025-04-11" } },
      );
    const seen = new Set<string>();
    for (const ttl of ["5m", "1h"]) {
      for (const question of ["One?", "Two?"]) {
        const reply = await ask(question, ttl);
        const { usage } = reply.json;
        const { json: receipt } = await receiptOf(reply);
        for (const line of receipt.lines as Line[]) {
          expect(Number(line.usd_per_million_tokens), line.bucket).toBe(PRICES[line.bucket]);
          if (line.tokens > 0) seen.add(line.bucket);
        }
        const total = receipt.lines.reduce((sum: number, line: Line) => sum + line.tokens, 0);
        expect(total).toBe(
          usage.input_tokens +
            usage.cache_creation_input_tokens +
            usage.cache_read_input_tokens +
            usage.output_tokens,
        );
        expect(BigInt(receipt.charge_nanos)).toBe(chargeOf(receipt.lines, 1_000_000n));
      }
    }
    expect([...seen].sort()).toEqual(Object.keys(PRICES).sort());
  });

  it("multiply by the factor of the account's group", async () => {
    const reply = await world.ask(CHAT.path, CHAT.body, { key: KEYS.partner });
    const { json: receipt } = await receiptOf(reply, KEYS.partner);
    expect(receipt.factor).toBe("0.85");
    expect(BigInt(receipt.charge_nanos)).toBe(chargeOf(receipt.lines, 850_000n));
  });

  it("charge the same to the nano on all protocols, plain and streamed", async () => {
    const body = (more: object) => ({ ...more, model: "text" });
    const said = [{ role: "user", content: "The same question to all." }];
    const native = { contents: [{ role: "user", parts: [{ text: "The same question to all." }] }] };
    const charges: Record<string, string> = {};
    for (const [name, path, sent] of [
      ["chat", CHAT.path, body({ messages: said })],
      ["chat stream", CHAT.path, body({ messages: said, stream: true })],
      ["responses", RESPONSES.path, body({ input: "The same question to all." })],
      ["responses stream", RESPONSES.path, body({ input: "The same question to all.", stream: true })],
      ["messages", MESSAGES.path, body({ messages: said, max_tokens: 500 })],
      ["messages stream", MESSAGES.path, body({ messages: said, max_tokens: 500, stream: true })],
      ["native", NATIVE.path, native],
      ["native stream", NATIVE_STREAM.path, native],
      ["native array", NATIVE_STREAM.path.replace("?alt=sse", ""), native],
    ] as const) {
      charges[name] = (await receiptOf(await world.ask(path, sent))).json.charge_nanos;
    }
    expect(new Set(Object.values(charges)).size, JSON.stringify(charges)).toBe(1);
  });

  it("show that what cost nothing cost nothing, and why", async () => {
    const refused = await world.ask(MESSAGES.path, {
      ...MESSAGES.body,
      messages: [{ role: "wizard", content: "x" }],
    });
    expect((await receiptOf(refused)).json).toMatchObject({
      status: 400,
      reason: "rejected",
      charged: false,
      charge_nanos: "0",
      lines: [],
    });
    const failed = await world.ask(CHAT.path, { ...CHAT.body, model: "unreachable" });
    expect((await receiptOf(failed)).json).toMatchObject({
      status: 502,
      reason: "upstream_failed",
      charge_nanos: "0",
    });
    const empty = await world.ask(CHAT.path, {
      ...CHAT.body,
      messages: [{ role: "user", content: "[[sandbox: empty=1]]" }],
    });
    expect((await receiptOf(empty)).json).toMatchObject({ reason: "empty_answer", charge_nanos: "0" });
  });

  it("say where usage was estimated or not believed", async () => {
    const ask = (directive: string) =>
      world.ask(CHAT.path, {
        ...CHAT.body,
        messages: [{ role: "user", content: `Hi [[sandbox: ${directive}]]` }],
      });
    const missing = await receiptOf(await ask("usage=omit"));
    expect(missing.json).toMatchObject({ estimated: true, reason: "completed_usage_missing" });
    expect(BigInt(missing.json.charge_nanos)).toBeGreaterThan(0n);
    const hostile = await receiptOf(await ask("usage=negative"));
    expect(hostile.json.estimated).toBe(true);
    expect(hostile.json.ignored_values.length).toBeGreaterThan(0);
    expect(BigInt(hostile.json.charge_nanos)).toBeGreaterThan(0n);
  });

  it("are read by any key of the account and by nobody else", async () => {
    const reply = await world.ask(EMBEDDINGS.path, EMBEDDINGS.body);
    for (const key of [KEYS.main, KEYS.second, KEYS.narrow])
      expect((await receiptOf(reply, key)).status).toBe(200);
    const unknown = await world.ask("/v1/receipts/req_00000000000000000000000000000000");
    const foreign = await receiptOf(reply, KEYS.partner);
    for (const { status, json } of [unknown, foreign])
      expect([status, json.error.code]).toEqual([404, "receipt_not_found"]);
    const strip = (text: string) => text.replace(/req_\w+/g, "");
    expect(strip(foreign.text)).toBe(strip(unknown.text));
    expect((await receiptOf(reply, KEYS.invalid)).status).toBe(401);
    for (const id of ["%00", "'", "x".repeat(3_000), "..%2f", "null"])
      expect((await world.ask(`/v1/receipts/${id}`)).status, id).toBe(404);
  });

  it("stay as they are after the usage is posted", async () => {
    const reply = await world.ask(RERANK.path, RERANK.body);
    const early = (await receiptOf(reply)).json;
    let late = early;
    while (late.state !== "posted") late = (await receiptOf(reply)).json;
    expect({ ...late, state: early.state }).toEqual(early);
  });
});
