import { createHash, createHmac } from "node:crypto";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import { SignatureV4 } from "@smithy/signature-v4";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

let sandbox: StartedSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text),
);

class Sha256 {
  private readonly hash;
  constructor(secret?: Uint8Array | string) {
    this.hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret);
  }
  update(data: Uint8Array): void {
    this.hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
}

const MODEL = "us.anthropic.claude-haiku-4-5-20251001-v1:0";
const BODY = {
  anthropic_version: "bedrock-2023-05-31",
  max_tokens: 50,
  messages: [{ role: "user", content: "Hi" }],
};

/** Sent as the official signer signs it. */
async function signed(
  path: string,
  body: unknown,
  { service = "bedrock", secret = "secret-of-AKIA1", at = new Date() } = {},
): Promise<Response> {
  const { hostname, port } = new URL(sandbox.url);
  const signer = new SignatureV4({
    credentials: { accessKeyId: "AKIA1", secretAccessKey: secret },
    region: "us-east-1",
    service,
    sha256: Sha256 as never,
  });
  const text = JSON.stringify(body);
  const { headers } = await signer.sign(
    {
      method: "POST",
      protocol: "http:",
      hostname,
      port: Number(port),
      path,
      query: {},
      headers: { host: `${hostname}:${port}`, "content-type": "application/json" },
      body: text,
    },
    { signingDate: at },
  );
  return fetch(sandbox.url + path, { method: "POST", headers, body: text });
}

const PATH = `/aws/bedrock/model/${encodeURIComponent(MODEL)}`;

describe("the sandbox as Amazon Bedrock", () => {
  it("lets in what the official signer has signed", async () => {
    const response = await signed(`${PATH}/invoke`, BODY);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ type: "message", model: MODEL });
  });

  it("streams in frames that the official decoder reads", async () => {
    const response = await signed(`${PATH}/invoke-with-response-stream`, BODY);
    expect(response.headers.get("content-type")).toBe("application/vnd.amazon.eventstream");
    let bytes = Buffer.from(await response.arrayBuffer());
    const types: string[] = [];
    let last = "";
    while (bytes.length > 0) {
      const length = bytes.readUInt32BE(0);
      const { headers, body } = codec.decode(bytes.subarray(0, length));
      expect(headers[":event-type"]?.value).toBe("chunk");
      const { bytes: inner } = JSON.parse(Buffer.from(body).toString("utf8")) as { bytes: string };
      last = Buffer.from(inner, "base64").toString("utf8");
      types.push((JSON.parse(last) as { type: string }).type);
      bytes = bytes.subarray(length);
    }
    expect(types[0]).toBe("message_start");
    expect(types.at(-1)).toBe("message_stop");
    expect(last).toContain("amazon-bedrock-invocationMetrics");
  });

  it.each([
    ["another secret", {}, { secret: "other" }, 403, "InvalidSignatureException"],
    ["another service", {}, { service: "bedrock-mantle" }, 403, "InvalidSignatureException"],
    [
      "a clock that is ten minutes off",
      {},
      { at: new Date(Date.now() - 600_000) },
      403,
      "InvalidSignatureException",
    ],
    ["no version", { anthropic_version: undefined }, {}, 400, "ValidationException"],
    ["the direct vendor's version", { anthropic_version: "2023-06-01" }, {}, 400, "ValidationException"],
    ["a model in the body", { model: "x" }, {}, 400, "ValidationException"],
    ["a wish for a stream in the body", { stream: true }, {}, 400, "ValidationException"],
  ])("refuses %s in AWS's form", async (_name, change, options, status, type) => {
    const response = await signed(`${PATH}/invoke`, { ...BODY, ...change }, options);
    expect(response.status).toBe(status);
    expect(response.headers.get("x-amzn-errortype")).toMatch(new RegExp(`^${type}:`));
    expect(Object.keys((await response.json()) as object)).toEqual(["message"]);
  });

  it("gives out temporary keys that end", async () => {
    await fetch(`${sandbox.url}/aws/life`, { method: "POST", body: "1" });
    const headers = { authorization: "container-token" };
    const keys = (await (await fetch(`${sandbox.url}/aws/container`, { headers })).json()) as {
      Expiration: string;
    };
    expect(Date.parse(keys.Expiration) - Date.now()).toBeLessThanOrEqual(1_000);
    expect((await fetch(`${sandbox.url}/aws/container`)).status).toBe(401);
  });
});
