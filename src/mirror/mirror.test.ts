import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { S3_BUCKET, S3_KEYS, S3_REGION, startFakeS3 } from "../../test/support/fake-s3.ts";
import { httpProxy, PROXY_PASSWORD, PROXY_USER } from "../../test/support/proxies.ts";
import { systemClock } from "../base/clock.ts";
import { createSafeFetch } from "../base/fetch/safe-fetch.ts";
import type { Upstream } from "../catalog/catalog.ts";
import { decodeSettings, type SettingsFile } from "../catalog/settings.ts";
import { silentLog } from "../observe/log.ts";
import { createTransport } from "../upstreams/transport/transport.ts";
import { readMediaName } from "./media-name.ts";
import { createMirror, type Mirror, type MirrorOptions } from "./mirror.ts";

const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(5_000, 7)]);
const MP4 = Buffer.concat([Buffer.from("\0\0\0\x18ftypisom", "latin1"), Buffer.alloc(300_000, 3)]);
const PUBLIC = "https://gateway.example";
const PATIENT_MS = 60_000;

describe("results of tasks", { timeout: 60_000 }, () => {
  let dataDir: string;
  let vendor: string;
  let asked: string[];
  let serve: RequestListener;
  const closings: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "faregate-mirror-"));
    asked = [];
    serve = (request, response) => {
      response.end(request.url?.startsWith("/video") ? MP4 : PNG);
    };
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      serve(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    vendor = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    closings.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
  });
  afterEach(async () => {
    for (const close of closings.splice(0).reverse()) await close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const open = (mirror: SettingsFile["mirror"], given: Partial<MirrorOptions> = {}): Mirror => {
    const settings = decodeSettings({ mirror });
    const made = createMirror({
      settings: () => settings,
      dataDir,
      clock: systemClock,
      log: silentLog,
      s3Keys: undefined,
      databaseNowMs: () => Promise.resolve(systemClock.nowMs()),
      publicUrl: () => Promise.resolve(PUBLIC),
      guarded: createSafeFetch({ allow: () => [new URL(vendor).host] }),
      through: () => undefined,
      ...given,
    });
    closings.push(() => made.close());
    return made;
  };

  const fileOf = async (mirror: Mirror, link: string | undefined): Promise<string | undefined> => {
    const [, day = "", file = ""] =
      /^https:\/\/gateway\.example\/media\/([^/]+)\/([^/]+)$/.exec(link ?? "") ?? [];
    const name = readMediaName(day, file);
    const found = name && (await mirror.find(name));
    return found && digest(await buffer(await found.read(0, found.bytes - 1)));
  };

  const drafts = (): Promise<string[]> => readdir(join(dataDir, "media", "drafts")).catch(() => []);

  describe("of an upstream with a proxy", () => {
    const UPSTREAM = 7n;
    const throughProxyAt = (port: number) => {
      const transport = createTransport({ clock: systemClock, log: silentLog });
      closings.push(() => transport.close());
      const value = `http://${PROXY_USER}:${PROXY_PASSWORD}@127.0.0.1:${port}`;
      const options = { proxy: { value, reference: null } };
      const upstream = { name: "u", timeouts: { connectMs: 2_000 }, options } as unknown as Upstream;
      return (id: bigint | undefined) => (id === UPSTREAM ? transport.through(upstream) : undefined);
    };

    it("are fetched through it, which alone resolves their names", async () => {
      const proxy = await httpProxy({ "files.vendor.example": Number(new URL(vendor).port) });
      closings.push(() => proxy.close());
      const mirror = open({ kind: "disk" }, { through: throughProxyAt(proxy.port) });
      const result = { outputs: [{ url: "http://files.vendor.example/image" }] };
      const kept = await mirror.keep("task-1", result, PATIENT_MS, UPSTREAM);
      expect(await fileOf(mirror, kept.outputs[0]?.url)).toBe(digest(PNG));
      expect(proxy.asked).toEqual(["files.vendor.example:80"]);
    });

    it("are never fetched directly: not while it is down, and not from where it must not lead", async () => {
      const proxy = await httpProxy();
      await proxy.close();
      const mirror = open({ kind: "disk" }, { through: throughProxyAt(proxy.port) });
      const result = { outputs: [{ url: `${vendor}/image` }] };
      expect(await mirror.keep("task-1", result, PATIENT_MS, UPSTREAM)).toEqual(result);
      expect(asked).toEqual([]);
      const inside = await httpProxy();
      closings.push(() => inside.close());
      const guarded = createSafeFetch({ allow: () => [] });
      const through = throughProxyAt(inside.port)(UPSTREAM);
      for (const url of ["http://10.0.0.7/image", "http://metadata.internal/", "http://localhost/image"])
        await expect(guarded.open(url, { maxBytes: 9, through })).rejects.toMatchObject({
          reason: "forbidden",
        });
      expect(inside.asked).toEqual([]);
    });
  });

  it("of many tasks are copied at once without a warning of the runtime's", async () => {
    const mirror = open({ kind: "disk" });
    const warnings: string[] = [];
    const hear = ({ name }: Error): void => void warnings.push(name);
    process.on("warning", hear);
    try {
      const results = Array.from({ length: 30 }, (_, index) => ({
        outputs: [{ url: `${vendor}/${index}` }],
      }));
      await Promise.all(
        results.map((result, index) => mirror.keep(`t${index}`, result, PATIENT_MS, undefined)),
      );
      // They are told in a later turn.
      await new Promise(setImmediate);
    } finally {
      process.off("warning", hear);
    }
    expect(warnings).toEqual([]);
  });

  it("get links of the gateway's own, each to the same bytes under the type they have", async () => {
    const mirror = open({ kind: "disk" });
    const result = {
      outputs: [{ url: `${vendor}/video.bin`, expiresAt: 1 }, { url: `${vendor}/image` }],
      lastFrameUrl: `${vendor}/last`,
      durationSeconds: 5,
      usage: { completion_tokens: 1 },
      layout: "ark" as const,
    };
    const kept = await mirror.keep("task-1", result, PATIENT_MS, undefined);
    expect(kept).toMatchObject({ durationSeconds: 5, usage: { completion_tokens: 1 }, layout: "ark" });
    const [video, image] = kept.outputs;
    expect(video?.url).toMatch(/\/media\/\d{4}-\d\d-\d\d\/[0-9A-Za-z]{32}\.mp4$/);
    expect(image?.url).toMatch(/\.png$/);
    expect(await fileOf(mirror, video?.url)).toBe(digest(MP4));
    expect(await fileOf(mirror, image?.url)).toBe(digest(PNG));
    expect(await fileOf(mirror, kept.lastFrameUrl)).toBe(digest(PNG));
    // The file stays as long as the task, which is 30 days.
    expect(video?.expiresAt).toBeGreaterThan(Date.now() / 1000 + 29 * 86_400);
    expect(await drafts()).toEqual([]);
    expect(asked).toHaveLength(3);
  });

  it("stay as they are where the settings do not want copies", async () => {
    const mirror = open({ kind: "none" });
    const result = { outputs: [{ url: `${vendor}/image`, expiresAt: 1 }] };
    expect(await mirror.keep("task-1", result, PATIENT_MS, undefined)).toEqual(result);
    expect(asked).toEqual([]);
  });

  it("that have no link of their own get one in any case", async () => {
    const mirror = open({ kind: "none" });
    const url = `data:image/png;base64,${PNG.toString("base64")}`;
    const kept = await mirror.keep("task-1", { outputs: [{ url }] }, PATIENT_MS, undefined);
    expect(await fileOf(mirror, kept.outputs[0]?.url)).toBe(digest(PNG));
  });

  it("are not fetched from a private address that egress_allow does not name", async () => {
    const mirror = open({ kind: "disk" }, { guarded: createSafeFetch({ allow: () => [] }) });
    const result = { outputs: [{ url: `${vendor}/image` }] };
    expect(await mirror.keep("task-1", result, PATIENT_MS, undefined)).toEqual(result);
    expect(asked).toEqual([]);
    expect(mirror.counts()).toEqual({ running: 0, failed: 1 });
  });

  it("are neither kept nor served where they are no images and no videos", async () => {
    const mirror = open({ kind: "disk" });
    serve = (_request, response) => {
      response.writeHead(200, { "content-type": "image/png" });
      response.end(`<html><script>alert(1)</script>${" ".repeat(1_000)}</html>`);
    };
    const result = { outputs: [{ url: `${vendor}/image` }, { url: "data:image/svg+xml;base64,PHN2Zz4=" }] };
    expect(await mirror.keep("task-1", result, PATIENT_MS, undefined)).toEqual(result);
    expect(asked).toHaveLength(1);
    expect(await readdir(join(dataDir, "media"))).toEqual(["drafts"]);
    expect(await drafts()).toEqual([]);
  });

  it("that broke off are fetched again, and never shown in part", async () => {
    const mirror = open({ kind: "disk" });
    serve = (_request, response) => {
      if (asked.length > 1) return void response.end(PNG);
      response.writeHead(200, { "content-length": PNG.length });
      response.write(PNG.subarray(0, 1_000), () => response.destroy());
    };
    const kept = await mirror.keep(
      "task-1",
      { outputs: [{ url: `${vendor}/image` }] },
      PATIENT_MS,
      undefined,
    );
    expect(asked).toHaveLength(2);
    expect(await fileOf(mirror, kept.outputs[0]?.url)).toBe(digest(PNG));
    expect(await drafts()).toEqual([]);
  });

  it("keep the vendor's link when the time is over, one of them without the others", async () => {
    const mirror = open({ kind: "disk" });
    serve = (request, response) => {
      if (request.url === "/slow") response.write(PNG.subarray(0, 1_000));
      else response.end(PNG);
    };
    const outputs = [{ url: `${vendor}/slow` }, { url: `${vendor}/image` }];
    const kept = await mirror.keep("task-1", { outputs }, 2_000, undefined);
    expect(kept.outputs[0]).toEqual(outputs[0]);
    expect(await fileOf(mirror, kept.outputs[1]?.url)).toBe(digest(PNG));
    expect(await drafts()).toEqual([]);
  });

  it("are copied a few at a time", async () => {
    const mirror = open({ kind: "disk" });
    const held: (() => void)[] = [];
    serve = (_request, response) => void held.push(() => response.end(PNG));
    const outputs = Array.from({ length: 20 }, (_, index) => ({ url: `${vendor}/${index}` }));
    const keeping = mirror.keep("task-1", { outputs }, PATIENT_MS, undefined);
    while (held.length < 8) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(mirror.counts().running).toBe(8);
    while (asked.length < 20 || held.length > 0) {
      held.shift()?.();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const kept = await keeping;
    expect(new Set(kept.outputs.map(({ url }) => url)).size).toBe(20);
  });

  it("are left to another process when this one ends, not to the vendor's link", async () => {
    const mirror = open({ kind: "disk" });
    serve = (_request, response) => void response.write(PNG.subarray(0, 1_000));
    const keeping = mirror.keep("task-1", { outputs: [{ url: `${vendor}/slow` }] }, PATIENT_MS, undefined);
    keeping.catch(() => undefined);
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await mirror.close();
    await expect(keeping).rejects.toThrow();
  });

  describe("in a bucket", () => {
    const bucket = async (prefix: string) => {
      const s3 = await startFakeS3();
      closings.push(() => s3.close());
      const place = { kind: "s3" as const, endpoint: s3.url, region: S3_REGION, bucket: S3_BUCKET, prefix };
      return { s3, place };
    };

    it("are put there signed, with their type, and read from there by range", async () => {
      const { s3, place } = await bucket("copies/of results/".replace(" ", "_"));
      const mirror = open(place, { s3Keys: S3_KEYS });
      const kept = await mirror.keep(
        "task-1",
        { outputs: [{ url: `${vendor}/video` }] },
        PATIENT_MS,
        undefined,
      );
      const [[key, object] = []] = [...s3.objects];
      expect(kept.outputs[0]?.url).toBe(`${PUBLIC}/media/${key?.slice("copies/of_results/".length)}`);
      expect(object?.type).toBe("video/mp4");
      expect(await fileOf(mirror, kept.outputs[0]?.url)).toBe(digest(MP4));
      expect(s3.asked.map(({ status }) => status)).not.toContain(403);
      expect(await drafts()).toEqual([]);
    });

    it("are put there again where the bucket fails, and only then", async () => {
      const { s3, place } = await bucket("");
      const mirror = open(place, { s3Keys: S3_KEYS });
      s3.refusals.push(503);
      const kept = await mirror.keep(
        "task-1",
        { outputs: [{ url: `${vendor}/image` }] },
        PATIENT_MS,
        undefined,
      );
      expect(await fileOf(mirror, kept.outputs[0]?.url)).toBe(digest(PNG));
    });

    it("keep the vendor's link where the bucket does not take our keys, or the environment has none", async () => {
      const { s3, place } = await bucket("");
      const result = { outputs: [{ url: `${vendor}/image` }] };
      for (const s3Keys of [{ ...S3_KEYS, secretKey: "wrong" }, undefined]) {
        expect(await open(place, { s3Keys }).keep("task-1", result, PATIENT_MS, undefined)).toEqual(result);
      }
      expect(s3.asked.filter(({ what }) => what.startsWith("PUT"))).toMatchObject([{ status: 403 }]);
      expect(s3.objects.size).toBe(0);
    });

    it("that a bucket refuses are told to the operator with the bucket's own word of why", async () => {
      const { place } = await bucket("");
      const told: unknown[] = [];
      const log = { ...silentLog, warn: (facts: object) => void told.push(facts) };
      const mirror = open(place, { s3Keys: { ...S3_KEYS, secretKey: "wrong" }, log });
      await mirror.keep("task-1", { outputs: [{ url: `${vendor}/image` }] }, PATIENT_MS, undefined);
      const message = "the bucket returned status 403 for PUT (SignatureDoesNotMatch)";
      expect(told).toContainEqual({ err: expect.objectContaining({ message }), task: "task-1" });
    });

    it("keep the vendor's link where nobody answers for the bucket", async () => {
      const { s3, place } = await bucket("");
      await s3.close();
      const mirror = open(place, { s3Keys: S3_KEYS });
      const result = { outputs: [{ url: `${vendor}/video` }] };
      expect(await mirror.keep("task-1", result, 1_500, undefined)).toEqual(result);
      expect(await drafts()).toEqual([]);
    });

    it("are found on the disk too, where they were copied to before", async () => {
      const { place } = await bucket("");
      const before = open({ kind: "disk" });
      const kept = await before.keep(
        "task-1",
        { outputs: [{ url: `${vendor}/image` }] },
        PATIENT_MS,
        undefined,
      );
      expect(await fileOf(open(place, { s3Keys: S3_KEYS }), kept.outputs[0]?.url)).toBe(digest(PNG));
    });
  });

  it("are written to the disk as they come, whole and named before anyone is told", async () => {
    const mirror = open({ kind: "disk" });
    const kept = await mirror.keep(
      "task-1",
      { outputs: [{ url: `${vendor}/image` }] },
      PATIENT_MS,
      undefined,
    );
    const path = kept.outputs[0]?.url.slice(`${PUBLIC}/media/`.length) ?? "";
    expect(digest(await readFile(join(dataDir, "media", path)))).toBe(digest(PNG));
  });
});

/** Unequal files are told apart at once, where comparing them byte by byte takes seconds. */
function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
