import { readdir } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MIRROR_FAILPOINTS } from "../../src/base/failpoint.ts";
import { type FakeS3, S3_BUCKET, S3_KEYS, S3_REGION, startFakeS3 } from "../support/fake-s3.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { PATIENCE_MS } from "../support/gateways.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { type Medium, readTask, submitTask, taskCatalog } from "../support/task-load.ts";

const PNG_HEAD = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

/** The tasks' catalog with these settings beside its own. */
function catalogWith(settings: object): string {
  const text = taskCatalog({ url: sandbox.url, deadlineMinutes: 2 });
  return text.replace("settings: { ", `settings: { ${JSON.stringify(settings).slice(1, -1)}, `);
}

const fromSandbox = (): { egress_allow: string[] } => ({ egress_allow: [new URL(sandbox.url).host] });

/** The record of a task once it is over, and the link in it. */
async function finished(url: string, medium: Medium, id: string): Promise<{ status: unknown; link: string }> {
  for (;;) {
    const record = await readTask(url, medium, id, 20);
    if (!/^(SUCCESS|FAILED|FAILURE)$/.test(String(record["status"]))) continue;
    // biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
    const data = record["data"] as any;
    return {
      status: record["status"],
      link: medium === "image" ? data[0]?.url : data.result.videos[0].url[0],
    };
  }
}

async function make(url: string, medium: Medium): Promise<string> {
  const { id = "" } = await submitTask(url, medium, "takes=0");
  const { status, link } = await finished(url, medium, id);
  expect(status).toBe("SUCCESS");
  return link;
}

async function bytesOf(link: string, headers: Record<string, string> = {}): Promise<Buffer> {
  return Buffer.from(await (await fetch(link, { headers })).arrayBuffer());
}

describe("copies on the disk", { timeout: PATIENCE_MS }, () => {
  let gateway: TestGateway;
  let vendor: Server;
  let image: string;
  beforeAll(async () => {
    // Responses with the picture itself, as the synchronous vendor does.
    vendor = createServer((_request, response) => {
      const b64 = Buffer.concat([PNG_HEAD, Buffer.alloc(100, 1)]).toString("base64");
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ created: 1, data: [{ b64_json: b64 }], output_format: "png" }));
    });
    await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
    const { port } = vendor.address() as AddressInfo;
    const catalog = catalogWith({ ...fromSandbox(), mirror: { kind: "disk" } })
      .replace(
        "upstreams:\n",
        `upstreams:\n  - { name: sync, kind: openai, base_url: "http://127.0.0.1:${port}/v1", api_key: k, models: [imagegen-2.5-flare] }\n`,
      )
      .replace(
        "models:\n",
        "models:\n  - { id: imagegen-2.5-flare, family: imagegen, price: { per_image: { 1k: 0.1, 2k: 0.1, 4k: 0.1 } } }\n",
      );
    gateway = await startGateway({ catalog });
    image = await make(gateway.url, "image");
  }, PATIENCE_MS);
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    vendor.closeAllConnections();
    vendor.close();
  });

  it("are served without a key, as what they are, to pages of any origin", async () => {
    expect(image).toMatch(
      new RegExp(`^${gateway.url}/media/\\d{4}-\\d\\d-\\d\\d/[0-9A-Za-z]{32}\\.(png|jpg)$`),
    );
    const response = await fetch(image, { headers: { origin: "https://page.example" } });
    expect(response.status).toBe(200);
    const type = image.endsWith("png") ? "image/png" : "image/jpeg";
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": type,
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "content-disposition": `inline; filename="${image.split("/").at(-1)}"`,
    });
    expect((await response.arrayBuffer()).byteLength).toBe(Number(response.headers.get("content-length")));
  });

  it("are served by range, and as one file whatever the pieces are", async () => {
    const link = await make(gateway.url, "video");
    expect(link).toMatch(/\.mp4$/);
    const whole = await bytesOf(link);
    const size = whole.length;
    const etag = String((await fetch(link, { method: "HEAD" })).headers.get("etag"));
    const middle = Math.floor(size / 2);
    const first = await fetch(link, { headers: { range: `bytes=0-${middle}`, "if-range": etag } });
    expect([first.status, first.headers.get("content-range")]).toEqual([206, `bytes 0-${middle}/${size}`]);
    const parts = [
      Buffer.from(await first.arrayBuffer()),
      await bytesOf(link, { range: `bytes=${middle + 1}-` }),
    ];
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
    const last = await bytesOf(link, { range: "bytes=-10" });
    expect(last.equals(whole.subarray(size - 10))).toBe(true);

    const beyond = await fetch(link, { headers: { range: `bytes=${size}-` } });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${size}`]);
    const other = await fetch(link, { headers: { range: "bytes=0-1", "if-range": '"another"' } });
    expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, size]);
    expect((await fetch(link, { headers: { "if-none-match": `W/"x", ${etag}` } })).status).toBe(304);
    const head = await fetch(link, { method: "HEAD", headers: { range: "bytes=0-1" } });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(size)]);
  });

  it("are all that can be read under their path", async () => {
    const [day, file] = image.split("/").slice(-2);
    for (const path of [
      ...[
        `${day}/0123456789ABCDEFGHIJKLMNOPQRSTUV.png`,
        `${day}/${file}.txt`,
        `2020-01-01/${file}`,
        `${day}/`,
      ],
      ...[
        "drafts/x",
        "..%2f..%2fcatalog.yaml",
        `${day}/..%2f..%2fcatalog.yaml`,
        `${day}/%00`,
        "../catalog.yaml",
      ],
    ]) {
      const response = await fetch(`${gateway.url}/media/${path}`);
      expect([path, response.status]).toEqual([path, 404]);
    }
    expect((await fetch(image, { method: "POST" })).status).toBe(405);
  });

  it("are made of what a synchronous vendor answers with", async () => {
    const response = await fetch(`${gateway.url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: "Bearer test-key-0123456789abcdef" },
      body: JSON.stringify({ model: "imagegen-2.5-flare", prompt: "A fox" }),
    });
    const { id } = (await response.json()) as { id: string };
    const { link } = await finished(gateway.url, "image", id);
    expect(link).toMatch(/\/media\/.*\.png$/);
    expect(await bytesOf(link)).toEqual(Buffer.concat([PNG_HEAD, Buffer.alloc(100, 1)]));
  });
});

describe("copies in a bucket", { timeout: PATIENCE_MS }, () => {
  it("are put there although it is in a private network, and served by the gateway", async () => {
    const s3: FakeS3 = await startFakeS3();
    const mirror = { kind: "s3", endpoint: s3.url, region: S3_REGION, bucket: S3_BUCKET, prefix: "results/" };
    const gateway = await startGateway({
      catalog: catalogWith({ ...fromSandbox(), mirror }),
      env: { FAREGATE_S3_ACCESS_KEY: S3_KEYS.accessKey, FAREGATE_S3_SECRET_KEY: S3_KEYS.secretKey },
    });
    try {
      const link = await make(gateway.url, "image");
      const [[key, object] = []] = [...s3.objects];
      expect(link).toBe(`${gateway.url}/media/${key?.slice("results/".length)}`);
      expect((await bytesOf(link)).equals(object?.body ?? Buffer.alloc(0))).toBe(true);
      const part = await bytesOf(link, { range: "bytes=1-3" });
      expect(part.equals(object?.body.subarray(1, 4) ?? Buffer.alloc(0))).toBe(true);
      s3.objects.clear();
      expect((await fetch(link)).status).toBe(404);
      expect(s3.asked.map(({ status }) => status)).not.toContain(403);
      await s3.close();
      expect((await fetch(link)).status).toBe(503);
      expect((await gateway.run("export")).stdout).not.toContain(S3_KEYS.secretKey);
    } finally {
      await gateway.end();
      await gateway.clean();
      await s3.close();
    }
  });
});

describe("a vendor's link into a private network", { timeout: PATIENCE_MS }, () => {
  it("is not fetched, and the task succeeds with it all the same", async () => {
    const gateway = await startGateway({ catalog: catalogWith({ mirror: { kind: "disk" } }) });
    try {
      const link = await make(gateway.url, "image");
      expect(link.startsWith(sandbox.url)).toBe(true);
      expect(gateway.output()).toContain("keeps the vendor's link");
    } finally {
      await gateway.end();
      await gateway.clean();
    }
  });
});

describe("a death while a result is copied", { timeout: PATIENCE_MS }, () => {
  it.concurrent.each(MIRROR_FAILPOINTS)(
    "at %s shows nobody half a file, and the task ends with a whole one",
    async (point) => {
      const catalog = catalogWith({ ...fromSandbox(), mirror: { kind: "disk" } });
      const dying = await startGateway({ catalog, env: { FAREGATE_CRASH_AT: point } });
      const { id = "" } = await submitTask(dying.url, "image", "takes=0");
      await dying.ended;
      expect(dying.child.signalCode).toBe("SIGKILL");
      const names = await readdir(join(dying.dataDir, "media"), { recursive: true });
      const [drafts, files] = [/^drafts\//, /^\d.*\//].map((each) => names.filter((name) => each.test(name)));
      expect([drafts?.length, files?.length]).toEqual(point === "mirror.before-put" ? [1, 0] : [0, 1]);

      const { database, dataDir } = dying;
      const gateway = await startGateway({ catalog, dataDir, ...(database && { database }) });
      try {
        // The dead process's claim on the task lasts half a minute.
        const { status, link } = await finished(gateway.url, "image", id);
        expect(status).toBe("SUCCESS");
        expect(link.startsWith(`${gateway.url}/media/`)).toBe(true);
        expect((await bytesOf(link)).length).toBeGreaterThan(1_000);
      } finally {
        await gateway.end();
        await gateway.clean();
      }
    },
  );
});
