import { z } from "zod";
import { moment, pageOf, pageQuery } from "../contract-parts.ts";

export const assetsQuery = pageQuery;

const asset = z.object({
  id: z.string().describe("Named in requests as asset://<id>"),
  type: z.enum(["Image", "Video", "Audio"]),
  name: z.string(),
  status: z.string().describe("Pending, Processing, Active or Failed, as the upstream last said"),
  usable: z.boolean().describe("It is Active, and the upstream that keeps it is in service"),
  created_at: moment,
  view: z.string().describe("Where the console shows it, Range requests included"),
});

export const assetsPage = pageOf(asset).describe("Newest first; `GET` of one asks its upstream anew");

export const assetDetail = asset.extend({
  url: z.string().describe("Where the upstream has it: signed, and expires"),
});

export const newAsset = z.strictObject({
  url: z.string().describe("A public address that can be downloaded without signing in"),
  asset_type: z.enum(["Image", "Video", "Audio"]).optional().describe("Image if left out"),
  name: z.string().optional().describe("At most 64 characters; the file's name if left out"),
});

export const createdAsset = z.object({ id: z.string(), status: z.string() });

export type Asset = z.infer<typeof asset>;
export type AssetDetail = z.infer<typeof assetDetail>;
export type AssetsPage = z.infer<typeof assetsPage>;
export type NewAsset = z.infer<typeof newAsset>;
export type CreatedAsset = z.infer<typeof createdAsset>;
