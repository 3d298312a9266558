import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { openDashboardWorld } from "../support/dashboard-world.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type ScriptedUpstream, scriptedUpstream } from "../support/scripted-upstream.ts";
import { TEXT_PROTOCOLS, type TextProtocol, wireForm } from "../support/text-caller.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";

const KEY = "tagged-key-0123456789abcdef";

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let operator: SignedIn;
let account: string;

beforeAll(async () => {
  upstream = await scriptedUpstream(({ socket }) => {
    const text = VENDOR_WIRES["chat-completions"].plain("text");
    const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json";
    socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  });
  gateway = await startGateway({
    catalog: catalogFile({
      upstreams: [{ url: upstream.url, protocols: ["chat-completions"] }],
      more: `  - name: tagged
    balance: 10
    tag_keys: [team, env, end_user]
    keys: [{ name: app, key: ${KEY} }]
`,
    }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  operator = await signIn(gateway);
  const { body } = await operator.get("/operator/accounts?search=tagged");
  account = body.data[0].id;
});
afterAll(async () => {
  await gateway?.clean();
  await upstream?.close();
});

interface Told {
  readonly status: number;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a body in any form
  readonly body: any;
}

async function ask(
  tags: string | undefined,
  {
    protocol = "chat-completions",
    more = {},
    key = KEY,
  }: { protocol?: TextProtocol; more?: object; key?: string } = {},
): Promise<Told> {
  const { path, body } = wireForm({ protocol, prompt: "Hello" });
  const headers: Record<string, string> = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
  };
  if (tags !== undefined) headers["x-faregate-tags"] = tags;
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers,
    body: JSON.stringify({ ...body, ...more }),
  });
  const id = response.headers.get("x-request-id") ?? "";
  return { status: response.status, id, body: await response.json() };
}

/** A request's row in the log of its account, once it is posted. */
function logged(id: string) {
  return waitFor(`request ${id} in the log`, async () => {
    const { body } = await operator.get(`/accounts/${account}/requests?request=${id}`);
    return body.data[0];
  });
}

describe("tags of requests", () => {
  it("are in the receipt at once, in the log once, and sent to no vendor", async () => {
    const { status, id } = await ask("team=search, env=prod");
    expect(status).toBe(200);
    const receipt = await fetch(`${gateway.url}/v1/receipts/${id}`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(await receipt.json()).toMatchObject({ request_id: id, tags: ["env=prod", "team=search"] });
    expect((await logged(id)).tags).toEqual(["env=prod", "team=search"]);
    const sent = upstream.requests.flatMap(({ headers, body }) => [...headers.flat(), body.toString()]);
    expect(sent.filter((text) => /x-faregate-tags|team=search/.test(text))).toEqual([]);
    for (const list of [`/accounts/${account}/requests`, "/operator/requests"]) {
      const found = async (tag: string) => (await operator.get(`${list}?tag=${tag}`)).body.data;
      expect((await found("team%3Dsearch")).map((row: { request_id: string }) => row.request_id)).toEqual([
        id,
      ]);
      expect(await found("team%3Dnobody")).toEqual([]);
    }
  });

  it.each(TEXT_PROTOCOLS)(
    "are refused with 400 that names the fault, before the vendor is asked: %s",
    async (protocol) => {
      const before = upstream.requests.length;
      for (const [tags, fault] of [
        ["project=x", "does not allow the key"],
        ["team", "has no value"],
        ["team=a b", "the value of"],
      ] as const) {
        const { status, body } = await ask(tags, { protocol });
        expect(status).toBe(400);
        expect(JSON.stringify(body)).toContain("x-faregate-tags: ");
        expect(JSON.stringify(body)).toContain(fault);
      }
      expect((await ask("team=a", { key: TEST_KEY })).status).toBe(400);
      expect(upstream.requests.length).toBe(before);
    },
  );

  it("have sums with what is left, for the account and for operators, equal to all that was charged", async () => {
    const asked = await Promise.all(
      ["team=red", "team=red", "team=blue", undefined].map((tags) => ask(tags)),
    );
    for (const { id } of asked) await logged(id);
    const own = (await operator.get(`/accounts/${account}/spending?by=tag&tag_key=team`)).body;
    const all = (await operator.get(`/operator/spending?by=tag&tag_key=team&account=${account}`)).body;
    const counts = (groups: readonly { id: string; requests: number }[]) =>
      Object.fromEntries(groups.map(({ id, requests }) => [id, requests]));
    expect(counts(all.data)).toMatchObject({ red: 2, blue: 1, "(none)": expect.any(Number) });
    expect(counts(own.groups)).toEqual(counts(all.data));
    expect(own.totals.charge_nanos).toBe(all.totals.charge_nanos);
    const sum = all.data.reduce(
      (total: bigint, row: { charge_nanos: string }) => total + BigInt(row.charge_nanos),
      0n,
    );
    expect(String(sum)).toBe(all.totals.charge_nanos);
    const { body } = await operator.get("/operator/spending?by=account&tag=team%3Dred");
    expect(body.data.map((row: { id: string; requests: number }) => [row.id, row.requests])).toEqual([
      [account, 2],
    ]);
  });

  it("can be set by an operator, and hold for the next request", async () => {
    const keys = (tag_keys: string[]) => operator.patch(`/operator/accounts/${account}`, { tag_keys });
    expect((await keys(["Team"])).status).toBe(400);
    expect((await keys(["team", "end_user"])).body.tag_keys).toEqual(["team", "end_user"]);
    expect((await ask("env=prod")).status).toBe(400);
    expect((await keys(["team", "env", "end_user"])).status).toBe(200);
    expect((await ask("env=prod")).status).toBe(200);
  });
});

describe("the end user that a request names", () => {
  it.each([
    ["chat-completions", { user: "u-chat" }, "u-chat"],
    ["chat-completions", { safety_identifier: "u-safe" }, "u-safe"],
    ["responses", { user: "u-responses" }, "u-responses"],
    ["messages", { metadata: { user_id: 'u "m", 1' } }, 'u "m", 1'],
  ] as const)("is a tag of it where the account counts end users: %s %j", async (protocol, more, user) => {
    const { status, id } = await ask("team=users", { protocol, more });
    expect(status).toBe(200);
    expect((await logged(id)).tags).toEqual([`end_user=${user}`, "team=users"]);
    const { body } = await operator.get(
      `/operator/spending?by=account&tag=${encodeURIComponent(`end_user=${user}`)}`,
    );
    expect(body.totals.requests).toBe(1);
  });
});

describe("tags of tasks", () => {
  it("are in the log with the task's charge, and in its sums", async () => {
    const world = await openDashboardWorld();
    try {
      const { operator, values } = world;
      const id = values["account"];
      expect((await operator.patch(`/operator/accounts/${id}`, { tag_keys: ["team"] })).status).toBe(200);
      const submit = (tags: string) =>
        fetch(`${world.gateway.url}/v1/images/generations`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${world.key}`,
            "content-type": "application/json",
            "x-faregate-tags": tags,
          },
          body: JSON.stringify({ model: "imagegen-2", prompt: "A lighthouse" }),
        });
      expect((await submit("env=prod")).status).toBe(400);
      expect((await submit("team=images")).status).toBe(200);
      const row = await waitFor("the task's row in the log", async () => {
        const { body } = await operator.get(`/accounts/${id}/requests?tag=team%3Dimages`);
        return body.data[0];
      });
      expect(row).toMatchObject({ model: "imagegen-2", tags: ["team=images"] });
      const { totals } = (await operator.get("/operator/spending?tag=team%3Dimages")).body;
      // Nobody knows what an image's vendor bills: it is in no margin.
      expect(totals).toMatchObject({
        requests: 1,
        charge_nanos: row.charge_nanos,
        margin_nanos: "0",
        unknown_costs: 1,
      });
      expect(totals.unknown_charge_nanos).toBe(row.charge_nanos);
    } finally {
      await world.close();
    }
  });
});
