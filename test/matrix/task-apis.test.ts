import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { ask, type Reply } from "../support/world.ts";

/** What a vendor answers at a path, by method and path; ids are in it as the vendor writes them. */
type Script = Readonly<Record<string, object>>;

/** What calls to Ark's asset library are signed with. */
const SECRET = "c2VjcmV0";

const MP4 = "https://v.example/1.mp4";
/** Bytes get a link of the gateway's own. */
const PNG = Buffer.from("89504e470d0a1a0a00", "hex").toString("base64");
const GIF = Buffer.from("GIF89a").toString("base64");

/** Each vendor's own words for: taken; being made; here it is. */
const VENDORS: Readonly<Record<string, Script>> = {
  ark: {
    "POST /api/v3/contents/generations/tasks": { id: "cgt-1" },
    "GET /api/v3/contents/generations/tasks/cgt-1": {
      id: "cgt-1",
      status: "succeeded",
      resolution: "720p",
      duration: 4,
      content: { video_url: MP4, last_frame_url: "https://v.example/1.png" },
      usage: { completion_tokens: 9, total_tokens: 9 },
    },
  },
  "seedance-relay": {
    "POST /seedance/v1/video/generate": { task: { id: "relay-1", status: "queued" } },
    "GET /seedance/v1/video/tasks/relay-1": {
      code: "success",
      data: {
        task_id: "relay-1",
        status: "SUCCESS",
        progress: "100%",
        data: { task: { status: "succeeded", outputs: [MP4], usage: { total_tokens: 7 } } },
      },
    },
  },
  apimart: {
    "POST /v1/videos/generations": { code: 200, data: [{ status: "submitted", task_id: "am-1" }] },
    "GET /v1/tasks/am-1": apimartRecord(),
    "POST /v1/tasks/batch": { code: 200, data: [apimartRecord().data] },
  },
  minimax: {
    "POST /v2/video_generation": { task_id: "mm-1", base_resp: { status_code: 0 } },
    "GET /v2/query/video_generation/mm-1": {
      task: { id: "mm-1", status: "succeeded", content: { url: MP4 }, usage: { total_seconds: 5 } },
    },
  },
  dashscope: {
    "POST /api/v1/services/aigc/video-generation/video-synthesis": {
      output: { task_id: "ds-1", task_status: "PENDING" },
    },
    "GET /api/v1/tasks/ds-1": {
      output: { task_id: "ds-1", task_status: "SUCCEEDED", video_url: MP4 },
      usage: { output_video_duration: 3, SR: 720 },
    },
  },
  // Ark's asset library stands at the root.
  "": {
    "POST /?Action=ListAssetGroups&Version=2024-01-01": { Result: { Items: [] } },
    "POST /?Action=CreateAssetGroup&Version=2024-01-01": { Result: { Id: "group-1" } },
    "POST /?Action=CreateAsset&Version=2024-01-01": { Result: { Id: "asset-ark-1" } },
    "POST /?Action=GetAsset&Version=2024-01-01": {
      Result: { Id: "asset-ark-1", Status: "Active", AssetType: "Image", Name: "cat", GroupId: "group-1" },
    },
  },
  openai: {
    "POST /images/generations": { data: [{ b64_json: PNG }] },
    "POST /images/edits": { data: [{ b64_json: GIF }] },
  },
  azure: {
    "POST /openai/v1/images/generations": { data: [{ b64_json: PNG }] },
    "POST /openai/v1/images/edits": { data: [{ b64_json: GIF }] },
  },
};

function apimartRecord() {
  return {
    code: 200,
    data: {
      id: "am-1",
      status: "completed",
      progress: 100,
      cost: 0.2,
      result: { videos: [{ url: [MP4], expires_at: 1_900_000_000 }] },
    },
  };
}

const FAMILIES: Readonly<Record<string, string>> = {
  ark: "videoa",
  "seedance-relay": "videoa",
  apimart: "videob",
  minimax: "videoc",
  dashscope: "videob",
  openai: "imagegen",
  azure: "imagegen",
};

let server: Server;
let asked: {
  readonly line: string;
  readonly body: string;
  readonly headers: IncomingMessage["headers"];
}[] = [];
let sandbox: TestSandbox;
/** Before every vendor. */
let gateway: TestGateway;
/** Before `gateway`, as another service of the same kind, which has the sandbox behind it. */
let front: TestGateway;

beforeAll(async () => {
  server = createServer((request, response) => {
    void textOf(request).then((body) => {
      // Each vendor's base URL is a folder of its own.
      const [, vendor = "", path = ""] = /^(?:\/([^/?]+))?(\/.*)$/.exec(request.url ?? "") ?? [];
      const line = `${request.method} ${path}`;
      asked.push({ line: `${vendor}: ${line}`, body, headers: request.headers });
      const answer = VENDORS[vendor]?.[line];
      response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const vendors = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  sandbox = await startSandbox({ taskMs: 0 });
  gateway = await startGateway({ catalog: catalog(vendors, sandbox.url) });
  front = await startGateway({ catalog: frontCatalog(gateway.url) });
});
afterAll(async () => {
  for (const each of [front, gateway]) {
    await each?.end();
    await each?.clean();
  }
  await sandbox?.stop();
  server?.closeAllConnections();
  server?.close();
});
beforeEach(() => {
  asked = [];
});

/** What each family is billed by. */
const PRICES: Readonly<Record<string, string>> = {
  imagegen: "per_image: { 1k: 0.1, 2k: 0.1, 4k: 0.1 }",
  videoa: "per_second: { 720p: 0.1, 1080p: 0.1 }",
  videob: "per_second: { 480p: 0.1, 720p: 0.1, 1080p: 0.1 }",
  videoc: "per_second: { 480p: 0.1, 768p: 0.1 }",
};

const MODELS = [
  { id: "imagegen-2.5-flare", family: "imagegen" },
  { id: "videoa-2.0", family: "videoa" },
  { id: "videob-3.0-video", family: "videob" },
  { id: "videoc-H3-Comfy", family: "videoc" },
];

function modelLine(id: string, family: string): string {
  const variant = family === "videoa" ? ', variant: "2.0"' : "";
  const endpoint = family === "imagegen" ? "image-generation" : "oa-video";
  return `  - { id: ${id}, family: ${family}${variant}, endpoints: [${endpoint}], price: { ${PRICES[family]} } }`;
}

function catalog(vendors: string, sandboxUrl: string): string {
  const kinds = Object.entries(FAMILIES);
  return `version: 1
models:
${kinds.map(([kind, family]) => modelLine(`by-${kind}`, family)).join("\n")}
${MODELS.map(({ id, family }) => modelLine(id, family)).join("\n")}
upstreams:
${kinds
  .map(
    ([kind]) =>
      `  - { name: ${kind}, kind: ${kind}, base_url: "${vendors}/${kind}", api_key: "${credentialOf(kind)}", priority: -1, models: { by-${kind}: theirs } }`,
  )
  .join("\n")}
  - { name: sandbox, kind: sandbox, base_url: "${sandboxUrl}", models: ${JSON.stringify(MODELS.map(({ id }) => id))} }
accounts:
  - { name: acme, balance: 1000, keys: [{ name: main, key: ${TEST_KEY} }] }
`;
}

/** Ark's holds more than the key. */
function credentialOf(kind: string): string {
  return kind === "ark" ? `vendor-key;access_key=AK;secret_key=${SECRET}` : "vendor-key";
}

function frontCatalog(url: string): string {
  return `version: 1
models:
${MODELS.map(({ id, family }) => modelLine(id, family)).join("\n")}
upstreams:
  - { name: behind, kind: gateway, base_url: "${url}", api_key: ${TEST_KEY}, models: ${JSON.stringify(MODELS.map(({ id }) => id))} }
accounts:
  - { name: acme, balance: 1000, keys: [{ name: main, key: ${TEST_KEY} }] }
`;
}

const IMAGE = "https://media.example/1.png";

/** A body that each family takes. */
const BODIES: Readonly<Record<string, object>> = {
  imagegen: { prompt: "A lighthouse", size: "16:9", resolution: "2K" },
  videoa: { content: [{ type: "text", text: "A lighthouse" }], return_last_frame: true },
  videob: { prompt: "A lighthouse", duration: -1, resolution: "720P" },
  videoc: { prompt: "A lighthouse", duration: 5, image_urls: [IMAGE] },
};

/** Submits, waits until it is final, and gives the last record. */
async function make(url: string, model: string, body: object): Promise<Reply> {
  const image = "size" in body;
  const submitted = await ask(url, image ? "/v1/images/generations" : "/v2/videos/generations", {
    model,
    ...body,
  });
  expect(submitted.status, submitted.text).toBe(200);
  const path = image ? "/v1/images/tasks/" : "/v2/videos/generations/";
  for (;;) {
    const found = await ask(url, `${path}${submitted.json.task_id}?wait=20`);
    if (["SUCCESS", "FAILURE", "FAILED"].includes(found.json.status)) return found;
  }
}

const OWN_PNG = /^http:\/\/[^/]+\/media\/.*\.png$/;

describe("a task through each vendor's own interface", () => {
  it.each(Object.entries(FAMILIES))("succeeds at %s", async (kind, family) => {
    const { json } = await make(gateway.url, `by-${kind}`, BODIES[family] ?? {});
    expect(json, json.fail_reason).toMatchObject({ status: "SUCCESS", progress: "100%", fail_reason: "" });
    const link = json.data[0]?.url ?? json.data.task?.outputs[0] ?? json.data.result?.videos[0].url[0];
    if (family === "imagegen") expect(link).toMatch(OWN_PNG);
    else expect(link).toBe(MP4);
    expect(
      asked.filter(({ line }) => line.startsWith(`${kind}: POST`) && !line.includes("batch")),
    ).toHaveLength(1);
  });

  it("shows Ark's videos in its original layout too, with the last frame", async () => {
    const { json } = await make(gateway.url, "by-ark", BODIES["videoa"] ?? {});
    expect(json.data).toMatchObject({
      task: { status: "succeeded", model: "by-ark", last_frame_url: "https://v.example/1.png" },
      content: { video_url: MP4, last_frame_url: "https://v.example/1.png" },
    });
    expect(json.data.task.usage).toEqual({ completion_tokens: 9, total_tokens: 9 });
  });

  it.each([
    ["openai", "/images/edits"],
    ["azure", "/openai/v1/images/edits"],
  ])("sends reference pictures to %s, which wants files, as files", async (kind, path) => {
    const bytes = Buffer.from("89504e470d0a1a0a00", "hex");
    const { json } = await make(gateway.url, `by-${kind}`, {
      ...BODIES["imagegen"],
      image_urls: [`data:image/png;base64,${bytes.toString("base64")}`],
    });
    expect(json.data).toMatchObject([{ url: expect.stringMatching(/\/media\/.*\.gif$/) }]);
    expect(asked[0]?.line).toBe(`${kind}: POST ${path}`);
    expect(asked[0]?.body).toContain('name="image[]"; filename="image-1.png"');
  });
});

describe("assets in Ark's library", () => {
  it("are kept in a group made for them, over calls whose signature holds", async () => {
    const made = await ask(gateway.url, "/v1/videoa/asset/create", { url: IMAGE, name: "cat" });
    expect(made.json, made.text).toMatchObject({ success: true });
    expect(asked.map(({ line }) => /Action=(\w+)/.exec(line)?.[1])).toEqual([
      ...["ListAssetGroups", "CreateAssetGroup", "CreateAsset"],
    ]);
    expect(JSON.parse(asked[2]?.body ?? "")).toMatchObject({ GroupId: "group-1", ProjectName: "default" });
    for (const each of asked) expect(each.headers.authorization).toBe(signed(each));

    asked = [];
    const { Id } = made.json.result;
    const { json } = await make(gateway.url, "by-ark", {
      content: [
        { type: "text", text: "Image 1 walks" },
        { type: "image_url", image_url: { url: `asset://${Id}` }, role: "reference_image" },
      ],
    });
    expect(json).toMatchObject({ status: "SUCCESS" });
    const submit = asked.find(({ line }) => line.startsWith("ark: POST"));
    expect(submit?.body).toContain("asset://asset-ark-1");
    expect(submit?.headers.authorization).toBe("Bearer vendor-key");
  });
});

describe("a chain of gateways", () => {
  it.each(MODELS)("makes $family as one does, every default explicit on the way", async ({ id, family }) => {
    const { json } = await make(front.url, id, BODIES[family] ?? {});
    expect(json, json.fail_reason).toMatchObject({ status: "SUCCESS", fail_reason: "" });
    const link = json.data[0]?.url ?? json.data.task?.outputs[0] ?? json.data.result?.videos[0].url[0];
    // The sandbox's own file: it refuses what lacks a default or says too much.
    expect(link.startsWith(sandbox.url)).toBe(true);
    expect((await fetch(link, { method: "HEAD" })).status).toBe(200);
  });

  it("passes a failure's reason on, with one request id and that the caller's own", async () => {
    const { json } = await make(front.url, "videob-3.0-video", {
      ...BODIES["videob"],
      prompt: '[[sandbox: fail="too rude"]]',
    });
    expect(json).toMatchObject({ status: "FAILURE", data: null });
    expect(json.fail_reason).toMatch(/^too rude \(request id: [^()]+\)$/);
  });
});

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
}

/** The signature that the vendor would expect, worked out from what arrived. */
function signed({ line, body, headers }: (typeof asked)[number]): string {
  const sha256 = (text: string): string => createHash("sha256").update(text, "latin1").digest("hex");
  const hmac = (key: string | Buffer, text: string): Buffer =>
    createHmac("sha256", key).update(text).digest();
  const stamp = String(headers["x-date"]);
  const scope = `${stamp.slice(0, 8)}/cn-beijing/ark/request`;
  const names = ["content-type", "host", "x-content-sha256", "x-date"];
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join("");
  const query = line.split("?")[1];
  const canonical = `POST\n/\n${query}\n${lines}\n${names.join(";")}\n${sha256(body)}`;
  let key: string | Buffer = SECRET;
  for (const part of scope.split("/")) key = hmac(key, part);
  const signature = hmac(key, `HMAC-SHA256\n${stamp}\n${scope}\n${sha256(canonical)}`).toString("hex");
  return `HMAC-SHA256 Credential=AK/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
}
