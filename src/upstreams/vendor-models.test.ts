import { afterEach, describe, expect, it } from "vitest";
import {
  type ScriptedUpstream,
  scriptedUpstream,
  type WireRequest,
} from "../../test/support/scripted-upstream.ts";
import { upstreamOf } from "../../test/support/transport-rig.ts";
import { systemClock } from "../base/clock.ts";
import type { CloudPlace } from "../catalog/upstream-options.ts";
import { listVendorModels, type VendorModel } from "./vendor-models.ts";

let server: ScriptedUpstream | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** The list of a vendor that answers each path with a status and a body. */
async function listAt(
  kind: string,
  answers: Readonly<Record<string, readonly [status: number, body: string]>>,
  place: (url: string) => CloudPlace = () => ({}),
  secret = "their-key",
): Promise<VendorModel[]> {
  server = await scriptedUpstream(({ line, socket }: WireRequest) => {
    const [, path = ""] = line.split(" ");
    const [status, body] = answers[path] ?? [404, ""];
    socket.end(`HTTP/1.1 ${status} X\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });
  const at = upstreamOf(server.url, { name: "vendor", kind, options: { place: place(server.url) } });
  return listVendorModels(at, { id: 1n, name: "main", secret }, { clock: systemClock });
}

const ok = (value: unknown): readonly [number, string] => [200, JSON.stringify(value)];

describe("a vendor's list of models", () => {
  it("is read as OpenAI and those that took over its interface have it, with the limits that it states", async () => {
    const data = [
      { id: "gpt-5", object: "model" },
      {
        id: "router/m",
        context_length: 128_000,
        top_provider: { max_completion_tokens: 16_000 },
        architecture: { input_modalities: ["text", "image", "file"] },
      },
      { id: "own", max_model_len: 32_768 },
      { object: "no name" },
      "no model",
    ];
    const expected = [
      { id: "gpt-5", contextTokens: undefined, maxOutputTokens: undefined, inputMedia: undefined },
      {
        id: "router/m",
        contextTokens: 128_000,
        maxOutputTokens: 16_000,
        inputMedia: ["image", "document"],
      },
      { id: "own", contextTokens: 32_768, maxOutputTokens: undefined, inputMedia: undefined },
    ];
    expect(await listAt("openai-compatible", { "/models": ok({ object: "list", data }) })).toEqual(expected);
    await server?.close();
    expect(await listAt("openai-compatible", { "/models": ok(data) })).toEqual(expected);
    const headers = Object.fromEntries(server?.requests[0]?.headers ?? []);
    expect(headers["authorization"]).toBe("Bearer their-key");
  });

  it("is read to its last page, as Anthropic has it", async () => {
    const first = {
      data: [{ id: "a", max_input_tokens: 200_000, max_tokens: 64_000 }],
      has_more: true,
      last_id: "a/1",
    };
    const models = await listAt("anthropic", {
      "/v1/models?limit=1000": ok(first),
      "/v1/models?limit=1000&after_id=a%2F1": ok({ data: [{ id: "b" }], has_more: false, last_id: "b" }),
    });
    expect(models.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(models[0]).toMatchObject({ contextTokens: 200_000, maxOutputTokens: 64_000 });
    const headers = Object.fromEntries(server?.requests[1]?.headers ?? []);
    expect(headers).toMatchObject({ "x-api-key": "their-key", "anthropic-version": "2023-06-01" });
  });

  it("is read of both kinds of ids at Bedrock, without models that can't be asked by theirs, signed for its service", async () => {
    const models = await listAt(
      "bedrock",
      {
        "/foundation-models": ok({
          modelSummaries: [
            {
              modelId: "amazon.nova-pro-v1:0",
              inputModalities: ["TEXT", "IMAGE", "VIDEO"],
              inferenceTypesSupported: ["ON_DEMAND"],
            },
            { modelId: "anthropic.claude-haiku-4-5", inferenceTypesSupported: ["INFERENCE_PROFILE"] },
          ],
        }),
        "/inference-profiles?maxResults=1000": ok({
          inferenceProfileSummaries: [
            { inferenceProfileId: "us.anthropic.claude-haiku-4-5", status: "ACTIVE" },
          ],
          nextToken: "a/b=",
        }),
        "/inference-profiles?maxResults=1000&nextToken=a%2Fb%3D": ok({
          inferenceProfileSummaries: [{ inferenceProfileId: "us.amazon.nova-pro-v1:0", status: "ACTIVE" }],
        }),
      },
      () => ({ location: "us-east-1" }),
      JSON.stringify({ access_key_id: "AKIA1", secret_access_key: "secret" }),
    );
    expect(models.map(({ id, inputMedia }) => [id, inputMedia])).toEqual([
      ["amazon.nova-pro-v1:0", ["image", "video"]],
      ["us.anthropic.claude-haiku-4-5", undefined],
      ["us.amazon.nova-pro-v1:0", undefined],
    ]);
    for (const { headers } of server?.requests ?? [])
      expect(Object.fromEntries(headers)["authorization"]).toMatch(/\/us-east-1\/bedrock\/aws4_request/);
  });

  it("is that of both publishers at Vertex AI, whose names requests leave out", async () => {
    const secret = JSON.stringify({ from: "metadata-server" });
    const token = [200, JSON.stringify({ access_token: "token-1", expires_in: 3_600 })] as const;
    const models = await listAt(
      "vertex",
      {
        "/computeMetadata/v1/instance/service-accounts/default/token": token,
        "/v1beta1/publishers/google/models?pageSize=1000": ok({
          publisherModels: [{ name: "publishers/google/models/gemini-2.5-flash", versionId: "default" }],
          nextPageToken: "next",
        }),
        "/v1beta1/publishers/google/models?pageSize=1000&pageToken=next": ok({}),
        "/v1beta1/publishers/anthropic/models?pageSize=1000": ok({
          publisherModels: [{ name: "publishers/anthropic/models/claude-sonnet-4-5" }],
        }),
      },
      (url) => ({ project: "acme", location: "global", tokenUrl: url }),
      secret,
    );
    expect(models.map(({ id }) => id)).toEqual(["gemini-2.5-flash", "claude-sonnet-4-5"]);
    expect(Object.fromEntries(server?.requests.at(-1)?.headers ?? [])["authorization"]).toBe(
      "Bearer token-1",
    );
  });

  it("is read to its last page, as Gemini has it", async () => {
    const model = { name: "models/gemini-3-pro", inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 };
    const models = await listAt("gemini", {
      "/v1beta/models?pageSize=1000": ok({ models: [model], nextPageToken: "t" }),
      "/v1beta/models?pageSize=1000&pageToken=t": ok({ models: [{ name: "models/other" }] }),
    });
    expect(models.map(({ id }) => id)).toEqual(["gemini-3-pro", "other"]);
    expect(models[0]).toMatchObject({ contextTokens: 1_048_576, maxOutputTokens: 65_536 });
  });

  it("ends where a vendor's pages don't", async () => {
    const page = ok({ data: [{ id: "a" }], has_more: true, last_id: "a" });
    const models = await listAt("anthropic", {
      "/v1/models?limit=1000": page,
      "/v1/models?limit=1000&after_id=a": page,
    });
    expect(models).toHaveLength(20);
  });

  it.each([
    ["openai", { "/models": [401, "{}"] as const }, /vendor refuses the key \(status 401\); check api_key/],
    ["openai", { "/models": [403, "{}"] as const }, /vendor forbids the request \(status 403\)/],
    ["openai", { "/models": [429, "{}"] as const }, /vendor limits the rate of requests \(status 429\)/],
    ["openai", { "/models": [302, ""] as const }, /vendor redirects \(status 302\); base_url/],
    ["openai", { "/models": [400, "{}"] as const }, /doesn't take the request \(status 400\); check kind/],
    ["openai", {}, /no list of models at http:\S+\/models \(status 404\); check base_url/],
    ["openai", { "/models": [503, ""] as const }, /returned status 503; try again later/],
    ["openai", { "/models": [200, "<html>"] as const }, /something other than JSON/],
    ["openai", { "/models": [200, "{}"] as const }, /no list of models/],
    ["openai", { "/models": [200, `"${"x".repeat(9 * 1024 * 1024)}"`] as const }, /more than 8 MB/],
    ["ark", {}, /kind ark has no list of models/],
  ])("of %s that is not there is said in a sentence", async (kind, answers, sentence) => {
    await expect(listAt(kind, answers)).rejects.toThrow(sentence);
  });
});
