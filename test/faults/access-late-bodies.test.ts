import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../support/embedded.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { TEXT_PROTOCOLS, wireForm } from "../support/text-caller.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

const LATE_KEY = "late-key-0123456789abcdef";

/** Longer than a body of a well-behaved caller stays behind its head. */
const LATE_MS = 2_000;

const REQUESTS = [
  ...TEXT_PROTOCOLS.map((protocol) => wireForm({ protocol, prompt: "Hello" })),
  { path: "/v1/images/generations", body: { model: "text", prompt: "Hello" } },
  { path: "/v1/videoa/asset/create", body: { url: "https://a.example/a.png", asset_type: "image" } },
];

describe("A4, a key that ends between the head of a request and its body", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream();
    gateway = await startGateway({
      catalog: modelsFile({
        models: ["text"],
        upstreams: [{ name: "vendor", url: vendor.url }],
        keys: [`{ name: test, key: ${TEST_KEY} }`, `{ name: late, key: ${LATE_KEY} }`],
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  /** Sends a head and half a body, and gives what sends the rest and reads the response. */
  async function begin({ path, body }: { path: string; body: object }): Promise<() => Promise<string>> {
    const { hostname, port } = new URL(gateway.url);
    const whole = JSON.stringify(body);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    const head = ["host: a", "connection: close", `authorization: Bearer ${LATE_KEY}`];
    socket.write(
      [`POST ${path} HTTP/1.1`, ...head, `content-length: ${whole.length}`, "", whole.slice(0, 9)].join(
        "\r\n",
      ),
    );
    return () => {
      socket.write(whole.slice(9));
      return text(socket);
    };
  }

  it("buys nothing any more on any endpoint, while one that lives may take its time", async () => {
    const alive = await Promise.all(REQUESTS.slice(0, 1).map(begin));
    await sleep(LATE_MS);
    expect((await Promise.all(alive.map((finish) => finish())))[0]).toMatch(/^HTTP\/1.1 200 /);

    const served = vendor.calls.length;
    const begun = await Promise.all(REQUESTS.map(begin));
    await sleep(LATE_MS);
    await runSql(gateway.database?.url ?? "", "update api_keys set disabled = true where name = 'late'");
    const isRefused = async (): Promise<boolean> =>
      (await ask(gateway.url, "/v1/models", undefined, { key: LATE_KEY })).status === 401;
    await waitFor("the key to be refused", isRefused);
    const responses = await Promise.all(begun.map((finish) => finish()));
    expect(responses.map((response) => response.split("\r\n", 1)[0])).toEqual(
      REQUESTS.map(() => "HTTP/1.1 401 Unauthorized"),
    );
    expect(vendor.calls.length).toBe(served);
  });
});
