import type { Credential, Upstream } from "../../catalog/catalog.ts";
import type { Transport } from "../call.ts";

/** One vendor's way of keeping media for later use in videos. */
export interface AssetApi {
  /** True if this credential can do it; some vendors want more than a key. */
  usable(credential: Credential): boolean;
  create(site: AssetSite, asset: NewAsset): Promise<AssetOutcome<CreatedUpstreamAsset>>;
  read(site: AssetSite, upstreamAsset: string): Promise<AssetOutcome<UpstreamAsset>>;
}

/** The address and credential of the calls. */
export interface AssetSite {
  readonly upstream: Upstream;
  readonly credential: Credential;
  readonly requestId: string;
  readonly ask: Transport["ask"];
  /** Wall clock, for signatures. */
  readonly nowMs: () => number;
}

export interface NewAsset {
  readonly url: string;
  readonly type: "Image" | "Video" | "Audio";
  readonly name: string;
}

export interface CreatedUpstreamAsset {
  readonly id: string;
  readonly status?: string | undefined;
}

/** The specification's record with the vendor's id, each text "" where the vendor is silent. */
export interface UpstreamAsset {
  readonly Id: string;
  readonly Status: string;
  readonly AssetType: string;
  readonly Name: string;
  readonly URL: string;
  readonly CreateTime: string;
  readonly UpdateTime: string;
  readonly GroupId: string;
  readonly ProjectName: string;
  readonly Moderation: { readonly Strategy: string };
}

/**
 * `refused`: the vendor's words on what it was asked. `unavailable`: our account there, its saturation or the
 * way to it is at fault; another place may do, and the reason is the operator's.
 */
export type AssetOutcome<T> =
  | { readonly type: "done"; readonly value: T }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "unavailable"; readonly reason: string };
