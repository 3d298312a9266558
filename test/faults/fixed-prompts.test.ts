import { afterEach, beforeEach, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { serveWell, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";

let vendors: VendorUpstream[];
let gateway: TestGateway;
/** So many requests fail at the first upstream. */
let failures: number;

beforeEach(async () => {
  failures = 0;
  vendors = [
    await vendorUpstream((call) => {
      if (failures === 0) return serveWell(call);
      failures -= 1;
      call.response.writeHead(500).end("{}");
    }),
    await vendorUpstream(),
  ];
  const upstreams = vendors.map(({ url }, priority) => ({ name: `upstream-${priority}`, url, priority }));
  gateway = await startGateway({ catalog: modelsFile({ models: ["text"], upstreams }) });
});
afterEach(async () => {
  await gateway?.end();
  await gateway?.clean();
  for (const vendor of vendors) await vendor.close();
});

const USER = { role: "user", content: "Name the lighthouse." };
const ASSISTANT = { role: "assistant", content: "Pharos." };

/** The number of the upstream that answered. */
async function answeredBy(...messages: readonly object[]): Promise<number> {
  const before = vendors.map(({ calls }) => calls.length);
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "text", messages }),
  });
  expect(response.status, await response.text()).toBe(200);
  return vendors[1]?.calls.length === before[1] ? 0 : 1;
}

it.each([
  ["alone", [USER]],
  ["with examples of answers", [USER, ASSISTANT, { role: "user", content: "And the tower?" }]],
])("goes back to its own place after a failure there: a fixed prompt %s", async (_, prompt) => {
  expect(await answeredBy(...prompt)).toBe(0);
  failures = 1;
  expect(await answeredBy(...prompt)).toBe(1);
  // The next run, unless a crowded machine has let an attempt fail meanwhile.
  await waitFor("its own place to answer", async () => (await answeredBy(...prompt)) === 0);
});

it("leaves a conversation that goes on where it was answered last, and takes a new one of the same first words back", async () => {
  failures = 1;
  const turns = [USER];
  for (let turn = 0; turn < 4; turn += 1) {
    expect(await answeredBy(...turns)).toBe(1);
    turns.push(ASSISTANT, USER);
  }
  expect(await answeredBy(USER)).toBe(0);
  expect(await answeredBy(USER, ASSISTANT, USER)).toBe(0);
});
