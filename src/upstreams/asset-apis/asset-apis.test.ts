import { describe, expect, it } from "vitest";
import { upstreamOf } from "../../../test/support/transport-rig.ts";
import type { AskOutcome, UpstreamAsk } from "../call.ts";
import { arkAssets } from "./ark-assets.ts";
import type { AssetSite } from "./asset-api.ts";
import { gatewayAssets } from "./gateway-assets.ts";

const ASSET = { url: "https://media.example/cat.png", type: "Image", name: "cat.png" } as const;

const RECORD = {
  Id: "asset-1",
  Status: "Active",
  AssetType: "Image",
  Name: "cat.png",
  URL: "https://v.example/1",
  CreateTime: "2026-03-20T14:24:52Z",
  UpdateTime: "2026-03-20T14:25:01Z",
  GroupId: "group-1",
  ProjectName: "default",
  Moderation: { Strategy: "Default" },
};

describe("assets at another gateway", () => {
  const usual = (responses: readonly Response[]) => siteOf(responses, "https://gw.example");

  it("are registered with every field explicit and read by id", async () => {
    const { site, asked } = usual([
      [200, { success: true, result: { Id: "asset-1", Status: "Pending" } }],
      [200, { success: true, result: { Id: "asset-1" } }],
      [200, { success: true, result: RECORD }],
    ]);
    expect(await gatewayAssets.create(site, ASSET)).toEqual({
      type: "done",
      value: { id: "asset-1", status: "Pending" },
    });
    expect(await gatewayAssets.create(site, ASSET)).toEqual({ type: "done", value: { id: "asset-1" } });
    expect(await gatewayAssets.read(site, "asset/1")).toEqual({ type: "done", value: RECORD });
    expect(asked.map(({ request }) => `${request.method} ${request.path}`)).toEqual([
      "POST /v1/videoa/asset/create",
      "POST /v1/videoa/asset/create",
      "GET /v1/videoa/asset/asset%2F1",
    ]);
    expect(bodyOf(asked[0])).toEqual({ url: ASSET.url, asset_type: "Image", name: "cat.png" });
    expect(asked[0]?.credential).toBe(site.credential);
  });

  it("are refused in the service's words, without its request id", async () => {
    const refusal = (code: string): Response => [
      502,
      { error: { message: "too rude (request id: abc)", type: "gateway_error", code } },
    ];
    const { site } = usual([
      refusal("seedance_asset_create_failed"),
      refusal("seedance_asset_get_failed"),
      [400, { error: { message: "bad", code: "invalid_url" } }],
    ]);
    expect(await gatewayAssets.create(site, ASSET)).toEqual({ type: "refused", reason: "too rude" });
    expect(await gatewayAssets.read(site, "x")).toEqual({ type: "refused", reason: "too rude" });
    expect(await gatewayAssets.create(site, ASSET)).toEqual({ type: "refused", reason: "bad" });
  });

  it.each<[string, Response]>([
    ["our key is", [401, { error: { message: "no", code: "" } }]],
    ["it is too busy", [429, { code: "busy", message: "no" }]],
    ["it is in trouble", [500, "<html>"]],
    ["a proxy before it is", [502, "<html>"]],
    ["its answer is not JSON", [200, "<html>"]],
    ["its answer names no asset", [200, { success: true }]],
  ])("are asked for elsewhere where %s", async (_why, response) => {
    const { site } = usual([response, response]);
    expect(await gatewayAssets.create(site, ASSET)).toMatchObject({ type: "unavailable" });
    expect(await gatewayAssets.read(site, "x")).toMatchObject({ type: "unavailable" });
  });
});

it.each([
  ["another gateway", gatewayAssets, "result", "https://gw.example", "key"],
  ["ark", arkAssets, "Result", "https://ark.eu-west.bytepluses.com", "key;access_key=A;secret_key=S;group=g"],
] as const)(
  "an asset whose id is a number keeps all its digits, at %s",
  async (_at, api, result, url, key) => {
    const id = "9007199254740993123";
    const { site } = siteOf(
      [
        [200, `{"${result}":{"Id":${id}}}`],
        [200, `{"${result}":{"Id":${id},"Status":"Active"}}`],
      ],
      url,
      key,
    );
    expect(await api.create(site, ASSET)).toEqual({ type: "done", value: { id } });
    expect(await api.read(site, id)).toMatchObject({ type: "done", value: { Id: id } });
  },
);

it.each([
  ["Pending", "Pending"],
  ["pending", "Pending"],
  ["QUEUED", "Pending"],
  ["processing", "Processing"],
  ["Reviewing", "Processing"],
  ["ACTIVE", "Active"],
  ["succeeded", "Active"],
  ["Failure", "Failed"],
  ["Rejected", "Failed"],
  ["Deleted", "Failed"],
])("a service's word %s is told as %s, one of the four that callers know", async (word, told) => {
  const result = { ...RECORD, Status: word };
  const { site } = siteOf(
    [
      [200, { success: true, result: { Id: "asset-1", Status: word } }],
      [200, { success: true, result }],
    ],
    "https://gw.example",
    "key",
  );
  expect(await gatewayAssets.create(site, ASSET)).toEqual({
    type: "done",
    value: { id: "asset-1", status: told },
  });
  expect(await gatewayAssets.read(site, "asset-1")).toMatchObject({ type: "done", value: { Status: told } });
});

describe("assets at ark", () => {
  const SIGNED = "key;access_key=AK;secret_key=SK;group=group-1;project=films";
  const ark = (responses: readonly Response[], secret = SIGNED, base = "https://ark.cn-beijing.volces.com") =>
    siteOf(responses, base, secret);

  it("are registered in their group and project over a signed call to the vendor's management address", async () => {
    const { site, asked } = ark([
      [200, { ResponseMetadata: { RequestId: "r" }, Result: { Id: "asset-1" } }],
      [200, { ResponseMetadata: { RequestId: "r" }, Result: { ...RECORD, Moderation: undefined } }],
    ]);
    expect(await arkAssets.create(site, ASSET)).toEqual({ type: "done", value: { id: "asset-1" } });
    expect(await arkAssets.read(site, "asset-1")).toEqual({
      type: "done",
      value: { ...RECORD, Moderation: { Strategy: "" } },
    });
    const [create, read] = asked;
    expect(create?.upstream.baseUrl).toBe("https://open.volcengineapi.com");
    expect(create?.request.path).toBe("/?Action=CreateAsset&Version=2024-01-01");
    expect(create?.credential).toBeNull();
    expect(create?.request.headers?.["authorization"]).toMatch(
      /^HMAC-SHA256 Credential=AK\/20261121\/cn-beijing\/ark\/request, /,
    );
    expect(bodyOf(create)).toEqual({
      GroupId: "group-1",
      URL: ASSET.url,
      AssetType: "Image",
      Name: "cat.png",
      ProjectName: "films",
    });
    expect(read?.request.path).toBe("/?Action=GetAsset&Version=2024-01-01");
    expect(bodyOf(read)).toEqual({ Id: "asset-1", ProjectName: "films" });
  });

  it.each([
    ["https://ark.ap-southeast.bytepluses.com/api/v3", "", "https://open.byteplusapi.com", "ap-southeast-1"],
    ["http://127.0.0.1:9", "", "http://127.0.0.1:9", "cn-beijing"],
    ["http://127.0.0.1:9", ";region=moon;assets=http://127.0.0.1:8", "http://127.0.0.1:8", "moon"],
  ])("stand beside %s%s", async (base, more, address, region) => {
    const { site, asked } = ark([[200, { Result: { Id: "asset-1" } }]], SIGNED + more, base);
    await arkAssets.create(site, ASSET);
    expect(asked[0]?.upstream.baseUrl).toBe(address);
    expect(asked[0]?.request.headers?.["authorization"]).toContain(`/${region}/ark/request`);
  });

  it("go to a group of their own where none is named, which is looked up or made once", async () => {
    const list = (...names: string[]): Response => [
      200,
      { Result: { Items: names.map((Name) => ({ Name, Id: `group-${Name}` })) } },
    ];
    const created: Response = [200, { Result: { Id: "asset-1" } }];
    const secret = "key;access_key=AK;secret_key=SK";
    const found = ark([list("faregate-old", "faregate"), created, created], secret);
    await arkAssets.create(found.site, ASSET);
    await arkAssets.create(found.site, ASSET);
    expect(actions(found.asked)).toEqual(["ListAssetGroups", "CreateAsset", "CreateAsset"]);
    expect(bodyOf(found.asked[1])).toMatchObject({ GroupId: "group-faregate", ProjectName: "default" });

    const made = ark([list("faregate-old"), [200, { Result: { Id: "group-new" } }], created], secret);
    await arkAssets.create(made.site, ASSET);
    expect(actions(made.asked)).toEqual(["ListAssetGroups", "CreateAssetGroup", "CreateAsset"]);
    expect(bodyOf(made.asked[2])).toMatchObject({ GroupId: "group-new" });
  });

  it.each<[string, Response, string]>([
    ["a bad image", [400, failure("InvalidParameter.URL")], "refused"],
    ["an unknown asset", [404, failure("NotFound.Asset")], "refused"],
    ["an error with HTTP 200", [200, failure("InvalidParameter")], "refused"],
    ["a bad key", [401, failure("InvalidAccessKey")], "unavailable"],
    ["a bad signature", [403, failure("SignatureDoesNotMatch")], "unavailable"],
    ["too many calls", [400, failure("FlowLimitExceeded")], "unavailable"],
    ["trouble", [500, failure("InternalError")], "unavailable"],
  ])("know %s", async (_name, response, type) => {
    const { site } = ark([response]);
    expect(await arkAssets.read(site, "asset-1")).toMatchObject({ type });
  });

  it("need a credential with a signing pair", () => {
    const usable = (secret: string): boolean => arkAssets.usable({ id: 1n, name: "1", secret });
    expect(usable("key")).toBe(false);
    expect(usable(SIGNED)).toBe(true);
  });
});

type Response = readonly [status: number, body: object | string];

function failure(Code: string): object {
  return { ResponseMetadata: { Error: { Code, Message: "no" } } };
}

/** A site whose upstream gives these answers in turn. */
function siteOf(
  responses: readonly Response[],
  baseUrl: string,
  secret = "their-key",
): { site: AssetSite; asked: UpstreamAsk[] } {
  const asked: UpstreamAsk[] = [];
  const ask = async (request: UpstreamAsk): Promise<AskOutcome> => {
    const [status, body] = responses[asked.length] ?? [500, "no more answers"];
    asked.push(request);
    const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    return { type: "answered", response: { status, headers: {}, body: bytes } };
  };
  const site = {
    upstream: upstreamOf(baseUrl),
    credential: { id: 1n, name: "1", secret },
    requestId: "r",
    ask,
    nowMs: () => Date.UTC(2026, 10, 21),
  };
  return { site, asked };
}

function bodyOf(asked: UpstreamAsk | undefined): unknown {
  const { json, body } = asked?.request ?? {};
  return json ?? JSON.parse(Buffer.from(body ?? []).toString());
}

function actions(asked: readonly UpstreamAsk[]): readonly (string | undefined)[] {
  return asked.map(({ request }) => /Action=(\w+)/.exec(request.path)?.[1]);
}
