import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, imageBody, imageTask, submit } from "../testing/media-orders.ts";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

describe("files of the sandbox", () => {
  let sandbox: StartedSandbox;
  let link: string;
  let whole: Buffer;
  let etag: string;
  beforeAll(async () => {
    sandbox = await startSandbox({ taskMs: 0 });
    link = await linkOf("A fox");
    const file = await get(sandbox, link);
    whole = file.bytes;
    etag = file.headers.get("etag") ?? "";
  });
  afterAll(() => sandbox.close());

  async function linkOf(prompt: string): Promise<string> {
    const id = await submit(sandbox, imageBody({ prompt, size: "64x64" }));
    return (await get(sandbox, imageTask(id))).json.data[0].url;
  }

  it.each<[string, (length: number) => [start: number, end: number]]>([
    ["bytes=0-0", () => [0, 0]],
    ["bytes=10-19", () => [10, 19]],
    ["bytes=5-", (length) => [5, length - 1]],
    ["bytes=-7", (length) => [length - 7, length - 1]],
    ["bytes=3-99999999", (length) => [3, length - 1]],
    ["bytes=-99999999", (length) => [0, length - 1]],
  ])("gives the part a range asks for: %s", async (range, expected) => {
    const [start, end] = expected(whole.length);
    const { status, headers, bytes } = await get(sandbox, link, { range });
    expect([status, headers.get("content-range")]).toEqual([206, `bytes ${start}-${end}/${whole.length}`]);
    expect(bytes.equals(whole.subarray(start, end + 1))).toBe(true);
  });

  it.each(["bytes=99999999-", "bytes=-0"])("answers 416 for a range outside the file: %s", async (range) => {
    const { status, headers, bytes } = await get(sandbox, link, { range });
    expect([status, headers.get("content-range"), bytes.length]).toEqual([416, `bytes */${whole.length}`, 0]);
  });

  it.each(["bytes=9-3", "bytes=0-1,5-6", "bytes=-", "pages=1-2"])(
    "gives the whole file for a range that says nothing it can follow: %s",
    async (range) => {
      const { status, bytes } = await get(sandbox, link, { range });
      expect([status, bytes.equals(whole)]).toEqual([200, true]);
    },
  );

  it("goes on with a download only of the same file, and says when nothing has changed", async () => {
    const range = "bytes=10-19";
    expect((await get(sandbox, link, { range, "if-range": etag })).status).toBe(206);
    expect((await get(sandbox, link, { range, "if-range": '"other"' })).status).toBe(200);
    expect((await get(sandbox, link, { "if-none-match": `"x", ${etag}` })).status).toBe(304);
    expect((await get(sandbox, link, { "if-none-match": '"x"' })).status).toBe(200);
  });

  it("answers HEAD with the length and no body", async () => {
    const { status, headers, bytes } = await get(sandbox, link, {}, "HEAD");
    expect([status, Number(headers.get("content-length")), bytes.length]).toEqual([200, whole.length, 0]);
    expect([headers.get("accept-ranges"), headers.get("etag")]).toEqual(["bytes", etag]);
  });

  it("needs no credential, but a signature that fits", async () => {
    const forged = link.replace(/signature=./, (found) =>
      found.endsWith("0") ? "signature=1" : "signature=0",
    );
    const longer = link.replace(/expires=\d+/, "expires=99999999999");
    const bare = link.slice(0, link.indexOf("?"));
    for (const target of [forged, longer, bare]) {
      const { status, json } = await get(sandbox, target);
      expect([status, json.error.code]).toEqual([403, "invalid_signature"]);
    }
  });

  it("lets a link expire when it says", async () => {
    const brief = await linkOf("A fox [[sandbox: expires=30]]");
    expect((await get(sandbox, brief)).status).toBe(200);
    await sandbox.post("/_sandbox/clock", { advance_ms: 31_000 });
    expect((await get(sandbox, brief)).json.error.code).toBe("link_expired");
    await sandbox.post("/_sandbox/clock", { advance_ms: -31_000 });
  });

  it("fails the fetches in turn as it is told, then gives the file", async () => {
    const faulty = await linkOf('A fox [[sandbox: files="503,half,garbage,cut"]]');
    const fetched: (number | string)[] = [];
    for (let index = 0; index < 5; index += 1) {
      const response = await get(sandbox, faulty).catch(() => undefined);
      fetched.push(
        response === undefined ? "broken" : response.status === 200 ? response.bytes.length : response.status,
      );
    }
    expect(fetched).toEqual([503, "broken", 27, "broken", expect.any(Number)]);
    expect(fetched.at(-1)).toBeGreaterThan(100);
  });
});
