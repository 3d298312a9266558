import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { ask, codeIn, KEYS, type Reply } from "../support/world.ts";

/** How servers say that they know no such call. */
const NO_CALL: Readonly<Record<string, readonly [status: number, body: string]>> = {
  "openai-words": [
    404,
    '{"error":{"message":"Invalid URL (POST /v1/responses/compact)","type":"invalid_request_error","param":null,"code":null}}',
  ],
  "python-server": [404, '{"detail":"Not Found"}'],
  "proxy-page": [404, "<html><h1>404 Not Found</h1></html>"],
  "wrong-method": [405, '{"detail":"Method Not Allowed"}'],
  "not-implemented": [501, '{"error":{"message":"Not implemented"}}'],
  "not-this-model": [
    400,
    '{"error":{"message":"Compaction is not supported with this model.","type":"invalid_request_error"}}',
  ],
};

/** How they say that they know no such item. */
const NO_ITEM: Readonly<Record<string, readonly [status: number, body: string]>> = {
  "openai-item": [
    400,
    '{"error":{"message":"Invalid value: \'compaction_trigger\'. Supported values are: \'message\'.","type":"invalid_request_error","param":"input[1].type","code":"invalid_value"}}',
  ],
  "python-item": [
    422,
    '{"detail":[{"type":"literal_error","loc":["body","input",1,"type"],"msg":"Input should be \'message\'","input":"compaction_trigger"}]}',
  ],
};

const OTHERS: Readonly<Record<string, readonly [status: number, body: string]>> = {
  "unknown-model": [
    404,
    '{"error":{"message":"The model `gpt-0` does not exist or you do not have access to it.","code":"model_not_found"}}',
  ],
  "unknown-response": [
    404,
    '{"error":{"message":"Previous response with id \'resp_gone\' not found.","code":"previous_response_not_found","param":"previous_response_id"}}',
  ],
  "bad-field": [
    400,
    '{"error":{"message":"Unknown parameter: \'inpt\'.","param":"inpt","code":"unknown_parameter"}}',
  ],
};

const REFUSALS = { ...NO_CALL, ...NO_ITEM, ...OTHERS };
const INPUT = (model: string) => [{ role: "user", content: `Of ${model}: say something about rivers.` }];

describe("compaction where the upstream that should have it has none", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(serve);
    const limits = "context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 }";
    const models = [...Object.keys(REFUSALS), "mixed"];
    gateway = await startGateway({
      catalog: `version: 1
groups: [{ name: default, factor: 1 }]
models:
${models.map((id) => `  - { id: ${id}, ${limits} }`).join("\n")}
upstreams:
  - { name: o, kind: openai, base_url: "${vendor.url}/v1", api_key: key-o, models: [${models.join(", ")}] }
  - { name: m, kind: anthropic, base_url: "${vendor.url}", api_key: key-m, priority: 2, models: [mixed] }
accounts:
  - { name: acme, group: default, balance: 10, keys: [{ name: main, key: ${KEYS.main} }] }
`,
    });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    await vendor.close();
  });

  const compact = (model: string, more: object = {}): Promise<Reply> =>
    ask(gateway.url, "/v1/responses/compact", { model, input: INPUT(model), ...more });
  const chargeOf = (reply: Reply): Promise<number> =>
    waitFor("a receipt", async () => {
      const id = reply.headers.get("x-request-id");
      const { status, json } = await ask(gateway.url, `/v1/receipts/${id}`);
      return status === 200 ? Number(json.charge_nanos) : undefined;
    });

  it.each(Object.keys(NO_CALL))("is the gateway's own where the call is refused (%s)", async (model) => {
    const reply = await compact(model);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json).toMatchObject({
      object: "response.compaction",
      output: [{ type: "compaction", encrypted_content: expect.stringMatching(/^gw1\./) }],
    });
    const { input_tokens: input, output_tokens: output } = reply.json.usage;
    expect(await chargeOf(reply)).toBe(input * 3_000 + output * 15_000);
    const asked = vendor.calls.filter((call) => call.model === model);
    expect(asked.map(({ path }) => path)).toEqual(["/v1/responses/compact", "/v1/responses"]);
    expect(asked[1]?.body.toString()).toContain("Write a summary of this conversation");
    const plain = await ask(gateway.url, "/v1/responses", { model, input: "Hello" });
    expect(plain.status, "the upstream is as well as before").toBe(200);
  });

  it.each(Object.keys(NO_ITEM).flatMap((model) => [false, true].map((stream) => [model, stream] as const)))(
    "is the gateway's own where the item is refused (%s, stream: %s)",
    async (model, stream) => {
      const input = [...INPUT(`${model} ${stream}`), { type: "compaction_trigger" }];
      const reply = await ask(gateway.url, "/v1/responses", { model, input, stream });
      expect(reply.status, reply.text).toBe(200);
      expect(reply.text).toContain('"encrypted_content":"gw1.');
      expect(reply.text).not.toContain('"output_text"');
    },
  );

  it("is the gateway's own at the next upstream, which speaks another protocol", async () => {
    const reply = await compact("mixed");
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.output).toMatchObject([{ encrypted_content: expect.stringMatching(/^gw1\./) }]);
    expect(vendor.calls.at(-1)?.path).toBe("/v1/messages");
  });

  it("is not asked for where something else was refused", async () => {
    const told = async (model: string, more?: object): Promise<unknown> => {
      const reply = await compact(model, more);
      const paths = vendor.calls.filter((call) => call.model === model).map(({ path }) => path);
      expect(paths).toEqual(["/v1/responses/compact"]);
      return [reply.status, codeIn(reply.json)];
    };
    expect(await told("unknown-model")).toEqual([502, "upstream_error"]);
    expect(await told("bad-field")).toEqual([400, "unknown_parameter"]);
    expect(await told("unknown-response")).toEqual([404, "previous_response_not_found"]);
  });
});

/** Refuses each model in its own way, and answers all else well. */
function serve(call: VendorCall): void {
  const { path, model, response, body } = call;
  const asksToCompact = path.endsWith("/compact") || body.includes('"compaction_trigger"');
  const refusal = REFUSALS[model];
  if (model === "mixed" && path !== "/v1/messages") {
    response.writeHead(503, { "content-type": "application/json" }).end('{"error":{"message":"Down."}}');
  } else if (asksToCompact && refusal !== undefined) {
    response.writeHead(refusal[0], { "content-type": "application/json" }).end(refusal[1]);
  } else serveWell(call);
}
