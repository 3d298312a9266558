import { isPublicUrl } from "../base/fetch/public-url.ts";
import type { AllowList } from "../base/fetch/safe-fetch-allow.ts";
import { normalizedUrl } from "../base/text.ts";
import { GatewayError } from "../errors.ts";
import type { NewAsset } from "../upstreams/asset-apis/asset-api.ts";
import { ASSET_TYPES } from "./assets.ts";

/** The specification's own bound, in code points. */
const NAME_LENGTH = 64;

/**
 * Reads what is to be registered; null and "" count as absent. Throws GatewayError, in this order:
 * invalid_url, invalid_asset_type, invalid_asset_name. `allowed` are private addresses that count as public.
 */
export function readAssetRequest(body: Readonly<Record<string, unknown>>, allowed?: AllowList): NewAsset {
  const url = readUrl(body["url"], allowed);
  return { url: url.text, type: readType(body["asset_type"]), name: readName(body["name"], url.parsed) };
}

function readUrl(value: unknown, allowed?: AllowList): { readonly text: string; readonly parsed: URL } {
  if (typeof value !== "string" || !isPublicUrl(value, allowed)) {
    throw new GatewayError(
      "invalid_url",
      "`url` must be a public http:// or https:// URL that can be downloaded without signing in.",
      { param: "url" },
    );
  }
  return { text: normalizedUrl(value), parsed: new URL(value) };
}

function readType(value: unknown): NewAsset["type"] {
  if (isAbsent(value)) return "Image";
  const word = typeof value === "string" ? value.toLowerCase() : "";
  const type = ASSET_TYPES.find((each) => each.toLowerCase() === word);
  if (type !== undefined) return type;
  throw new GatewayError("invalid_asset_type", "`asset_type` must be Image, Video or Audio.", {
    param: "asset_type",
  });
}

function readName(value: unknown, url: URL): string {
  if (isAbsent(value)) return nameOf(url);
  if (typeof value === "string" && [...value].length <= NAME_LENGTH) return value;
  throw new GatewayError(
    "invalid_asset_name",
    `\`name\` must be a text of at most ${NAME_LENGTH} characters.`,
    {
      param: "name",
    },
  );
}

/** The file's name in the address, else the host. */
function nameOf({ pathname, hostname }: URL): string {
  const segment = decoded(pathname.slice(pathname.lastIndexOf("/") + 1));
  return [...(segment.trim() === "" ? hostname : segment)].slice(0, NAME_LENGTH).join("");
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
