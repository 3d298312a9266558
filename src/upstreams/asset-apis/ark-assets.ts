import type { Credential } from "../../catalog/catalog.ts";
import type { AskOutcome } from "../call.ts";
import { textAt, valueAt } from "../task-apis/poll.ts";
import { type ArkSigning, readArkCredential } from "./ark-credential.ts";
import { signArk } from "./ark-signature.ts";
import type { AssetApi, AssetOutcome, AssetSite } from "./asset-api.ts";
import { type AssetResponses, readCreated, readRecord, readResult } from "./read-asset.ts";

const VERSION = "2024-01-01";

/** The group of assets whose credential names none. */
const GROUP_NAME = "faregate";

const RESPONSES: AssetResponses = {
  refusal: {
    code: ["ResponseMetadata.Error.Code"],
    message: ["ResponseMetadata.Error.Message"],
    codes: {
      "InvalidAccessKey*": "another",
      // An asset that does not exist is about what was asked; so is one that breaks a rule.
      "NotFound*": "fail",
      "Invalid*": "fail",
      "Signature*": "another",
      "AccessDenied*": "another",
      "Forbidden*": "another",
      "QuotaExceeded*": "later",
      "FlowLimitExceeded*": "later",
    },
  },
  result: "Result",
};

/** Found once for each credential, as groups stay. */
const groups = new WeakMap<Credential, string>();

/**
 * Volcengine Ark's and BytePlus ModelArk's library of media, signed with the account's access key.
 * 30 creates and 100 reads a second and account are theirs to limit.
 */
export const arkAssets: AssetApi = {
  usable: ({ secret }) => readArkCredential(secret).signing !== null,
  async create(site, { url, type, name }) {
    const call = arkCalls(site);
    const group = await call.group();
    if (group.type !== "done") return group;
    const order = { GroupId: group.value, URL: url, AssetType: type, Name: name };
    const created = readResult(await call.ask("CreateAsset", order), RESPONSES, readCreated);
    // Should somebody have removed the group, the next one looks again.
    if (created.type === "refused") groups.delete(site.credential);
    return created;
  },
  async read(site, upstreamAsset) {
    return readResult(await arkCalls(site).ask("GetAsset", { Id: upstreamAsset }), RESPONSES, readRecord);
  },
};

interface ArkCalls {
  /** Every action names its project. */
  ask(action: string, fields: object): Promise<AskOutcome>;
  group(): Promise<AssetOutcome<string>>;
}

function arkCalls(site: AssetSite): ArkCalls {
  const { signing } = readArkCredential(site.credential.secret);
  if (signing === null) throw new RangeError(`${site.upstream.name} has no access key for assets`);
  const place = placeOf(site.upstream.baseUrl, signing);
  // The library has an address of its own, but it is the same vendor's work and counts as such.
  const upstream = { ...site.upstream, baseUrl: place.baseUrl };

  const ask: ArkCalls["ask"] = (action, fields) => {
    const body = new TextEncoder().encode(JSON.stringify({ ...fields, ProjectName: signing.project }));
    const { query, headers } = signArk({
      host: new URL(place.baseUrl).host,
      query: { Action: action, Version: VERSION },
      body,
      region: place.region,
      accessKey: signing.accessKey,
      secretKey: signing.secretKey,
      nowMs: site.nowMs(),
    });
    const request = { method: "POST", path: `/${query}`, headers, body } as const;
    return site.ask({ upstream, credential: null, requestId: site.requestId, request });
  };

  return {
    ask,
    async group() {
      const known = signing.group ?? groups.get(site.credential);
      if (known !== undefined) return { type: "done", value: known };
      const found = readResult(
        await ask("ListAssetGroups", { Filter: { Name: GROUP_NAME }, PageNumber: 1, PageSize: 100 }),
        RESPONSES,
        (result) => groupNamed(result, GROUP_NAME) ?? "",
      );
      const made =
        found.type === "done" && found.value === ""
          ? readResult(
              await ask("CreateAssetGroup", { Name: GROUP_NAME }),
              RESPONSES,
              (result) => readCreated(result)?.id,
            )
          : found;
      if (made.type === "done") groups.set(site.credential, made.value);
      return made;
    },
  };
}

/** The filter finds names that only begin so. */
function groupNamed(result: unknown, name: string): string | undefined {
  const items = valueAt(result, "Items");
  const list = Array.isArray(items) ? (items as readonly unknown[]) : [];
  return textAt(
    list.find((item) => textAt(item, ["Name"]) === name),
    ["Id"],
  );
}

/** The two vendors' management APIs stand beside the addresses that make videos: ark.<region>.<vendor>. */
const MANAGEMENT: Readonly<Record<string, string>> = {
  "volces.com": "https://open.volcengineapi.com",
  "bytepluses.com": "https://open.byteplusapi.com",
};

function placeOf(baseUrl: string, signing: ArkSigning): { baseUrl: string; region: string } {
  const { origin, hostname } = new URL(baseUrl);
  const [, region, vendor = ""] = /^ark\.([a-z0-9-]+)\.(.+)$/.exec(hostname) ?? [];
  return {
    baseUrl: signing.baseUrl ?? MANAGEMENT[vendor] ?? origin,
    region: signing.region ?? signedRegion(region ?? "cn-beijing"),
  };
}

/** BytePlus leaves the number of a region out of its addresses, but not out of its signatures. */
function signedRegion(region: string): string {
  return region.startsWith("cn-") || /\d$/.test(region) ? region : `${region}-1`;
}
