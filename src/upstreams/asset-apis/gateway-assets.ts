import { jsonPost } from "../task-apis/task-table.ts";
import type { AssetApi } from "./asset-api.ts";
import { type AssetResponses, readCreated, readRecord, readResult } from "./read-asset.ts";

/** A refusal of the asset service itself comes as a 502, which does not mean that the gateway's upstream is down. */
const RESPONSES: AssetResponses = {
  refusal: {
    code: ["error.code"],
    message: ["error.message"],
    codes: { seedance_asset_create_failed: "fail", seedance_asset_get_failed: "fail" },
  },
  result: "result",
};

/** The specification's own asset endpoints, on another gateway or on the sandbox. */
export const gatewayAssets: AssetApi = {
  usable: () => true,
  async create({ upstream, credential, requestId, ask }, { url, type, name }) {
    const request = jsonPost("/v1/videoa/asset/create", { url, asset_type: type, name });
    return withoutRequestId(
      readResult(await ask({ upstream, credential, requestId, request }), RESPONSES, readCreated),
    );
  },
  async read({ upstream, credential, requestId, ask }, upstreamAsset) {
    const path = `/v1/videoa/asset/${encodeURIComponent(upstreamAsset)}`;
    const request = { method: "GET", path } as const;
    return withoutRequestId(
      readResult(await ask({ upstream, credential, requestId, request }), RESPONSES, readRecord),
    );
  },
};

/** The other service's request id means nothing to our caller, who gets our own. */
function withoutRequestId<T extends { readonly type: string }>(outcome: T): T {
  return "reason" in outcome && typeof outcome.reason === "string"
    ? { ...outcome, reason: outcome.reason.replace(/ ?\(request id: [^()]*\)$/, "") }
    : outcome;
}
