import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EMBEDDINGS, RERANK } from "../support/endpoints.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

describe("embeddings and rerank", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  const chargeOf = async (reply: Reply): Promise<bigint> => {
    const { json } = await world.ask(`/v1/receipts/${reply.headers.get("x-request-id")}`);
    return BigInt(json.charge_nanos);
  };

  it("embed one text, several, and tokens, as floats or base64, at as many dimensions as asked", async () => {
    const embed = async (more: object) => world.ask(EMBEDDINGS.path, { ...EMBEDDINGS.body, ...more });
    const one = await embed({});
    expect(one.json).toMatchObject({ object: "list", data: [{ object: "embedding", index: 0 }] });
    expect(one.json.data[0].embedding).toHaveLength(1_536);
    const several = await embed({ input: ["river", "stone"], dimensions: 8 });
    expect(several.json.data.map((each: { embedding: number[] }) => each.embedding.length)).toEqual([8, 8]);
    const packed = await embed({ dimensions: 8, encoding_format: "base64" });
    const floats = new Float32Array(
      new Uint8Array(Buffer.from(packed.json.data[0].embedding, "base64")).buffer,
    );
    expect(floats).toHaveLength(8);
    expect((await embed({ input: [[1, 2, 3]] })).status).toBe(200);
  });

  it("charge input tokens at the model's price and nothing else", async () => {
    const embedded = await world.ask(EMBEDDINGS.path, {
      ...EMBEDDINGS.body,
      input: "one two three ".repeat(50),
    });
    expect(await chargeOf(embedded)).toBe(BigInt(embedded.json.usage.prompt_tokens) * 20n);
    const ranked = await world.ask(RERANK.path, RERANK.body);
    expect(await chargeOf(ranked)).toBe(BigInt(ranked.json.usage.total_tokens) * 50n);
  });

  it("rank documents by relevance, cut to top_n, with or without their text", async () => {
    const rank = async (more: object) =>
      (
        await world.ask(RERANK.path, {
          ...RERANK.body,
          query: "deep river",
          documents: ["a stone", "a deep river", "a river"],
          ...more,
        })
      ).json;
    const all = await rank({});
    expect(all.results.map((each: { index: number }) => each.index)).toEqual([1, 2, 0]);
    expect(all.results[0]).toMatchObject({
      relevance_score: expect.any(Number),
      document: { text: "a deep river" },
    });
    expect((await rank({ top_n: 1 })).results).toHaveLength(1);
    expect((await rank({ return_documents: false })).results[0].document).toBeUndefined();
  });

  it("are refused where there is nothing to embed or to rank", async () => {
    const cases: [path: string, body: object, param: string][] = [
      [EMBEDDINGS.path, { ...EMBEDDINGS.body, input: [] }, "input"],
      [EMBEDDINGS.path, { ...EMBEDDINGS.body, input: "" }, "input"],
      [RERANK.path, { ...RERANK.body, documents: [] }, "documents"],
    ];
    for (const [path, body, param] of cases) {
      const { status, json } = await world.ask(path, body);
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_request", param]);
    }
  });

  it("name the field whose type is wrong", async () => {
    const cases: [path: string, body: object, param: string][] = [
      [EMBEDDINGS.path, { ...EMBEDDINGS.body, input: 1 }, "input"],
      [RERANK.path, { ...RERANK.body, documents: "one" }, "documents"],
      [RERANK.path, { ...RERANK.body, query: 1 }, "query"],
      [RERANK.path, { ...RERANK.body, top_n: "1" }, "top_n"],
      [RERANK.path, { ...RERANK.body, return_documents: "yes" }, "return_documents"],
    ];
    for (const [path, body, param] of cases) {
      const { status, json } = await world.ask(path, body);
      expect([status, json.error.code, json.error.param], param).toEqual([400, "invalid_request", param]);
    }
  });

  it("tell upstream failures as every other endpoint does", async () => {
    const failing = (directive: string) =>
      Promise.all([
        world.ask(EMBEDDINGS.path, { ...EMBEDDINGS.body, input: `[[sandbox: ${directive}]]` }),
        world.ask(RERANK.path, { ...RERANK.body, query: `[[sandbox: ${directive}]]` }),
      ]);
    for (const { status, json } of await failing("error=500"))
      expect([status, json.error.code]).toEqual([502, "upstream_error"]);
    for (const { status, json, headers } of await failing("error=429 retry_after=3")) {
      expect([status, json.error.code]).toEqual([429, "upstream_rate_limited"]);
      expect(headers.get("retry-after")).toBe("3");
    }
  });
});
