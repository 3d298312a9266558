import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SafeFetch } from "../../base/fetch/safe-fetch.ts";
import { createDurationReader } from "./video-duration.ts";

describe("the length of a video", () => {
  it.each([
    ["at the beginning of the file", [ftyp(), moov(12_345, 1_000), box("mdat", Buffer.alloc(500_000))]],
    ["at its end", [ftyp(), box("mdat", Buffer.alloc(500_000)), moov(12_345, 1_000)]],
    ["behind a box of 64-bit size", [ftyp(), wideBox("mdat", Buffer.alloc(70_000)), moov(12_345, 1_000)]],
    ["in 64 bits", [ftyp(), moov(12_345, 1_000, true)]],
  ])("is read off its header %s", async (_, boxes) => {
    expect(await probe(Buffer.concat(boxes))).toBe(12.345);
  });

  it.each([
    ["is no video", Buffer.from("not a video at all, however long its words may be")],
    ["is empty", Buffer.alloc(0)],
    ["has no header", Buffer.concat([ftyp(), box("mdat", Buffer.alloc(100))])],
    ["says no length", Buffer.concat([ftyp(), moov(0, 1_000)])],
  ])("is unknown where the file %s", async (_, file) => {
    expect(await probe(file)).toBeUndefined();
  });

  it("is unknown where the file cannot be fetched, and where its server knows no ranges", async () => {
    const failing = createDurationReader({ read: () => Promise.reject(new Error("gone")) }, () => undefined);
    expect(await failing("http://v.test/1", undefined)).toBeUndefined();
    const file = Buffer.concat([ftyp(), box("mdat", Buffer.alloc(500_000)), moov(5, 1)]);
    expect(await probe(file, 200)).toBeUndefined();
  });

  it("is read by the way on which files of their upstream are fetched", async () => {
    const through = () => Promise.reject(new Error("never opened here"));
    const ways: unknown[] = [];
    const read: SafeFetch["read"] = (_url, wish) => {
      ways.push(wish.through);
      return Promise.reject(new Error("gone"));
    };
    const probe = createDurationReader({ read }, (upstreamId) => (upstreamId === 7n ? through : undefined));
    await probe("http://v.test/1", 7n);
    await probe("http://v.test/1", 8n);
    expect(ways).toEqual([through, undefined]);
  });

  it("is read or not, but never with an error, from any bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const seconds = await probe(Buffer.concat([ftyp(), Buffer.from(bytes)]));
        expect(seconds === undefined || seconds > 0).toBe(true);
      }),
    );
  });
});

function probe(file: Buffer, status: 200 | 206 = 206): Promise<number | undefined> {
  const read: SafeFetch["read"] = (_url, { range = { first: 0, last: file.length } }) =>
    Promise.resolve({
      status,
      headers: {},
      finalUrl: "",
      bytes: status === 206 ? file.subarray(range.first, range.last + 1) : file.subarray(0, range.last + 1),
    });
  return createDurationReader({ read }, () => undefined)("http://v.test/1", undefined);
}

function box(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.length, 0);
  header.write(type, 4, "latin1");
  return Buffer.concat([header, content]);
}

function wideBox(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(1, 0);
  header.write(type, 4, "latin1");
  header.writeBigUInt64BE(BigInt(16 + content.length), 8);
  return Buffer.concat([header, content]);
}

function ftyp(): Buffer {
  return box("ftyp", Buffer.from("isom0000isom"));
}

function moov(duration: number, scale: number, long = false): Buffer {
  const header = Buffer.alloc(112);
  header[0] = long ? 1 : 0;
  header.writeUInt32BE(scale, long ? 20 : 12);
  if (long) header.writeBigUInt64BE(BigInt(duration), 24);
  else header.writeUInt32BE(duration, 16);
  return box("moov", box("mvhd", header));
}
