import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { pictured, TOOLS } from "../support/sample-wishes.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { ask, KEYS, PRICE, type Reply } from "../support/world.ts";

const OWN_KEYS = "access_key_id: AKIATEST00000001, secret_access_key: secret-of-AKIATEST00000001";
const ROLE = "arn:aws:iam::123456789012:role/counter";
const MODELS = {
  claude: "us.anthropic.claude-haiku-4-5-20251001-v1:0",
  bare: "anthropic.claude-sonnet-4-20250514-v1:0",
  // Counted by no call of Bedrock's.
  uncounted: "global.anthropic.claude-opus-5",
  nova: "us.amazon.nova-2-lite-v1:0",
  old: "anthropic.claude-3-haiku-20240307-v1:0",
};

let sandbox: TestSandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  const { url } = sandbox;
  const runtime = `kind: bedrock, base_url: "${url}/aws/bedrock", location: us-east-1, token_url: "${url}/aws/sts"`;
  const ids = [...Object.keys(MODELS), "role", "direct"];
  const limits = `context_tokens: 200000, max_output_tokens: 32000, price: ${JSON.stringify(PRICE)}`;
  gateway = await startGateway({
    catalog: `version: 1
models:
${ids.map((id) => `  - { id: ${id}, ${limits} }`).join("\n")}
upstreams:
  - { name: aws, ${runtime}, credentials: [{ ${OWN_KEYS} }], models: ${JSON.stringify(MODELS)} }
  - { name: aws-role, ${runtime}, credentials: [{ ${OWN_KEYS}, role_arn: "${ROLE}" }], models: { role: "${MODELS.claude}" } }
  - { name: direct, kind: anthropic, base_url: "${url}", api_key: good-key, models: { direct: claude-haiku-4-5 } }
accounts:
  - { name: acme, balance: 1000, keys: [{ name: main, key: ${KEYS.main} }] }
`,
  });
});
afterAll(async () => {
  await gateway?.end();
  await gateway?.clean();
  await sandbox?.stop();
});

const SAID = "The river runs past the old mill and into the lake.";

const count = (model: string, more: object = {}, headers: Record<string, string> = {}): Promise<Reply> => {
  const body = { model, messages: [{ role: "user", content: SAID }], ...more };
  return ask(gateway.url, "/v1/messages/count_tokens", body, { headers });
};

/** What the model's own vendor reads a request as. */
async function inputOf(more: object = {}): Promise<number> {
  const body = { model: "direct", max_tokens: 50, messages: [{ role: "user", content: SAID }], ...more };
  return (await ask(gateway.url, "/v1/messages", body)).json.usage.input_tokens;
}

const ESTIMATED = "x-faregate-estimated";

describe("counting tokens at Bedrock", () => {
  it("gives the vendor's count, by profile and by the model's own id, whatever the request holds", async () => {
    for (const more of [{}, TOOLS["messages"], pictured("messages", "What is in it?")]) {
      const expected = await inputOf(more);
      for (const model of ["claude", "bare"]) {
        const reply = await count(model, more, { "anthropic-beta": "interleaved-thinking-2025-05-14" });
        expect(reply.status, reply.text).toBe(200);
        expect(reply.json).toEqual({ input_tokens: expected });
        expect(reply.headers.get(ESTIMATED)).toBeNull();
      }
    }
  });

  it("gives callers of the other protocols the count of what their request becomes", async () => {
    const expected = await inputOf();
    const native = await ask(gateway.url, "/v1beta/models/claude:countTokens", {
      contents: [{ role: "user", parts: [{ text: SAID }] }],
    });
    expect(native.json, native.text).toEqual({ totalTokens: expected });
    const responses = await ask(gateway.url, "/v1/responses/input_tokens", { model: "claude", input: SAID });
    expect(responses.json, responses.text).toMatchObject({ input_tokens: expected });
  });

  it("counts here what Bedrock has no count for, and fails nobody", async () => {
    for (const model of ["uncounted", "nova", "old"]) {
      const reply = await count(model);
      expect([reply.status, reply.json.input_tokens > 0], `${model} ${reply.text}`).toEqual([200, true]);
    }
    expect((await count("claude")).json).toEqual({ input_tokens: await inputOf() });
  });

  it("gets new keys once where those it has have ended, which nobody told", async () => {
    const issued = async (): Promise<number> =>
      ((await (await fetch(`${sandbox.url}/aws/life`)).json()) as { issued: number }).issued;
    const expected = { input_tokens: await inputOf() };
    expect((await count("role")).json).toEqual(expected);
    // Keys that came just now are not at fault where they are refused.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await fetch(`${sandbox.url}/aws/revoke`, { method: "POST" });
    const before = await issued();
    const replies = await Promise.all(Array.from({ length: 8 }, () => count("role")));
    expect(replies.map(({ json }) => json)).toEqual(replies.map(() => expected));
    expect((await issued()) - before).toBe(1);
  });
});
