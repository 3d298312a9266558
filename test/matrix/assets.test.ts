import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { type JournalLine, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { type AskOptions, ask, type Reply } from "../support/world.ts";

const OWNER = "owner-key-0123456789abcdef";
const SECOND = "owner-second-key-0123456789abcdef";
const OTHER = "other-key-0123456789abcdef";
const OUTSIDE = "outside-key-0123456789abcdef";

const CREATE = "/v1/videoa/asset/create";
const IMAGE = "https://media.example/a/cat%20one.png";

/** Two upstreams that keep assets; the first is asked first. */
function catalog(upstreams: string): string {
  return `version: 1
groups:
  - { name: default, factor: 1 }
  - { name: outside, factor: 1 }
models:
  - { id: videoa-2.0, family: videoa, endpoints: [oa-video], groups: [default], price: { per_second: { 720p: 0.1, 1080p: 0.2 } } }
  - { id: videoa-2.0-fast, family: videoa, endpoints: [oa-video], groups: [default], price: { per_second: { 720p: 0.1 } } }
upstreams:
${upstreams}
accounts:
  - { name: owner, group: default, balance: 1000, keys: [{ name: main, key: ${OWNER} }, { name: second, key: ${SECOND} }] }
  - { name: other, group: default, balance: 1000, keys: [{ name: main, key: ${OTHER} }] }
  - { name: outside, group: outside, balance: 1000, keys: [{ name: main, key: ${OUTSIDE} }] }
`;
}

let sandbox: TestSandbox;
let gateway: TestGateway;
/** Speaks to `gateway` as another one would. */
let chained: TestGateway;

beforeAll(async () => {
  sandbox = await startSandbox({ taskMs: 0 });
  gateway = await startGateway({
    catalog: catalog(`  - name: first
    kind: sandbox
    base_url: ${sandbox.url}
    api_key: first-key
    priority: 0
    groups: [default]
    models: [videoa-2.0]
  - name: spare
    kind: sandbox
    base_url: ${sandbox.url}
    api_key: spare-key
    priority: 1
    groups: [default]
    models: [videoa-2.0, videoa-2.0-fast]`),
  });
  chained = await startGateway({
    catalog: catalog(`  - name: front
    kind: gateway
    base_url: ${gateway.url}
    api_key: ${OWNER}
    models: [videoa-2.0]`),
  });
});
afterAll(async () => {
  for (const each of [chained, gateway]) {
    await each?.end();
    await each?.clean();
  }
  await sandbox?.stop();
});

const at = (path: string, body?: object | string, options: AskOptions = {}): Promise<Reply> =>
  ask(gateway.url, path, body, { key: OWNER, ...options });
const create = (body: object | string, options?: AskOptions): Promise<Reply> => at(CREATE, body, options);
const read = (id: string, key = OWNER): Promise<Reply> => at(`/v1/videoa/asset/${id}`, undefined, { key });
const registered = async (body: object = { url: IMAGE }, key = OWNER): Promise<string> =>
  (await create(body, { key })).json.result.Id;

/** How the sandbox's journal names a credential. */
function fingerprint(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 12);
}

function expectShapeA(reply: Reply, status: number, code: string): void {
  expect(reply.status).toBe(status);
  expect(reply.json.error).toMatchObject({ type: "gateway_error", code });
  expect(reply.json.error.message).toMatch(/ \(request id: [^()]+\)$/);
  expect(Object.keys(reply.json)).toEqual(["error"]);
}

describe("registering an asset", () => {
  it("gives an id at once, under which the record is read", async () => {
    const made = await create({ url: IMAGE });
    expect(made.status).toBe(200);
    expect(made.json).toEqual({
      success: true,
      result: { Id: expect.stringMatching(/^asset-/), Status: "Pending" },
    });
    const { Id } = made.json.result;
    const found = await read(Id);
    expect(found.status).toBe(200);
    expect(found.json).toEqual({
      success: true,
      result: {
        Id,
        Status: "Active",
        AssetType: "Image",
        Name: "cat one.png",
        URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\//),
        CreateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        UpdateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        GroupId: expect.stringMatching(/^group-/),
        ProjectName: "default",
        Moderation: { Strategy: "Default" },
      },
    });
    // The access address works now, and is no permanent identifier.
    expect((await fetch(found.json.result.URL)).status).toBe(200);
  });

  it.each([
    [undefined, "Image"],
    ["iMAGE", "Image"],
    ["video", "Video"],
    ["AUDIO", "Audio"],
  ])("answers the type %j in its canonical case", async (asset_type, type) => {
    const id = await registered({ url: IMAGE, asset_type, name: `of ${asset_type}` });
    expect((await read(id)).json.result).toMatchObject({ AssetType: type, Name: `of ${asset_type}` });
  });

  it("takes the address with its scheme in any case", async () => {
    expect((await create({ url: IMAGE.replace("https", "HTTPS") })).status).toBe(200);
  });

  it.each([
    ["not JSON", "{", "invalid_request"],
    ["no JSON object", "[]", "invalid_request"],
    ["nothing", "", "invalid_request"],
    ["no address", { asset_type: "nonsense" }, "invalid_url"],
    ["a data URL", { url: "data:image/png;base64,AAAA" }, "invalid_url"],
    ["another scheme", { url: "ftp://media.example/1.png", name: "x".repeat(99) }, "invalid_url"],
    ["an unknown type", { url: IMAGE, asset_type: "Document", name: "x".repeat(99) }, "invalid_asset_type"],
    ["a long name", { url: IMAGE, name: "x".repeat(65) }, "invalid_asset_name"],
  ])("is refused with %s", async (_what, body, code) => {
    expectShapeA(await create(body), 400, code);
  });

  it("needs a key, which is looked at first", async () => {
    expectShapeA(await create("{", { key: "no-such-key-0123456789" }), 401, "");
    expectShapeA(await create({ url: IMAGE }, { key: null }), 401, "");
    expectShapeA(await read("asset-1", "no-such-key-0123456789"), 401, "");
  });

  it("tells the asset service's own reason", async () => {
    const reply = await create({ url: IMAGE, name: "[[sandbox: moderation=submit]]" });
    expectShapeA(reply, 502, "seedance_asset_create_failed");
    expect(reply.json.error.message).toMatch(/^The material was refused by moderation\. \(request id/);
  });

  it("goes to the next place where the first is in trouble", async () => {
    await sandbox.script({
      match: { method: "POST", path: CREATE, credential: "first-key" },
      directive: "error=503",
      times: 1,
    });
    const id = await registered({ url: IMAGE, name: "moved" }, OTHER);
    const tries = (await sandbox.journal()).filter(({ path }) => path === CREATE).slice(-2);
    expect(tries.map(({ status, credential }) => [status, credential])).toEqual([
      [503, fingerprint("first-key")],
      [200, fingerprint("spare-key")],
    ]);
    expect((await read(id, OTHER)).json.result).toMatchObject({ Status: "Active", Name: "moved" });
    // Where one asset of the account is, the next ones go too, so that a video can use them all.
    const next = await registered({ url: IMAGE, name: "beside" }, OTHER);
    const [one, two] = await Promise.all([read(id, OTHER), read(next, OTHER)]);
    expect(one.json.result.GroupId).toBe(two.json.result.GroupId);
  });

  it("fails without a word of the vendor where no place can take it", async () => {
    await sandbox.script({ match: { method: "POST", path: CREATE }, directive: "error=500", times: 2 });
    const reply = await create({ url: IMAGE });
    expectShapeA(reply, 502, "seedance_asset_create_failed");
    expect(reply.json.error.message).toMatch(/^The asset service is temporarily unavailable/);
  });

  it("is not possible where the account's group has nobody who keeps assets", async () => {
    expectShapeA(await create({ url: IMAGE }, { key: OUTSIDE }), 502, "seedance_asset_create_failed");
  });

  it("answers 405 and 413 in the same shape", async () => {
    expectShapeA(await at(CREATE, undefined, { method: "PUT" }), 405, "method_not_allowed");
    expectShapeA(await create({ url: IMAGE, more: "x".repeat(70_000) }), 413, "request_too_large");
  });
});

describe("reading an asset", () => {
  it("is for every key of the account and nobody else", async () => {
    const id = await registered();
    expect((await read(id, SECOND)).json.result.Id).toBe(id);
    const foreign = await read(id, OTHER);
    const unknown = await read("asset-nobody-has-this", OTHER);
    for (const reply of [foreign, unknown]) expectShapeA(reply, 502, "seedance_asset_get_failed");
    const told = (reply: Reply): string => reply.json.error.message.replace(/ \(request id.*/, "");
    expect(told(foreign)).toBe(told(unknown));
  });

  it.each(["x", "%00", "a%2Fb", "%ff", "x".repeat(2_000)])(
    "of an impossible id (%j) fails alike",
    async (id) => {
      const reply = await read(id);
      if (id === "%ff") expect(reply.status).toBe(400);
      else expectShapeA(reply, 502, "seedance_asset_get_failed");
    },
  );

  it("tells every state as the upstream does", async () => {
    const id = await registered({ url: IMAGE, name: '[[sandbox: polls="Pending,Processing"]]' });
    const states = [];
    for (let count = 0; count < 3; count += 1) states.push((await read(id)).json.result.Status);
    expect(states).toEqual(["Pending", "Processing", "Active"]);
    const failing = await registered({ url: IMAGE, name: "[[sandbox: fail=corrupt]]" });
    expect((await read(failing)).json.result.Status).toBe("Failed");
  });

  it("gives an access address that expires, and a good one with the next read", async () => {
    const id = await registered({ url: IMAGE, name: "[[sandbox: expires=60]]" });
    const fetched = async (url: string): Promise<number> => (await fetch(url)).status;
    const old = (await read(id)).json.result.URL;
    expect(await fetched(old)).toBe(200);
    await ask(sandbox.url, "/_sandbox/clock", { advance_ms: 61_000 });
    expect(await fetched(old)).toBe(403);
    const fresh = (await read(id)).json.result.URL;
    expect(fresh).not.toBe(old);
    expect(await fetched(fresh)).toBe(200);
  });

  it("fails while the upstream does, and works again after", async () => {
    const id = await registered({ url: IMAGE, name: '[[sandbox: polls="503,garbage,cut"]]' });
    for (let count = 0; count < 3; count += 1) {
      expectShapeA(await read(id), 502, "seedance_asset_get_failed");
    }
    expect((await read(id)).status).toBe(200);
  });
});

describe("a video of assets", () => {
  const submit = (
    url: string,
    assets: readonly string[],
    { key = OWNER, model = "videoa-2.0", dry = false }: { key?: string; model?: string; dry?: boolean } = {},
  ): Promise<Reply> =>
    ask(
      url,
      `/v2/videos/generations${dry ? "?dry_run=1" : ""}`,
      {
        model,
        content: [
          { type: "text", text: "Image 1 walks" },
          ...assets.map((id) => ({
            type: "image_url",
            image_url: { url: `asset://${id}` },
            role: "reference_image",
          })),
        ],
      },
      { key },
    );
  const submits = async (after: number): Promise<JournalLine[]> =>
    (await sandbox.journal(after)).filter(({ path }) => path === "/v2/videos/generations");
  const finished = async (url: string, submitted: Reply, key = OWNER): Promise<Reply> => {
    for (;;) {
      const { task_id } = submitted.json;
      const found = await ask(url, `/v2/videos/generations/${task_id}?wait=20`, undefined, { key });
      if (["SUCCESS", "FAILURE"].includes(found.json.status)) return found;
    }
  };

  it("goes to the upstream that keeps them, in its own ids", async () => {
    const ids = [await registered(), await registered()];
    expect((await submit(gateway.url, ids, { dry: true })).json.fail_reason).toBe("");
    const before = (await sandbox.journal()).at(-1)?.n ?? 0;
    const found = await finished(gateway.url, await submit(gateway.url, ids));
    expect(found.json).toMatchObject({ status: "SUCCESS", action: "generate" });
    const sent = (await submits(before))[0];
    expect(sent).toMatchObject({ status: 200, credential: fingerprint("first-key") });
    const told = JSON.stringify(sent);
    expect(told.match(/asset:\/\/asset-/g)).toHaveLength(2);
    for (const id of ids) expect(told).not.toContain(id);
  });

  it("follows its assets to the upstream that is otherwise not asked", async () => {
    const id = await registered({ url: IMAGE }, OTHER);
    const before = (await sandbox.journal()).at(-1)?.n ?? 0;
    const found = await finished(gateway.url, await submit(gateway.url, [id], { key: OTHER }), OTHER);
    expect(found.json.status).toBe("SUCCESS");
    expect((await submits(before)).map(({ credential }) => credential)).toEqual([fingerprint("spare-key")]);
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ["unknown", async () => "asset-nobody-has-this", /asset-nobody-has-this does not exist in this account/],
    ["another's", () => registered({ url: IMAGE }, OTHER), /does not exist in this account/],
    [
      "not Active yet",
      () => registered({ url: IMAGE, name: '[[sandbox: polls="Processing*100"]]' }),
      /isn't Active but Processing/,
    ],
    ["of another type", () => registered({ url: IMAGE, asset_type: "Audio" }), /is of type Audio, not image/],
  ])("fails with an asset that is %s, as a dry run foretells", async (_what, id, reason) => {
    const before = (await sandbox.journal()).at(-1)?.n ?? 0;
    const asset = await id();
    const foretold = await submit(gateway.url, [asset], { dry: true });
    expect([foretold.status, foretold.json.object]).toEqual([200, "dry_run"]);
    expect(foretold.json.fail_reason).toMatch(reason);
    const submitted = await submit(gateway.url, [asset]);
    expect(submitted.status).toBe(200);
    const found = await finished(gateway.url, submitted);
    expect(found.json).toMatchObject({ status: "FAILURE", data: null });
    expect(found.json.fail_reason).toMatch(reason);
    expect(await submits(before)).toEqual([]);
  });

  it("fails at once where the upstream that keeps its assets does not make the model", async () => {
    const id = await registered();
    const model = "videoa-2.0-fast";
    const reason = /doesn't serve this model/;
    expect((await submit(gateway.url, [id], { model, dry: true })).json.fail_reason).toMatch(reason);
    const found = await finished(gateway.url, await submit(gateway.url, [id], { model }));
    expect(found.json).toMatchObject({ status: "FAILURE", fail_reason: expect.stringMatching(reason) });
  });

  it("works through a chain of gateways, each with ids of its own", async () => {
    const options = { key: OTHER };
    const made = await ask(chained.url, CREATE, { url: IMAGE, name: "far" }, options);
    expect(made.json.success).toBe(true);
    const { Id } = made.json.result;
    const found = await ask(chained.url, `/v1/videoa/asset/${Id}`, undefined, options);
    expect(found.json.result).toMatchObject({ Id, Status: "Active", Name: "far", ProjectName: "default" });
    // The one in front owns an asset of another id; ours means nothing there.
    expect((await read(Id)).status).toBe(502);
    const done = await finished(chained.url, await submit(chained.url, [Id], options), OTHER);
    expect(done.json).toMatchObject({ status: "SUCCESS", fail_reason: "" });
    const [link] = done.json.data.task.outputs;
    expect((await fetch(link, { method: "HEAD" })).headers.get("content-type")).toBe("video/mp4");
    const refusal = await ask(
      chained.url,
      CREATE,
      { url: IMAGE, name: "[[sandbox: moderation=submit]]" },
      options,
    );
    expectShapeA(refusal, 502, "seedance_asset_create_failed");
    expect(refusal.json.error.message).toMatch(/^The material was refused by moderation\. \(request id/);
    expect(refusal.json.error.message.match(/request id/g)).toHaveLength(1);
  });

  it("is charged where it was made, and costs nothing where it could not be", async () => {
    // Three were made: two asked for here and one by the gateway in front; 5 s at 0.1 USD each.
    expect(Number((await cleanLedger(gateway)).revenue_nanos)).toBe(1_500_000_000);
  });
});
