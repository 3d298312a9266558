import { createHash } from "node:crypto";
import { request as openRequest } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { withNoise } from "../support/noise.ts";
import { residentBytes } from "../support/proc.ts";
import { report } from "../support/report.ts";
import { TEXT_PROTOCOLS, type TextProtocol, wireForm } from "../support/text-caller.ts";
import { expectErrorForm } from "../support/text-errors.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { ask, type Reply } from "../support/world.ts";

const LIMIT_BYTES = 32 * 1024 * 1024;

describe("B2 and B3, bodies that are no good", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream();
    gateway = await startGateway({
      catalog: modelsFile({ models: ["text"], upstreams: [{ name: "vendor", url: vendor.url }] }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  const send = (protocol: TextProtocol, body: string | Buffer, headers = {}): Promise<Reply> =>
    ask(gateway.url, wireForm({ protocol, prompt: "" }).path, body, { headers });

  /** Refused in form, and nobody upstream has heard of it. */
  const refused = async (
    protocol: TextProtocol,
    body: string | Buffer,
    { status = 400, code = "invalid_request", headers = {} } = {},
  ): Promise<Reply> => {
    const before = vendor.calls.length;
    const reply = await send(protocol, body, headers);
    expect([protocol, reply.status, vendor.calls.length - before]).toEqual([protocol, status, 0]);
    expectErrorForm(protocol, reply.text, { status, code });
    return reply;
  };

  describe.each(TEXT_PROTOCOLS)("%s", (protocol) => {
    const whole = JSON.stringify(wireForm({ protocol, prompt: "Hello" }).body);
    const within = (member: string): string => `{${member},${whole.slice(1)}`;

    it("refuses what is no JSON object: empty, cut short, marked, or another type", async () => {
      for (const body of ["", " ", whole.slice(0, -1), whole.slice(0, 9), `${whole}x`, `\ufeff${whole}`]) {
        await refused(protocol, body);
      }
      for (const body of ["[]", `[${whole}]`, '"text"', "1", "true", "null", "<html>", "{'a':1}"]) {
        await refused(protocol, body);
      }
    });

    it("refuses a depth above 64 and takes 64", async () => {
      const nested = (levels: number): string => within(`"x":${"[".repeat(levels)}${"]".repeat(levels)}`);
      const objects = (levels: number): string =>
        within(`"x":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
      expect((await send(protocol, nested(63))).status).toBe(200);
      expect((await send(protocol, objects(63))).status).toBe(200);
      await refused(protocol, nested(64));
      await refused(protocol, objects(64));
      await refused(protocol, within(`"x":${"[".repeat(1_000_000)}`));
    });

    it("refuses bytes that are not UTF-8 wherever they stand", async () => {
      for (const hex of ["ff", "c080", "eda080", "f4908080", "e282"]) {
        const bad = Buffer.from(hex, "hex");
        await refused(
          protocol,
          Buffer.concat([Buffer.from('{"x":"'), bad, Buffer.from(`",${whole.slice(1)}`)]),
        );
        await refused(
          protocol,
          Buffer.concat([Buffer.from('{"'), bad, Buffer.from(`":1,${whole.slice(1)}`)]),
        );
      }
    });

    it("answers the next request as if a prototype had never been named", async () => {
      const plain = await send(protocol, whole);
      for (const key of ["__proto__", "constructor", "prototype", "\\u005f_proto__", "toString"]) {
        const poison = '{"prototype":{"stream":true},"stream":true,"model":"other","n":9,"max_tokens":1}';
        expect((await send(protocol, within(`"${key}":${poison}`))).status).toBe(200);
        expect((await send(protocol, within(`"x":{"${key}":${poison}}`))).status).toBe(200);
        const sent = vendor.calls.at(-1)?.body.toString();
        expect(sent).toBe(within(`"x":{"${key}":${poison}}`));
      }
      const again = await send(protocol, whole);
      expect([again.status, again.text]).toEqual([200, plain.text]);
      expect(vendor.calls.at(-1)?.body.toString()).toBe(whole);
    });
  });

  it("refuses a second top-level model in any spelling, before, after, equal or not", async () => {
    for (const protocol of ["chat-completions", "responses", "messages"] as const) {
      const whole = JSON.stringify(wireForm({ protocol, prompt: "Hello" }).body);
      for (const key of ["model", "mod\\u0065l", "\\u006d\\u006f\\u0064\\u0065\\u006c"]) {
        for (const value of ['"text"', '"dearer"', "null", "{}"]) {
          const first = await refused(protocol, `{"${key}":${value},${whole.slice(1)}`);
          expect(first.json.error.param).toBe("model");
          await refused(protocol, `${whole.slice(0, -1)},"${key}":${value}}`);
        }
      }
      const nested = `{"x":{"model":"a","model":"b"},${whole.slice(1)}`;
      expect((await send(protocol, nested)).status).toBe(200);
    }
  });

  it("takes gzip within the limit, refuses broken gzip, bombs and other codings", async () => {
    const whole = JSON.stringify(wireForm({ protocol: "messages", prompt: "Hello" }).body);
    const gzip = { headers: { "content-encoding": "gzip" } };
    expect((await send("messages", gzipSync(whole), gzip.headers)).status).toBe(200);
    expect(vendor.calls.at(-1)?.body.toString()).toBe(whole);
    await refused("messages", whole, gzip);
    await refused("messages", gzipSync(whole).subarray(0, 40), gzip);

    const pid = gateway.child.pid ?? 0;
    const bomb = gzipSync(Buffer.alloc(512 * 1024 * 1024, " "));
    const before = await residentBytes(pid);
    for (let round = 0; round < 3; round += 1) {
      await refused("messages", bomb, { ...gzip, status: 413, code: "request_too_large" });
    }
    const grownMb = ((await residentBytes(pid)) - before) / 1024 / 1024;
    report(
      `B2: three bombs of 512 MB in ${bomb.length} bytes made the gateway ${grownMb.toFixed(0)} MB larger`,
    );
    expect(grownMb).toBeLessThan(256);
    for (const coding of ["compress", "gzip, gzip"]) {
      await refused("messages", whole, {
        status: 415,
        code: "unsupported_media_type",
        headers: { "content-encoding": coding },
      });
    }
  });

  it("refuses more than 32 MB, said beforehand or not", async () => {
    for (const protocol of TEXT_PROTOCOLS) {
      const large = largeBody(protocol, LIMIT_BYTES + 1);
      await refused(protocol, large, { status: 413, code: "request_too_large" });
      const unannounced = await sendInChunks(protocol, large);
      expect(unannounced.status).toBe(413);
      expectErrorForm(protocol, unannounced.text, { status: 413, code: "request_too_large" });
    }
  });

  it("forwards 32 MB whole and byte for byte, while others are served", async () => {
    for (const protocol of TEXT_PROTOCOLS) {
      const large = largeBody(protocol, LIMIT_BYTES);
      const { result, noiseMs } = await withNoise(gateway.url, () => sendInChunks(protocol, large));
      report(`B2: while 32 MB passed over ${protocol} others waited at most ${noiseMs.toFixed(0)} ms`);
      expect([protocol, result.status]).toEqual([protocol, 200]);
      expect(sha256(vendor.calls.at(-1)?.body ?? Buffer.alloc(0))).toBe(sha256(large));
      // The promise of 5 ms is measured where the machine is ours; here only a standstill would show.
      expect(noiseMs).toBeLessThan(3_000);
    }
  });

  function sendInChunks(protocol: TextProtocol, body: Buffer): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const url = `${gateway.url}${wireForm({ protocol, prompt: "" }).path}`;
      const request = openRequest(
        url,
        { method: "POST", headers: { authorization: `Bearer ${TEST_KEY}` }, agent: false },
        (response) => {
          let text = "";
          response.on("data", (chunk: Buffer) => {
            text += chunk;
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
          response.on("error", reject);
        },
      );
      // A refusal closes the connection while we are still sending.
      request.on("error", () => undefined);
      for (let at = 0; at < body.length; at += 1024 * 1024)
        request.write(body.subarray(at, at + 1024 * 1024));
      request.end();
    });
  }
});

/** A valid body of exactly this size. */
function largeBody(protocol: TextProtocol, bytes: number): Buffer {
  const [before = "", after = ""] = JSON.stringify(wireForm({ protocol, prompt: "HERE" }).body).split("HERE");
  const room = bytes - Buffer.byteLength(before + after);
  return Buffer.concat([Buffer.from(before), Buffer.alloc(room, "lorem ipsum "), Buffer.from(after)]);
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
