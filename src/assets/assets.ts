import type { Caller } from "../accounts/caller.ts";
import type { MediaOrder } from "../families/family.ts";
import type { UpstreamAsset } from "../upstreams/asset-apis/asset-api.ts";

/** Public media that an account has registered for use in videos, each at the upstream that keeps it. */
export interface Assets {
  /**
   * Registers at the first upstream that will take it. Throws GatewayError: what is wrong with the body, or
   * `asset_create_failed` with the asset service's reason.
   */
  create(
    owner: AssetOwner,
    requestId: string,
    body: Readonly<Record<string, unknown>>,
  ): Promise<CreatedAsset>;
  /** Asks the upstream how the asset is. Throws GatewayError `asset_get_failed`, also where it is another's. */
  read(owner: AssetOwner, requestId: string, id: string): Promise<AssetRecord>;
  /** The order after the assets that it names were resolved. */
  resolve(use: AssetUse, order: MediaOrder): Promise<ResolvedOrder>;
}

/** The owner of an asset, and the upstreams that may store it. */
export type AssetOwner = Pick<Caller, "accountId" | "group">;

/** The owner of an order, and the model that is to make it. */
export interface AssetUse extends AssetOwner {
  readonly model: string;
  readonly requestId: string;
}

export const ASSET_TYPES = ["Image", "Video", "Audio"] as const;
export type AssetType = (typeof ASSET_TYPES)[number];

/** Response to a registration; keys are those of the wire. */
export interface CreatedAsset {
  readonly Id: string;
  readonly Status?: string | undefined;
}

/**
 * Response to a read; values are the upstream's, except for the id, which is ours. `URL` is signed and expires, so each
 * read returns a fresh one.
 */
export type AssetRecord = UpstreamAsset;

/**
 * - `free`: names no asset; any upstream may have it.
 * - `bound`: the upstream and credential that keep all its assets, with its order in their ids.
 * - `refused`: it can never be made; why.
 * - `unknown`: the upstream could not be asked; try again.
 */
export type ResolvedOrder =
  | { readonly type: "free" }
  | {
      readonly type: "bound";
      readonly upstreamId: bigint;
      readonly credentialId: bigint;
      readonly order: MediaOrder;
    }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "unknown"; readonly reason: string };
