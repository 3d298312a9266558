import { afterAll, beforeAll, expect, it } from "vitest";
import { TEST_KEY } from "../support/gateway.ts";
import { type Gateways, startGateways } from "../support/gateways.ts";
import {
  answerWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { ask } from "../support/world.ts";

const CONVERSATIONS = 200;
const TURNS = 12;
const AT_ONCE = 12;

/** The key that is out of service now. */
let away: string | undefined;
const placed = new Map<string, string>();
let vendors: readonly VendorUpstream[];
let gateways: Gateways;

const keyOf = ({ request }: VendorCall): string =>
  String(request.headers.authorization).replace("Bearer ", "");

beforeAll(async () => {
  vendors = await Promise.all(
    [1, 2].map(() =>
      vendorUpstream((call) => {
        const conversation = /conversation-\d+/.exec(call.body.toString())?.[0] ?? "";
        if (keyOf(call) === away) {
          call.response.writeHead(429, { "content-type": "application/json", "retry-after": "60" });
          call.response.end('{"error":{"message":"Rate limit reached.","type":"rate_limit_error"}}');
          return;
        }
        placed.set(conversation, keyOf(call));
        answerWell(call);
      }),
    ),
  );
  gateways = await startGateways(2, {
    catalog: `version: 1
models:
  - { id: text, context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 } }
upstreams:
${vendors
  .map(
    ({ url }, index) => `  - name: vendor-${index}
    kind: openai-compatible
    base_url: ${url}/v1
    api_keys: [key-${index}-a-at-the-vendor, key-${index}-b-at-the-vendor]
    models: [text]`,
  )
  .join("\n")}
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: ${TEST_KEY} }] }
`,
  });
});
afterAll(async () => {
  await gateways?.clean();
  await Promise.all(vendors?.map((vendor) => vendor.close()) ?? []);
});

/** One turn of every conversation, each with one of the processes; gives where each was answered. */
async function turn(number: number): Promise<Map<string, string>> {
  for (let first = 0; first < CONVERSATIONS; first += AT_ONCE) {
    const asked = Array.from({ length: Math.min(AT_ONCE, CONVERSATIONS - first) }, async (_, index) => {
      const url = gateways.urls[(first + index + number) % gateways.urls.length] ?? "";
      const history = Array.from({ length: number }, (_, turn) => [
        { role: "assistant", content: `answer ${turn}` },
        { role: "user", content: `and ${turn}?` },
      ]).flat();
      const messages = [{ role: "user", content: `Hello from conversation-${first + index}` }, ...history];
      const reply = await ask(url, "/v1/chat/completions", { model: "text", messages }, { key: TEST_KEY });
      expect(reply.status, reply.text).toBe(200);
    });
    await Promise.all(asked);
  }
  return new Map(placed);
}

it("keeps every conversation at one credential in all processes, and moves only those whose credential is away", async () => {
  const began = await turn(0);
  expect(new Set(began.values()).size).toBe(4);
  for (let number = 1; number < TURNS; number += 1) expect(await turn(number)).toEqual(began);

  away = "key-0-a-at-the-vendor";
  const after = await turn(TURNS);
  for (const [conversation, key] of began) {
    if (key === away) expect(after.get(conversation)).not.toBe(key);
    else expect(after.get(conversation), conversation).toBe(key);
  }
});
