import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const PRICE = "{ input: 3, output: 15, steps: [{ above: 200, input: 6, output: 22.5 }] }";
const WORDS = { short: "Hello", long: "lorem ipsum ".repeat(400) };

const PATHS = {
  "chat/completions": (text: string) => ({ messages: [{ role: "user", content: text }] }),
  responses: (text: string) => ({ input: text }),
  messages: (text: string) => ({ max_tokens: 100, messages: [{ role: "user", content: text }] }),
};

let sandbox: TestSandbox;
let gateway: TestGateway;

beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await startGateway({ catalog: catalogFile({ upstreams: [{ url: sandbox.url }], price: PRICE }) });
});

afterAll(async () => {
  await gateway?.clean();
  await sandbox?.stop();
});

describe.each(Object.keys(PATHS) as (keyof typeof PATHS)[])("a price with steps on %s", (path) => {
  it.each([false, true])(
    "is charged by the input of the answer and named on the receipt (stream: %s)",
    async (stream) => {
      const short = await charged(path, { ...PATHS[path](WORDS.short), stream });
      expect(short["row"]).toBeUndefined();
      expect(priceOf(short, "input_uncached")).toBe("3");

      const long = await charged(path, { ...PATHS[path](WORDS.long), stream });
      expect(long["row"]).toBe("above 200");
      expect([priceOf(long, "input_uncached"), priceOf(long, "output_visible")]).toEqual(["6", "22.5"]);
      const lines = long["lines"] as Line[];
      expect(lines.find(({ bucket }) => bucket === "input_uncached")?.tokens).toBeGreaterThan(200);
      const nanos = lines.reduce(
        (sum, { bucket, tokens }) => sum + tokens * (bucket.startsWith("output") ? 22_500 : 6_000),
        0,
      );
      expect(long["charge_nanos"]).toBe(String(nanos));
      expect(Number(long["charge_usd"])).toBeLessThanOrEqual(Number(long["hold_usd"]));
    },
  );
});

it("leaves books that agree", async () => {
  await cleanLedger(gateway);
});

interface Line {
  readonly bucket: string;
  readonly tokens: number;
  readonly usd_per_million_tokens: string;
}

function priceOf(receipt: Record<string, unknown>, bucket: string): string | undefined {
  return (receipt["lines"] as Line[]).find((line) => line.bucket === bucket)?.usd_per_million_tokens;
}

/** The receipt in the usage log, which is as the one that was there at once. */
async function charged(path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
  const response = await fetch(`${gateway.url}/v1/${path}`, {
    ...{ method: "POST", headers, body: JSON.stringify({ model: "text", ...body }) },
  });
  expect(response.status, await response.clone().text()).toBe(200);
  await response.text();
  const read = async (): Promise<Record<string, unknown>> => {
    const url = `${gateway.url}/v1/receipts/${response.headers.get("x-request-id")}`;
    return (await (await fetch(url, { headers })).json()) as Record<string, unknown>;
  };
  const first = await read();
  await waitFor("the request in the usage log", async () => (await read())["state"] === "posted");
  const posted = await read();
  expect({ ...first, state: "posted" }).toEqual(posted);
  return posted;
}
