import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Upstream } from "../../src/console/upstreams/contract.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, type ConsoleResponse, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

let vendor: VendorUpstream;
let gateway: TestGateway;
let ann: SignedIn;
let ben: SignedIn;

beforeAll(async () => {
  vendor = await vendorUpstream();
  gateway = await startGateway({
    catalog: catalogFile({
      upstreams: [{ url: vendor.url, name: "first", apiKeys: ["secret-of-the-first-upstream"] }],
      settings: "{ usage_retention_days: 60 }",
    }),
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  ann = await signIn(gateway);
  ben = await signIn(gateway);
});

afterAll(async () => {
  await gateway?.clean();
  await vendor?.close();
});

type Record_ = Readonly<Record<string, unknown>> & { readonly revision: string };

/** A record that a write replaces as a whole. */
interface Replaced {
  readonly method: "PUT" | "PATCH";
  readonly path: string;
  /** Where it is read, if not at its own path. */
  readonly read: () => Promise<Record_>;
  /** What replaces it: the same but for one thing, which the number says. */
  readonly body: (record: Record_, number: number) => Readonly<Record<string, unknown>>;
  /** That one thing. */
  readonly changed: (record: Record_) => number;
}

async function readAt(path: string): Promise<Record_> {
  const { status, body, headers } = await ann.get(path);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(headers["etag"]).toBe(`"${body.revision}"`);
  return body as Record_;
}

async function readIn(path: string, name: string): Promise<Record_> {
  const { data } = (await ann.get(path)).body as { data: (Record_ & { name: string })[] };
  return data.find((each) => each.name === name) as Record_;
}

/** Every record of the console that a form replaces. */
const RECORDS: Readonly<Record<string, () => Promise<Replaced>>> = {
  async upstream() {
    const { id } = (await readIn("/operator/upstreams", "first")) as unknown as Upstream;
    const path = `/operator/upstreams/${id}`;
    return {
      method: "PUT",
      path,
      read: () => readAt(path),
      body: ({ kind, base_url, models }, priority) => ({ kind, base_url, models, priority }),
      changed: ({ priority }) => Number(priority),
    };
  },
  async model() {
    const path = "/operator/models/text";
    return {
      method: "PUT",
      path,
      read: () => readAt(path),
      body: ({ price, endpoints, max_output_tokens }, context_tokens) => ({
        price,
        endpoints,
        max_output_tokens,
        context_tokens,
      }),
      changed: ({ context_tokens }) => Number(context_tokens),
    };
  },
  async settings() {
    const path = "/operator/settings";
    return {
      method: "PUT",
      path,
      read: () => readAt(path),
      body: ({ overrides }, days) => ({
        overrides: { ...(overrides as object), usage_retention_days: days },
      }),
      changed: ({ overrides }) => (overrides as { usage_retention_days: number }).usage_retention_days,
    };
  },
  async "balance alert"() {
    const path = `/accounts/${ann.session.accounts[0]?.id}/balance-alert`;
    return {
      method: "PUT",
      path,
      read: () => readAt(path),
      body: (_, dollars) => ({ amount_usd: String(dollars), url: "https://told.example/" }),
      changed: ({ alert }) => Number((alert as { threshold_nanos: string }).threshold_nanos) / 1e9,
    };
  },
  async budget() {
    const budgets = `/accounts/${ann.session.accounts[0]?.id}/budgets`;
    const order = { name: "shared", amount_usd: "1", period: "week", hard: true };
    const path = `${budgets}/${(await ann.post(budgets, order)).body.id}`;
    return {
      method: "PATCH",
      path,
      read: () => readAt(path),
      body: (_, dollars) => ({ amount_usd: String(dollars) }),
      changed: ({ amount_usd }) => Number(amount_usd),
    };
  },
  async key() {
    const keys = `/accounts/${ann.session.accounts[0]?.id}/keys`;
    const { key } = (await ann.post(keys, { name: "shared" })).body;
    const path = `${keys}/${key.id}`;
    return {
      method: "PATCH",
      path,
      read: () => readAt(path),
      body: (_, concurrency) => ({ rate_limits: { concurrency }, models: ["text"] }),
      changed: ({ rate_limits }) => Number((rate_limits as { concurrency: number }).concurrency),
    };
  },
  async group() {
    expect((await ann.post("/operator/groups", { name: "partners", factor: "1" })).status).toBe(201);
    return {
      method: "PATCH",
      path: "/operator/groups/partners",
      read: () => readIn("/operator/groups", "partners"),
      body: (_, factor) => ({ factor: String(factor) }),
      changed: ({ factor }) => Number(factor),
    };
  },
};

function write(
  who: SignedIn,
  { method, path }: Replaced,
  { body, from }: { readonly body: unknown; readonly from?: string },
): Promise<ConsoleResponse> {
  return who.ask({ method, path, body, headers: { "if-match": from } });
}

const quoted = (revision: string): string => `"${revision}"`;

const made = new Map<string, Promise<Replaced>>();

/** One of the records, made when it is first asked for. */
function recordOf(name: string): Promise<Replaced> {
  const record = made.get(name) ?? (RECORDS[name]?.() as Promise<Replaced>);
  made.set(name, record);
  return record;
}

describe.each(Object.keys(RECORDS))("a write of the %s", (name) => {
  let record: Replaced;
  beforeAll(async () => {
    record = await recordOf(name);
  });

  it("wins once of many at once that were made from the same state, and nothing of it is lost", async () => {
    const before = await record.read();
    const numbers = [11, 12, 13, 14, 15, 16];
    const responses = await Promise.all(
      numbers.map((number, index) =>
        write(index % 2 === 0 ? ann : ben, record, {
          body: record.body(before, number),
          from: quoted(before.revision),
        }),
      ),
    );
    const won = responses.findIndex(({ status }) => status === 200);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
    for (const { body } of responses.filter(({ status }) => status === 412))
      expect(body.error).toMatchObject({ code: "changed_meanwhile", type: "gateway_error" });
    const after = await record.read();
    expect(record.changed(after)).toBe(numbers[won]);
    expect(after.revision).not.toBe(before.revision);
    expect(responses[won]?.headers["etag"]).toBe(quoted(after.revision));
    expect(responses[won]?.body.revision).toBe(after.revision);
  });

  it("goes through once it is made from the state there is now, which a failed one left as it was", async () => {
    const before = await record.read();
    const stale = { body: record.body(before, 21), from: quoted("0".repeat(32)) };
    expect((await write(ben, record, stale)).status).toBe(412);
    expect((await record.read()).revision).toBe(before.revision);
    const made = await write(ben, record, { body: record.body(before, 21), from: quoted(before.revision) });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    expect(record.changed(await record.read())).toBe(21);
  });

  it("is made as ever where it names no state or any, and refused where the header cannot be read", async () => {
    const before = await record.read();
    const made = await write(ann, record, { body: record.body(before, 31) });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    const next = await write(ann, record, { body: record.body(before, 32), from: "*" });
    expect(next.status, JSON.stringify(next.body)).toBe(200);
    const listed = `"${before.revision}", ${String(next.headers["etag"])}`;
    expect((await write(ann, record, { body: record.body(before, 33), from: listed })).status).toBe(200);
    const weak = { body: record.body(before, 34), from: `W/${quoted((await record.read()).revision)}` };
    expect((await write(ann, record, weak)).status).toBe(412);
    const bare = await write(ann, record, { body: record.body(before, 34), from: before.revision });
    expect(bare).toMatchObject({ status: 400, body: { error: { param: "If-Match" } } });
    expect(record.changed(await record.read())).toBe(33);
  });
});

describe("the revision of an upstream", () => {
  it("changes with its credentials, as a write may replace them, and not with how it does", async () => {
    const { id, credentials } = (await readIn("/operator/upstreams", "first")) as unknown as Upstream;
    const path = `/operator/upstreams/${id}`;
    const before = await readAt(path);
    const credential = `${path}/credentials/${credentials[0]?.id}`;
    expect((await ben.post(`${credential}/test`)).status).toBe(200);
    expect((await readAt(path)).revision).toBe(before.revision);
    expect((await ben.patch(credential, { secret: "another-secret-of-the-first" })).status).toBe(200);
    const { kind, base_url, models } = before;
    const replacing = { kind, base_url, models, api_keys: ["a-third-secret-of-the-first"] };
    const refused = await ann.ask({
      method: "PUT",
      path,
      body: replacing,
      headers: { "if-match": quoted(before.revision) },
    });
    expect(refused.status).toBe(412);
  });
});

// Last, as nothing is left of them, and none before what names it. Settings are never deleted.
describe.each(["group", "key", "balance alert", "upstream", "model"])("a deletion of the %s", (name) => {
  it("is refused once somebody changed it since the state it names, and made from the one there is", async () => {
    const record = await recordOf(name);
    const set = await write(ann, record, { body: record.body(await record.read(), 41) });
    expect(set.status, JSON.stringify(set.body)).toBe(200);
    const before = await record.read();
    const changed = await write(ann, record, { body: record.body(before, 42) });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    const remove = (from: string) =>
      ben.ask({ method: "DELETE", path: record.path, headers: { "if-match": from } });
    expect(await remove(quoted(before.revision))).toMatchObject({
      status: 412,
      body: { error: { code: "changed_meanwhile" } },
    });
    const after = await record.read();
    expect(record.changed(after)).toBe(42);
    expect(after.revision).toBe(changed.body.revision);
    const removed = await remove(quoted(after.revision));
    expect(removed.status, JSON.stringify(removed.body)).toBe(200);
    expect((await remove("*")).status).not.toBe(200);
  });
});

describe("the description of the API", () => {
  it("says which writes may name the state they were made from", async () => {
    const { paths } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
      paths: Record<
        string,
        Record<string, { parameters?: { in: string; name: string }[]; responses: object }>
      >;
    };
    const conditional = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { parameters = [] }]) => parameters.some((each) => each.name === "If-Match"))
        .map(([method, { responses }]) => [`${method} ${path}`, "412" in responses]),
    );
    expect(Object.fromEntries(conditional)).toEqual({
      "put /api/operator/upstreams/{upstream}": true,
      "delete /api/operator/upstreams/{upstream}": true,
      "put /api/operator/models/{model}": true,
      "delete /api/operator/models/{model}": true,
      "put /api/operator/settings": true,
      "put /api/accounts/{account}/billing-details": true,
      "put /api/accounts/{account}/balance-alert": true,
      "delete /api/accounts/{account}/balance-alert": true,
      "patch /api/accounts/{account}/budgets/{budget}": true,
      "delete /api/accounts/{account}/budgets/{budget}": true,
      "patch /api/accounts/{account}/keys/{key}": true,
      "delete /api/accounts/{account}/keys/{key}": true,
      "patch /api/operator/groups/{group}": true,
      "delete /api/operator/groups/{group}": true,
    });
  });
});
