import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { readEvents } from "../support/text-errors.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { ask, codeIn } from "../support/world.ts";

/** Responses that are no summary: what a chat says, how it ends, and what a response calls that end. */
const FLAWED: Readonly<Record<string, readonly [content: string, finish: string, reason: string | null]>> = {
  cut: ["The user wanted to", "length", "max_output_tokens"],
  filtered: ["The user", "content_filter", "content_filter"],
  empty: ["", "stop", null],
  blank: [" \n", "stop", null],
};
const MODELS = Object.keys(FLAWED);

describe("a summary that is none", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(({ model, streamed, response }) => {
      const [content, finish_reason] = FLAWED[model] ?? ["", "stop"];
      const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
      const words = { role: "assistant", content };
      const head = { id: "c", created: 1, model, usage };
      if (!streamed) {
        response.writeHead(200, { "content-type": "application/json" });
        const choices = [{ index: 0, message: words, finish_reason }];
        response.end(JSON.stringify({ ...head, object: "chat.completion", choices }));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      const choices = [{ index: 0, delta: words, finish_reason }];
      response.end(`data: ${JSON.stringify({ ...head, choices })}\n\ndata: [DONE]\n\n`);
    });
    const upstreams = [{ name: "c", url: vendor.url, models: MODELS, protocols: ["chat-completions"] }];
    gateway = await startGateway({ catalog: modelsFile({ models: MODELS, upstreams }) });
  });
  afterAll(async () => {
    await gateway?.clean();
    await vendor?.close();
  });

  const compact = (path: string, model: string, more: object) =>
    ask(gateway.url, path, { model, ...more }, { key: TEST_KEY });
  const input = (text: string) => [{ role: "user", content: text }];

  it.each(MODELS)("is an error of the call: %s", async (model) => {
    const reply = await compact("/v1/responses/compact", model, { input: input("call") });
    expect([reply.status, codeIn(reply.json)], reply.text).toEqual([502, "upstream_error"]);
    const id = reply.headers.get("x-request-id");
    const row = await waitFor("a row", async () =>
      gateway.database?.database.maybeOne<object>(
        "select status, error_code, reason from usage where request_id = $1",
        [id],
      ),
    );
    expect(row).toEqual({ status: 502, error_code: "upstream_error", reason: "completed" });
  });

  it.each(MODELS)("is no item, plain and streamed alike: %s", async (model) => {
    const reason = FLAWED[model]?.[2];
    const body = { input: [...input("item"), { type: "compaction_trigger" }] };
    const plain = await compact("/v1/responses", model, body);
    const streamed = await compact("/v1/responses", model, { ...body, stream: true });
    expect(plain.text + streamed.text).not.toContain('"compaction"');
    const last = readEvents(streamed.text).at(-1);
    if (reason === null) {
      expect([plain.status, codeIn(plain.json)], plain.text).toEqual([502, "upstream_error"]);
      expect(last?.data).toMatchObject({
        type: "response.failed",
        response: { status: "failed", output: [] },
      });
      return;
    }
    const incomplete = { status: "incomplete", incomplete_details: { reason }, output: [] };
    expect(plain.json).toMatchObject(incomplete);
    expect(last?.data).toMatchObject({ type: "response.incomplete", response: incomplete });
  });
});
