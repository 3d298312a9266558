import { z } from "zod";
import { moment, pageOf, pageQuery } from "../contract-parts.ts";

export const assetsQuery = pageQuery;

const asset = z.object({
  id: z.string().describe("Referenced as asset://<id>"),
  type: z.enum(["Image", "Video", "Audio"]),
  name: z.string(),
  status: z.string().describe("Pending, Processing, Active or Failed, as last reported by the upstream"),
  usable: z.boolean().describe("The asset is Active and its upstream is available"),
  created_at: moment,
  view: z.string().describe("Path in the console API, with Range support"),
});

export const assetsPage = pageOf(asset).describe("Newest first; `GET` of one queries its upstream");

export const assetDetail = asset.extend({
  url: z.string().describe("Signed upstream URL, which expires"),
});

export const newAsset = z.strictObject({
  url: z.string().describe("Public URL that can be downloaded without signing in"),
  asset_type: z.enum(["Image", "Video", "Audio"]).optional().describe("Default Image"),
  name: z.string().optional().describe("At most 64 characters; default the file name"),
});

export const createdAsset = z.object({ id: z.string(), status: z.string() });

export type Asset = z.infer<typeof asset>;
export type AssetDetail = z.infer<typeof assetDetail>;
export type AssetsPage = z.infer<typeof assetsPage>;
export type NewAsset = z.infer<typeof newAsset>;
export type CreatedAsset = z.infer<typeof createdAsset>;
