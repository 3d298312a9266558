import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type ScriptedUpstream,
  scriptedUpstream,
  type WireRequest,
} from "../../test/support/scripted-upstream.ts";
import { systemClock } from "../base/clock.ts";
import type { Upstream } from "../catalog/catalog.ts";
import { kindOf } from "./kinds.ts";
import { probeUpstream } from "./probe.ts";

let server: ScriptedUpstream | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("probing an upstream", () => {
  it("asks for the models with the key and is content with a list", async () => {
    expect(await probe("gateway", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")).toBe(undefined);
    const [request] = server?.requests ?? [];
    expect(request?.line).toBe("GET /v1/models HTTP/1.1");
    expect(Object.fromEntries(request?.headers ?? [])["authorization"]).toBe("Bearer their-key");
    await vi.waitUntil(() => server?.open.size === 0);
  });

  it("tells a refused key from a sick vendor, a wrong address and a closed port", async () => {
    const empty = "content-length: 0\r\n\r\n";
    expect(await probe("anthropic", `HTTP/1.1 401 No\r\n${empty}`)).toMatch(/refuses the key \(status 401\)/);
    const words = '{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}';
    expect(
      await probe("gemini", `HTTP/1.1 400 Bad\r\ncontent-length: ${words.length}\r\n\r\n${words}`),
    ).toMatch(/refuses the key/);
    expect(await probe("openai", `HTTP/1.1 503 Down\r\n${empty}`)).toMatch(
      /returned an error \(status 503\)/,
    );
    expect(await probe("openai", `HTTP/1.1 301 Moved\r\nlocation: /x\r\n${empty}`)).toMatch(/redirects/);
    expect(await probe("openai", "SSH-2.0-x\r\n")).toMatch(/malformed response/);
    await server?.close();
    const url = server?.url ?? "";
    server = undefined;
    expect(await probeAt(url, "openai")).toMatch(
      /nothing listens at that address\. Check the host and port in base_url/,
    );
    expect(await probeAt("nowhere", "openai")).toMatch(/base_url is not an http or https URL/);
  });

  it.each([
    [401, "their-key", "refuses the key (status 401); check api_key and the account's credit"],
    [402, "their-key", "wants to be paid first (status 402); check the account's credit"],
    [403, "their-key", "forbids the request (status 403); check what the key may do"],
    [401, "", "requires a key (status 401); set api_key"],
    [402, "", "requires a key (status 402); set api_key"],
    [403, "", "forbids requests without a key (status 403); set api_key, and check whether the vendor"],
  ] as const)(
    "says of status %i to the key %j what the vendor says, and blames nothing else",
    async (status, key, said) => {
      const response = `HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`;
      expect(await probe("openai", response, key)).toContain(`responds, but ${said}`);
    },
  );

  it.each([
    [429, undefined],
    [400, undefined],
    [500, /^returned an error \(status 500\); try again later$/],
    [307, /^redirects \(status 307\); base_url must be the final URL$/],
    [404, /^has nothing at base_url \+ /],
  ] as const)("blames no key for status %i", async (status, said) => {
    for (const key of ["their-key", ""]) {
      const found = await probe("openai", `HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`, key);
      if (said === undefined) expect(found).toBe(undefined);
      else expect(found).toMatch(said);
    }
  });

  it("is content with any HTTP answer of a kind that has neither list nor text", async () => {
    expect(await probe("minimax", "HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n")).toBe(undefined);
  });

  it("tells a vendor without a list from a base URL with a part too many", async () => {
    const vendor = async (kind: string, there: string, baseUrl = ""): Promise<string | undefined> => {
      await server?.close();
      server = await scriptedUpstream(({ line, body, socket }: WireRequest) => {
        const known = line === `POST ${there} HTTP/1.1` && body.toString() === "{}";
        socket.end(`HTTP/1.1 ${known ? 400 : 404} No\r\ncontent-length: 0\r\n\r\n`);
      });
      return probeAt(server.url + baseUrl, kind);
    };
    expect(await vendor("openai", "/v1/chat/completions", "/v1")).toBe(undefined);
    expect(await vendor("openai", "/v1/chat/completions")).toMatch(
      /^has nothing at base_url \+ \/chat\/completions \(status 404\); check base_url, now http:\S+, which/,
    );
    expect(await vendor("anthropic", "/v1/messages")).toBe(undefined);
    expect(await vendor("anthropic", "/v1/messages", "/v1")).toMatch(/nothing at base_url \+ \/v1\/messages/);
    expect(await vendor("gemini", "/v1beta/models/m-1:generateContent")).toBe(undefined);
    expect(await vendor("gemini", "/v1beta/models/m-1:generateContent", "/v1beta")).toMatch(
      /:generateContent/,
    );
  });

  it.each([
    [
      "azure",
      404,
      '{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}',
      /serves no m-1 \(status 404\): the resource has no deployment of this name; map the model/,
    ],
    [
      "azure",
      400,
      '{"error":{"message":"Tenant provided in token does not match resource token"}}',
      /check tenant_id/,
    ],
    ["azure", 400, '{"error":{"message":"messages: Field required"}}', undefined],
  ] as const)(
    "tries each model of a cloud beside the list: %s, status %i, %s",
    async (kind, status, words, said) => {
      await server?.close();
      server = await scriptedUpstream(({ line, body, socket }: WireRequest) => {
        const isList = line.startsWith("GET ");
        if (!isList) expect(JSON.parse(body.toString())).toEqual({ model: "m-1" });
        const text = isList ? "{}" : words;
        socket.end(`HTTP/1.1 ${isList ? 200 : status} X\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
      });
      const found = await probeAt(server.url, kind);
      if (said === undefined) expect(found).toBe(undefined);
      else expect(found).toMatch(said);
    },
  );

  it.each([
    ["Publisher Model `projects/p/locations/us/publishers/google/models/m-1` was not found", /Model Garden/],
    ["Vertex AI API has not been used in project 1 before or it is disabled.", /enable aiplatform/],
    ["Permission 'aiplatform.endpoints.predict' denied on resource '//x'", /give it Vertex AI User/],
  ])("says what to do about the words of Vertex AI: %s", async (words, said) => {
    await server?.close();
    server = await scriptedUpstream(({ line, socket }: WireRequest) => {
      const isToken = line.includes("computeMetadata");
      const text = isToken ? '{"access_token":"t","expires_in":60}' : JSON.stringify({ error: words });
      socket.end(`HTTP/1.1 ${isToken ? 200 : 404} X\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    });
    const place = { project: "p", location: "us", tokenUrl: server.url };
    const secret = JSON.stringify({ from: "metadata-server" });
    expect(await probeAt(server.url, "vertex", secret, { place })).toMatch(said);
  });

  it("is not content with an address where nothing is, also before a model is named", async () => {
    server = await scriptedUpstream(({ socket }: WireRequest) =>
      socket.end("HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n"),
    );
    expect(await probeAt(server.url, "openai", "their-key", undefined, new Map())).toMatch(
      /^has nothing at base_url \+ \/models \(status 404\); check base_url, now http:/,
    );
  });

  it("tries the key of a vendor that has no list", async () => {
    expect(await probe("rerank", "HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n")).toMatch(/refuses the key/);
    expect(server?.requests.map(({ line }) => line)).toEqual(["POST /rerank HTTP/1.1"]);
  });
});

async function probe(kind: string, response: string, key?: string): Promise<string | undefined> {
  await server?.close();
  server = await scriptedUpstream(({ socket }: WireRequest) => socket.end(response));
  return probeAt(server.url, kind, key);
}

function probeAt(
  baseUrl: string,
  kind: string,
  secret = "their-key",
  options?: Upstream["options"],
  models: Upstream["models"] = new Map([["text", "m-1"]]),
): Promise<string | undefined> {
  const timeouts = { connectMs: 1, firstByteStreamMs: 1, firstBytePlainMs: 1, idleMs: 1, totalMs: 1 };
  const upstream: Upstream = {
    id: 1n,
    name: "upstream-1",
    kind,
    baseUrl,
    groups: null,
    models,
    protocols: kindOf(kind)?.protocols ?? [],
    priority: 0,
    weight: 1,
    maxConcurrency: 1,
    probe: false,
    preset: null,
    signer: null,
    unaskedTiers: [],
    region: null,
    cost: null,
    configuredCredentials: 1,
    timeouts,
    credentials: [],
    sharedIds: new Set(),
    options,
  };
  return probeUpstream(upstream, { id: 1n, name: "main", secret }, { clock: systemClock });
}
