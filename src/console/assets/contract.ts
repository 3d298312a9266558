import { z } from "zod";
import { moment, pageOf, pageQuery } from "../contract-parts.ts";

export const assetsQuery = pageQuery;

const asset = z.object({
  id: z.string().describe("Id, referenced as asset://<id>"),
  type: z.enum(["Image", "Video", "Audio"]),
  name: z.string(),
  status: z.string().describe("Status last reported by the upstream: Pending, Processing, Active or Failed"),
  usable: z.boolean().describe("true if the asset is Active and its upstream is available"),
  created_at: moment,
  view: z.string().describe("Path of the file in the console API; supports Range"),
});

export const assetsPage = pageOf(asset).describe(
  "Assets, newest first; `GET` of one asset queries its upstream",
);

export const assetDetail = asset.extend({
  url: z.string().describe("Signed upstream URL, which expires"),
});

export const newAsset = z.strictObject({
  url: z.string().describe("Public URL that can be downloaded without signing in"),
  asset_type: z.enum(["Image", "Video", "Audio"]).optional().describe("Type of the asset; default Image"),
  name: z.string().optional().describe("Name, at most 64 characters; default the file name"),
});

export const createdAsset = z.object({ id: z.string(), status: z.string() });

export type Asset = z.infer<typeof asset>;
export type AssetDetail = z.infer<typeof assetDetail>;
export type AssetsPage = z.infer<typeof assetsPage>;
export type NewAsset = z.infer<typeof newAsset>;
export type CreatedAsset = z.infer<typeof createdAsset>;
