import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { complaints } from "../support/complaints.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { type Endpoint, KEYED_ENDPOINTS } from "../support/endpoints.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { rawAsk } from "../support/raw-ask.ts";
import { waitFor } from "../support/wait.ts";
import { codeIn } from "../support/world.ts";

/** From where a key may be used. This machine is the trusted proxy, so that a test comes from any address. */

const FILED = "sk-filed-with-its-own-network";
let gateway: TestGateway;
let operator: SignedIn;
let alpha = "";

beforeAll(async () => {
  gateway = await startGateway({
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    catalog: `version: 1
models:
  - { id: small, endpoints: [oa], context_tokens: 1000, max_output_tokens: 100, price: { input: 3, output: 15 } }
settings: { trusted_proxies: [127.0.0.1, "::1"] }
accounts:
  - name: alpha
    balance: 10
    keys:
      - { name: anywhere, key: ${TEST_KEY} }
      - { name: filed, key: ${FILED}, allowed_addresses: [192.0.2.0/24, "2001:db8::/32"] }
`,
  });
  operator = await signIn(gateway);
  alpha = operator.session.accounts[0]?.id ?? "";
});
afterAll(() => gateway?.clean());

const ask = (key: string, address: string, endpoint: Pick<Endpoint, "method" | "path" | "body"> = MODELS) =>
  rawAsk(
    gateway.url,
    endpoint.method,
    endpoint.path,
    [
      ["authorization", `Bearer ${key}`],
      ["x-forwarded-for", address],
    ],
    endpoint.body === undefined ? undefined : JSON.stringify(endpoint.body),
  );
const MODELS = { method: "GET", path: "/v1/models" } as const;

const statuses = (key: string, addresses: readonly string[]) =>
  Promise.all(addresses.map(async (address) => (await ask(key, address)).status));

async function makeKey(ranges: readonly string[] | null): Promise<{ id: string; secret: string }> {
  const { body } = await operator.post(`/accounts/${alpha}/keys`, { allowed_addresses: ranges });
  return { id: body.key.id, secret: body.secret };
}

describe("a key with allowed addresses", () => {
  it("works from these and no others, however they are spelt, and without such a list from all", async () => {
    const inside = ["192.0.2.1", "::ffff:192.0.2.255", "2001:db8:1::1"];
    const outside = ["192.0.3.1", "::ffff:10.0.0.1", "2001:db9::1"];
    expect(await statuses(FILED, inside)).toEqual([200, 200, 200]);
    expect(await statuses(FILED, outside)).toEqual([403, 403, 403]);
    expect(await statuses(TEST_KEY, [...inside, ...outside])).toEqual(Array(6).fill(200));
  });

  it.each(KEYED_ENDPOINTS.map((endpoint) => [endpoint.name, endpoint] as const))(
    "is refused on %s in the form of its protocol, with the address that was seen",
    async (_, endpoint) => {
      const reply = await ask(FILED, "198.51.100.9", endpoint);
      expect(reply.status).toBe(403);
      expect(reply.json.error.message).toContain("198.51.100.9");
      expect(codeIn(reply.json)).toBe("address_not_allowed");
      expect(reply.headers["x-should-retry"]).toBe("false");
    },
  );

  it("is in the log of refused requests, under its account", async () => {
    const { headers } = await ask(FILED, "198.51.100.10", MODELS);
    const id = String(headers["x-request-id"]);
    const logged = await waitFor("the refusal in the log", async () => {
      const { body } = await operator.get(`/operator/requests?id=${id}`);
      return body.data[0];
    });
    expect(logged).toMatchObject({
      status: 403,
      error_code: "address_not_allowed",
      account: { name: "alpha" },
    });
  });

  it("takes a new list at once, in the console and in every process", async () => {
    const { id, secret } = await makeKey(["192.0.2.1"]);
    expect(await statuses(secret, ["192.0.2.1", "192.0.2.2"])).toEqual([200, 403]);
    const path = `/accounts/${alpha}/keys/${id}`;
    const changed = await operator.patch(path, { allowed_addresses: ["192.0.2.2/32"] });
    expect(changed.body.allowed_addresses).toEqual(["192.0.2.2/32"]);
    expect(await statuses(secret, ["192.0.2.1", "192.0.2.2"])).toEqual([403, 200]);
    expect((await operator.patch(path, { name: "renamed" })).body.allowed_addresses).toEqual([
      "192.0.2.2/32",
    ]);
    await operator.patch(path, { allowed_addresses: null });
    expect(await statuses(secret, ["192.0.2.1", "198.51.100.1"])).toEqual([200, 200]);
    const { body } = await operator.get(`/accounts/${alpha}/audit?limit=1`);
    expect(body.data[0]).toMatchObject({
      action: "key.update",
      before: { allowed_addresses: ["192.0.2.2/32"] },
      after: { allowed_addresses: null },
    });
  });

  it.each([
    [["192.0.2.1", "192.0.2.0/33"], '"192.0.2.0/33"'],
    [["everywhere"], '"everywhere"'],
    [[], "must name an address"],
    [Array(101).fill("192.0.2.1"), "100"],
  ])("is not saved with %j", async (ranges, words) => {
    const { status, body } = await operator.post(`/accounts/${alpha}/keys`, { allowed_addresses: ranges });
    expect([status, body.error.param]).toEqual([400, "allowed_addresses"]);
    expect(body.error.message).toContain(words);
  });

  it("is made, listed and exported by commands", async () => {
    const of = ["--account", "alpha", "--name", "by-command"];
    const made = await gateway.run("keys", "create", ...of, "--addresses", "192.0.2.0/28, ::1", "--json");
    expect([made.code, complaints(made)]).toEqual([0, []]);
    const { key } = JSON.parse(made.stdout);
    expect(await statuses(key, ["192.0.2.15", "192.0.2.16"])).toEqual([200, 403]);
    const listed = await gateway.run("keys", "list", "--account", "alpha", "--json");
    expect(JSON.parse(listed.stdout).keys).toContainEqual(
      expect.objectContaining({ name: "by-command", allowed_addresses: ["192.0.2.0/28", "::1"] }),
    );
    expect((await gateway.run("export")).stdout).toMatch(
      /name: filed\n\s+allowed_addresses: \[192\.0\.2\.0\/24, 2001:db8::\/32\]/,
    );
    const slip = await gateway.run("keys", "create", "--account", "alpha", "--addresses", "10.0.0.0/8,here");
    expect([slip.code, slip.stderr]).toEqual([2, expect.stringContaining('"here" is neither an address')]);
  });
});
