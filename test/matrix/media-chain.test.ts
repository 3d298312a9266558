import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { ask } from "../support/world.ts";

const SECONDS = 9;
const PRICE = 0.11;

/** Gateways in the order of their start: the outer one asks the inner one; the careful one fetches nothing private. */
const [INNER, OUTER, CAREFUL] = [0, 1, 2];

/** Videos of open duration, made behind two gateways: the outer one knows the inner one's records alone. */
describe("a video of open duration", () => {
  let sandbox: TestSandbox;
  const gateways: TestGateway[] = [];
  beforeAll(async () => {
    sandbox = await startSandbox({ taskMs: 0 });
    const inner = await start("sandbox", sandbox.url, true);
    await start("gateway", inner.url, false);
    await start("sandbox", sandbox.url, false);
  });
  afterAll(async () => {
    for (const gateway of gateways) {
      await gateway.end();
      await gateway.clean();
    }
    await sandbox.stop();
  });

  const start = async (kind: string, url: string, mayFetch: boolean): Promise<TestGateway> => {
    const started = await startGateway({ catalog: catalog(kind, url, mayFetch) });
    gateways.push(started);
    return started;
  };
  /** What it cost at the gateway, and its record. */
  const made = async (place: number, order: object) => {
    const { url = "" } = gateways[place] ?? {};
    const { json } = await ask(url, "/v2/videos/generations", { ...order, duration: -1 }, { key: TEST_KEY });
    const path = `/v2/videos/generations/${json.id}?wait=30`;
    const { json: record } = await ask(url, path, undefined, { key: TEST_KEY });
    const { json: receipt } = await ask(url, `/v1/receipts/${json.id}`, undefined, { key: TEST_KEY });
    return { data: record.data, receipt };
  };

  it("may be the reference of the next one at a vendor in the same network", async () => {
    const { data } = await made(INNER, videob("seconds=2"));
    const next = { ...videob("seconds=2"), duration: 5, video_urls: data.result.videos[0].url };
    for (const { url } of gateways) {
      const path = "/v2/videos/generations?dry_run=1";
      expect((await ask(url, path, next, { key: TEST_KEY })).json.fail_reason).toBe("");
    }
  });

  it.each([
    ["its vendor states", "seconds=9"],
    ["its file has where the vendor states none", "seconds=9 usage=omit"],
  ])("is settled along a chain of gateways by the seconds %s", async (_, directive) => {
    for (const order of [videoa(directive), videob(directive)]) {
      for (const place of [INNER, OUTER]) {
        const { data, receipt } = await made(place, order);
        expect(data).toMatchObject({ duration: SECONDS });
        expect(JSON.stringify(receipt)).toContain("0.99");
        expect(receipt).toMatchObject({ estimated: false });
      }
    }
  });

  it("costs what was held, as an estimate, where its file may not be fetched either", async () => {
    const { data, receipt } = await made(CAREFUL, videob("seconds=9 usage=omit"));
    expect(data.duration).toBeUndefined();
    expect(receipt).toMatchObject({ estimated: true });
    expect(JSON.stringify(receipt)).toContain("3.3");
  });
});

function videoa(directive: string): object {
  const text = `A fox [[sandbox: ${directive}]]`;
  return { model: "videoa-2.0", content: [{ type: "text", text }], resolution: "720p" };
}

function videob(directive: string): object {
  return { model: "videob-3.0-video", prompt: `A fox [[sandbox: ${directive}]]`, resolution: "720P" };
}

function catalog(kind: string, url: string, mayFetch: boolean): string {
  const perSecond = `{ per_second: { 480p: 0.05, 720p: ${PRICE}, 1080p: 0.22 } }`;
  return `version: 1
models:
  - { id: videoa-2.0, family: videoa, price: ${perSecond} }
  - { id: videob-3.0-video, family: videob, price: ${perSecond} }
upstreams:
  - { name: vendor, kind: ${kind}, base_url: "${url}", api_key: ${TEST_KEY}, models: [videoa-2.0, videob-3.0-video] }
settings: { egress_allow: [${mayFetch ? '"127.0.0.0/8"' : ""}] }
accounts:
  - { name: acme, balance: 1000, keys: [{ name: main, key: ${TEST_KEY} }] }
`;
}
