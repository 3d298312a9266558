import type { Scenario } from "../scenario.ts";
import { seedOf } from "../seeded.ts";
import type { FileSpec } from "./files/file-spec.ts";

export type AssetType = "Image" | "Video" | "Audio";

/** A registered material. The sandbox never fetches its URL: it serves a file of its own in its place. */
export interface Asset {
  id: string;
  account: string | null;
  type: AssetType;
  name: string;
  createdMs: number;
  scenario: Scenario;
  polled: number;
}

const EXTENSIONS: Readonly<Record<AssetType, string>> = { Image: "png", Video: "mp4", Audio: "wav" };
/** Within what the specification lets an asset measure. */
const SIDE_PX = 720;
const SECONDS = 5;

export function assetFileName(asset: Asset): string {
  return `${asset.id}.${EXTENSIONS[asset.type]}`;
}

export function assetSpec(asset: Asset): FileSpec {
  const drawing = {
    width: SIDE_PX,
    height: SIDE_PX,
    text: asset.name,
    caption: asset.id,
    seed: seedOf(asset.id),
  };
  if (asset.type === "Image") return { kind: "image", ...drawing, format: "png" };
  if (asset.type === "Video") return { kind: "video", ...drawing, seconds: SECONDS, sound: true };
  return { kind: "sound", seconds: SECONDS };
}
