import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ASSETS, type Body, get, submit, videoaBody, videoTask } from "../testing/media-orders.ts";
import { probeBoxes, probePicture } from "../testing/probes.ts";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

const asset = (change: Body = {}): Body => ({
  url: "https://images.example/fox.png",
  asset_type: "Image",
  name: "fox.png",
  ...change,
});
const read = (id: string): string => `/v1/videoa/asset/${id}`;
/** Longer than any pause of a busy machine: only the clock of the sandbox passes it. */
const TAKES_MS = 600_000;

const MINE = { authorization: "Bearer mine" };

describe("assets of the sandbox", () => {
  let sandbox: StartedSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ taskMs: TAKES_MS });
  });
  afterAll(() => sandbox.close());

  const create = async (change: Body = {}, headers = MINE): Promise<string> =>
    (await sandbox.post(ASSETS, asset(change), headers)).json.result.Id as string;
  const advance = (ms: number): Promise<unknown> => sandbox.post("/_sandbox/clock", { advance_ms: ms });
  const reference = (id: string): Body => ({
    type: "image_url",
    role: "first_frame",
    image_url: { url: `asset://${id}` },
  });

  it("registers an asset, works on it and makes it usable", async () => {
    const response = await sandbox.post(ASSETS, asset(), MINE);
    const { Id: id } = response.json.result;
    expect(response.json).toEqual({
      success: true,
      result: { Id: expect.stringMatching(/^asset-/), Status: "Pending" },
    });
    const statusNow = async (): Promise<string> => (await get(sandbox, read(id), MINE)).json.result.Status;
    const seen = [await statusNow()];
    await advance(TAKES_MS / 2);
    seen.push(await statusNow());
    await advance(TAKES_MS / 2);
    seen.push(await statusNow());
    expect(seen).toEqual(["Pending", "Processing", "Active"]);
    const { json } = await get(sandbox, read(id), MINE);
    expect(json).toEqual({
      success: true,
      result: {
        Id: id,
        Status: "Active",
        AssetType: "Image",
        Name: "fox.png",
        URL: expect.stringContaining(`${sandbox.url}/_sandbox/files/${id}.png?expires=`),
        CreateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        UpdateTime: expect.stringMatching(/Z$/),
        GroupId: expect.stringMatching(/^group-[0-9a-f]{12}$/),
        ProjectName: "default",
        Moderation: { Strategy: "Default" },
      },
    });
    expect(probePicture((await get(sandbox, json.result.URL)).bytes)).toMatchObject({ format: "png" });
  });

  it("serves a file of each kind under a link that expires", async () => {
    const linkOf = async (type: string, name = "fox"): Promise<string> => {
      const id = await create({ asset_type: type, name });
      return (await get(sandbox, read(id), MINE)).json.result.URL;
    };
    expect(probeBoxes((await get(sandbox, await linkOf("Video"))).bytes).movieSeconds).toBe(5);
    expect((await get(sandbox, await linkOf("Audio"))).headers.get("content-type")).toBe("audio/wav");
    const brief = await linkOf("Audio", "[[sandbox: expires=60]]");
    expect((await get(sandbox, brief)).status).toBe(200);
    await advance(61_000);
    expect([(await get(sandbox, brief)).status, (await get(sandbox, brief)).json.error.code]).toEqual([
      403,
      "link_expired",
    ]);
  });

  it("fails an asset as it is told", async () => {
    const id = await create({ name: "fox [[sandbox: takes=0 fail=format]]" });
    expect((await get(sandbox, read(id), MINE)).json.result).toMatchObject({ Status: "Failed", Name: "fox" });
  });

  it("takes asset:// only of the registering account, and only once it is Active", async () => {
    const id = await create({ name: "fox [[sandbox: takes=600000]]" });
    const order = videoaBody({}, reference(id));
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await sandbox.post("/v2/videos/generations", order, headers)).status;
    expect(await ask(MINE)).toBe(400);
    await advance(TAKES_MS);
    expect(await ask({ authorization: "Bearer other" })).toBe(400);
    expect(await ask({})).toBe(400);
    const task = await submit(sandbox, order, MINE);
    expect((await get(sandbox, videoTask(task), MINE)).json.action).toBe("generate");
  });

  it.each<[string, Body, string]>([
    ["a url that is not public", { url: "ftp://x/y" }, "invalid_url"],
    ["no url", { url: undefined }, "invalid_url"],
    ["a type in the wrong case", { asset_type: "image" }, "invalid_asset_type"],
    ["no type", { asset_type: undefined }, "invalid_asset_type"],
    ["a name that is too long", { name: "x".repeat(65) }, "invalid_asset_name"],
    ["no name", { name: undefined }, "invalid_asset_name"],
    ["a field that is no asset's", { group: "g" }, "unknown_field"],
  ])("refuses %s in shape A", async (_, change, code) => {
    const response = await sandbox.post(ASSETS, asset(change), MINE);
    expect([response.status, response.json.error.type, response.json.error.code]).toEqual([
      400,
      "gateway_error",
      code,
    ]);
    expect(response.json.error.message).toMatch(/\(request id: [0-9a-f]{32}\)$/);
  });

  it("answers 502 for an asset it does not know or that is another's, and where it is told to", async () => {
    const id = await create();
    for (const [target, headers] of [
      [read("asset-none"), MINE],
      [read(id), { authorization: "Bearer other" }],
    ] as const) {
      const response = await get(sandbox, target, headers);
      expect([response.status, response.json.error.code]).toEqual([502, "seedance_asset_get_failed"]);
    }
    const refused = await sandbox.post(ASSETS, asset({ name: "[[sandbox: error=502]]" }), MINE);
    expect([refused.status, refused.json.error.code]).toEqual([502, "seedance_asset_create_failed"]);
  });

  it("journals what was registered and read", async () => {
    const id = await create({ name: "[[sandbox: tag=a1]] fox" });
    await get(sandbox, read(id), MINE);
    const mine = (await sandbox.journal()).filter(({ tag }) => tag === "a1");
    expect(mine.map(({ protocol, media }) => [protocol, media?.id])).toEqual([
      ["asset-create", id],
      ["asset-read", id],
    ]);
  });
});
