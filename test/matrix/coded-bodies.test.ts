import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT, TEXT_ENDPOINTS, withQuery } from "../support/endpoints.ts";
import { rawAsk } from "../support/raw-ask.ts";
import { codeIn, KEYS, startWorld, type World } from "../support/world.ts";

const AUTHORIZED = [["authorization", `Bearer ${KEYS.main}`]] as const;

/** A frame of zstd with a window of 2 MB. */
const ZSTD_HEAD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58]);

/** One block as it is, the last. */
function zstdRaw(text: string | Buffer): Buffer {
  const size = Buffer.alloc(3);
  size.writeUIntLE((Buffer.byteLength(text) << 3) | 1, 0, 3);
  return Buffer.concat([ZSTD_HEAD, size, Buffer.from(text)]);
}

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const CODERS: readonly (readonly [coding: string, encode: (text: string | Buffer) => Buffer])[] = [
  ["gzip", (text) => gzipSync(text)],
  ["x-gzip", (text) => gzipSync(text)],
  ["br", (text) => brotliCompressSync(text, FAST)],
  ["deflate", (text) => deflateSync(text)],
  ["deflate", (text) => deflateRawSync(text)],
  ["zstd", zstdRaw],
];

describe("the body of a request", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  it("reads a body whatever its content type says, plain or compressed", async () => {
    const types = [
      "application/json",
      "text/plain",
      "application/x-www-form-urlencoded",
      "json",
      "",
      undefined,
    ];
    for (const { path, body = {}, name } of TEXT_ENDPOINTS) {
      const text = JSON.stringify(body);
      for (const type of types) {
        const headers = type === undefined ? [] : [["content-type", type] as const];
        for (const spelt of [path, withQuery(path, "beta=true")]) {
          const reply = await rawAsk(world.url, "POST", spelt, [...AUTHORIZED, ...headers], text);
          expect(reply.status, `${name} at ${spelt} as "${type}"`).toBe(200);
        }
      }
      for (const [coding, encode] of CODERS) {
        const coded = [...AUTHORIZED, ["content-encoding", coding] as const];
        expect((await rawAsk(world.url, "POST", path, coded, encode(text))).status, `${name} ${coding}`).toBe(
          200,
        );
      }
    }
    const identity = [...AUTHORIZED, ["content-encoding", "identity"] as const];
    expect((await rawAsk(world.url, "POST", CHAT.path, identity, JSON.stringify(CHAT.body))).status).toBe(
      200,
    );
  });

  it("refuses other codings with 415, broken bodies with 400 and bombs with 413", async () => {
    const send = (coding: string, body: Buffer) =>
      rawAsk(world.url, "POST", CHAT.path, [...AUTHORIZED, ["content-encoding", coding]], body);
    const text = Buffer.from(JSON.stringify(CHAT.body));
    for (const coding of ["compress", "gzip, gzip"]) {
      const { status, json, headers } = await send(coding, text);
      expect(headers["accept-encoding"]).toBe("gzip, br, deflate, zstd");
      expect([status, codeIn(json)], coding).toEqual([415, "unsupported_media_type"]);
    }
    const whole = Buffer.concat([Buffer.from('{"model":"text","messages":"'), Buffer.alloc(40e6, 97)]);
    for (const [coding, encode] of CODERS) {
      expect((await send(coding, text)).status, coding).toBe(400);
      expect((await send(coding, encode(text.toString()).subarray(0, 30))).status, coding).toBe(400);
      if (coding === "zstd") continue;
      const bomb = encode(whole);
      expect(bomb.length).toBeLessThan(100_000);
      const { status, json } = await send(coding, bomb);
      expect([status, codeIn(json)], coding).toEqual([413, "request_too_large"]);
    }
    // Blocks of one letter repeated, 128 KB each.
    const blocks = Buffer.concat(Array.from({ length: 400 }, () => Buffer.from([2, 0, 16, 97])));
    const { status, json } = await send("zstd", Buffer.concat([ZSTD_HEAD, blocks, Buffer.from([1, 0, 0])]));
    expect([status, codeIn(json)]).toEqual([413, "request_too_large"]);
  });

  it("answers every coding at once, whole or spoilt, on every kind of route, and keeps nothing", async () => {
    const routes = [
      { path: CHAT.path, body: CHAT.body, whole: 200 },
      { path: "/v1/images/generations", body: { model: "none", prompt: "A river" }, whole: 404 },
      { path: "/api/session", body: { email: "nobody@localhost", password: "no password" }, whole: 401 },
    ];
    const wrong: string[] = [];
    const asks = routes.flatMap(({ path, body, whole }) =>
      [["identity", (text: string) => Buffer.from(text)] as const, ...CODERS].flatMap(([coding, encode]) => {
        const coded = encode(JSON.stringify(body));
        const joins = /gzip|zstd/.test(coding);
        const spoilt: readonly (readonly [name: string, bytes: Buffer, status: number])[] = [
          ["exact", coded, whole],
          ["a byte behind", Buffer.concat([coded, Buffer.from("x")]), 400],
          ["a zero behind", Buffer.concat([coded, Buffer.alloc(1)]), 400],
          ["much behind", Buffer.concat([coded, Buffer.alloc(200_000, "x")]), 400],
          ["a second one", Buffer.concat([coded, encode(" ")]), joins || coding === "identity" ? whole : 400],
          ["cut", coded.subarray(0, -3), 400],
          ["empty", Buffer.alloc(0), 400],
          ["junk", Buffer.alloc(300, "junk"), 400],
        ];
        return spoilt.map(async ([name, bytes, status]) => {
          const json = ["content-type", "application/json"] as const;
          const headers = [...AUTHORIZED, json, ["content-encoding", coding] as const];
          const reply = await rawAsk(world.url, "POST", path, headers, bytes);
          // Who fails to sign in that often is told to wait.
          const answered = path === "/api/session" && reply.status === 429 ? whole : reply.status;
          if (answered !== status || reply.json === undefined) {
            wrong.push(`${path} ${coding} ${name}: ${reply.status} ${reply.text.slice(0, 100)}`);
          }
        });
      }),
    );
    await Promise.all(asks);
    expect(wrong).toEqual([]);
    const held = await world.ask("/metrics", undefined, { key: null });
    expect(held.text.match(/^faregate_body_memory_bytes.* \d+$/gm)).toEqual([
      'faregate_body_memory_bytes{pool="small"} 0',
      'faregate_body_memory_bytes{pool="large"} 0',
      // The window of the thread that decodes.
      `faregate_body_memory_bytes{pool="decoder"} ${16 * 1024 * 1024}`,
    ]);
  });
});
