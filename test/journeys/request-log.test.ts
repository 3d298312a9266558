import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";
import { waitFor } from "../support/wait.ts";

/** What the vendor says; undefined = it answers. */
let fault: { readonly status: number; readonly type: string; readonly message: string } | undefined;
let upstream: ScriptedUpstream;
let gateway: TestGateway;
let operator: SignedIn;

beforeAll(async () => {
  upstream = await scriptedUpstream(respond);
  gateway = await startGateway({
    catalog: catalogFile({ upstreams: [{ url: upstream.url, protocols: ["chat-completions"] }] }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  operator = await signIn(gateway);
});

afterAll(async () => {
  await gateway?.clean();
  await upstream?.close();
});

function respond({ socket }: WireRequest): void {
  const answer = {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "text",
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
  };
  const text = JSON.stringify(
    fault === undefined ? answer : { error: { type: fault.type, message: fault.message, code: null } },
  );
  const head = `HTTP/1.1 ${fault?.status ?? 200} Status\r\ncontent-type: application/json\r\nx-request-id: vendor_4711\r\n`;
  socket.write(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

async function ask(body: object | string, key = TEST_KEY): Promise<{ id: string; status: number }> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  await response.text();
  return { id: response.headers.get("x-request-id") ?? "", status: response.status };
}

const CHAT = { model: "text", messages: [{ role: "user", content: "Hello" }] };

async function found(search: string): Promise<Record<string, unknown>> {
  return waitFor("the log", async () => {
    const { body } = await operator.get(`/operator/requests?id=${search}`);
    return body.data[0];
  });
}

describe("the log of requests", () => {
  it.each([
    ["an unknown model", { ...CHAT, model: "nobody" }, 404, "model_not_found"],
    ["a body that is no JSON", "{", 400, "invalid_request"],
  ])("has the refusal of %s, with its code and message", async (_what, body, status, code) => {
    const refused = await ask(body);
    expect(refused.status).toBe(status);
    expect(await found(refused.id)).toMatchObject({
      request_id: refused.id,
      status,
      error_code: code,
      refused: true,
      message: expect.stringMatching(/./),
    });
  });

  it("tells an operator what each attempt of a failed request met, and finds it by the vendor's own id", async () => {
    fault = { status: 500, type: "server_error", message: "The moon is in the wrong house." };
    const failed = await ask(CHAT);
    fault = undefined;
    expect(failed.status).toBe(502);
    const row = await found("vendor_4711");
    expect(row).toMatchObject({ request_id: failed.id, status: 502, error_code: "upstream_error" });
    const { body } = await operator.get(`/operator/requests/${failed.id}`);
    expect(body.attempts[0]).toMatchObject({
      status: 500,
      type: "server_error",
      message: "The moon is in the wrong house.",
      vendor_request_id: "vendor_4711",
    });
    const { body: errors } = await operator.get("/operator/errors");
    expect(errors.data).toContainEqual(
      expect.objectContaining({ code: "upstream_error", vendor_message: "The moon is in the wrong house." }),
    );
    const { stdout } = await gateway.run("requests", failed.id, "--json");
    expect(JSON.parse(stdout).attempts[0].message).toBe("The moon is in the wrong house.");
  });

  it("keeps so many rows of a key and minute, and counts all beyond them", async () => {
    const MANY = 150;
    const before = await refusals();
    for (let n = 0; n < MANY; n += 1) await ask({ ...CHAT, model: "flood" });
    await waitFor("the log", async () =>
      (await refusals()).counted >= before.counted + MANY ? true : undefined,
    );
    const after = await refusals();
    expect(after.counted - before.counted).toBe(MANY);
    expect(after.rows - before.rows).toBeLessThan(MANY);
  });

  it("counts unknown keys by address and the key's beginning", async () => {
    await ask(CHAT, "sk-wrong-0123456789");
    const counted = await waitFor("the log", async () => {
      const { body } = await operator.get("/operator/unknown-keys");
      return body.data[0];
    });
    expect(counted).toMatchObject({ prefix: "sk-wron", address: "127.0.0.1", requests: 1 });
  });

  async function refusals(): Promise<{ counted: number; rows: number }> {
    const { body } = await operator.get("/operator/errors?code=model_not_found");
    let rows = 0;
    for (let after = ""; ; ) {
      const page = await operator.get(`/operator/requests?error_code=model_not_found&limit=200${after}`);
      rows += page.body.data.length;
      if (page.body.next === null) break;
      after = `&after=${page.body.next}`;
    }
    return {
      counted: body.counts.reduce((sum: number, each: { requests: number }) => sum + each.requests, 0),
      rows,
    };
  }
});
