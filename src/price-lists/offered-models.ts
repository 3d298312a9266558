import { formatUsd } from "../base/money.ts";
import type { Price } from "../catalog/price-columns.ts";
import type { UpstreamDeclaration } from "../catalog/upstreams-store.ts";
import { encodePrice, writeYaml } from "../manifest/file/encode-file.ts";
import type { FileRecord } from "../manifest/file/file-value.ts";
import { vendorOf } from "./compare.ts";
import { type ListEntry, type ListedPrice, priceOf } from "./list-entry.ts";
import type { PublicList } from "./public-list.ts";

/** A model as its vendor's own list states it; undefined = the list does not state it. */
interface VendorModel {
  /** The vendor's name for it. */
  readonly id: string;
  readonly contextTokens: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly inputMedia: readonly string[] | undefined;
}

/** An upstream whose vendor offers models. */
interface Seller extends Pick<UpstreamDeclaration, "preset" | "baseUrl"> {
  readonly models: ReadonlyMap<string, string>;
}

/** A model of the vendor's list, joined with the public list. */
export interface OfferedModel extends VendorModel {
  /** Its entry in the public list, if it has one. */
  readonly entry: ListEntry | undefined;
  /** Its price as the catalog file has it; undefined = it has none, for this reason. */
  readonly price: FileRecord | undefined;
  readonly unpricedReason: string | undefined;
  /** The same price as the catalog has it. */
  readonly listed: Price | undefined;
  readonly input: bigint | undefined;
  readonly output: bigint | undefined;
  /** Its names in the catalog at this upstream; [] = the catalog does not have it there. */
  readonly ours: readonly string[];
}

/** Joins a model that the upstream's vendor offers with the public list and the catalog. */
export function describeOffered(
  model: VendorModel,
  upstream: Seller,
  list: PublicList,
  listedAs: Parameters<typeof vendorOf>[1]["listedAs"],
): OfferedModel {
  const vendor = vendorOf(upstream, { listedAs, vendorAt: list.vendorAt });
  const entry = vendor === undefined ? undefined : list.find(vendor, model.id);
  const listed = entry?.read();
  const table = listed?.table;
  const own = entry === undefined ? ownEntry(model.id, list) : undefined;
  return {
    ...model,
    contextTokens: model.contextTokens ?? entry?.contextTokens ?? own?.contextTokens,
    entry,
    price: table && encodePrice(priceOf(table)),
    listed: table && priceOf(table),
    unpricedReason: own === undefined ? reasonOf(listed) : reasonOfOwn(own),
    input: table?.base.input,
    output: table?.base.output,
    ours: [...upstream.models].flatMap(([ours, theirs]) => (theirs === model.id ? [ours] : [])),
  };
}

/** The entry of a cloud's model under its own vendor. */
function ownEntry(id: string, list: PublicList): ListEntry | undefined {
  const name = ownNameOf(id);
  return name && list.find(name.vendor, name.model);
}

/**
 * Clouds charge more in some regions than the vendor itself, so the vendor's price is not adopted without a look at it.
 */
function reasonOfOwn({ vendor, model, read }: ListEntry): string {
  const { input, output } = read().table?.base ?? {};
  const usd = [input, output].map((nanos) => (nanos === undefined ? "-" : formatUsd(nanos))).join(" and ");
  return `no list states it at this cloud; ${vendor} itself sells ${model} for ${usd}, and a cloud's regions may cost more`;
}

function reasonOf(listed: ListedPrice | undefined): string | undefined {
  if (listed === undefined) return "no list states it";
  return listed.table === undefined
    ? `the listed one can't be written as a price table: ${listed.reason}`
    : undefined;
}

/** The models as rows to add to a catalog file. Fields that no list states are left out, and named in the heading. */
export function offeredAsYaml(models: readonly OfferedModel[], upstream: string, list: PublicList): string {
  const rows = models.map(rowOf);
  const missing = models.flatMap((model, at) =>
    REQUIRED.filter((key) => rows[at]?.[key] === undefined).map((key) => {
      const reason = key === "price" ? model.unpricedReason : undefined;
      return `  ${model.id}: add ${key}; ${reason ?? "no list states it"}`;
    }),
  );
  const mapping = Object.fromEntries(models.map(({ id }) => [id, id]));
  const heading = [
    `For the catalog file. Prices from ${list.name} (${list.date}), in USD per 1,000,000 tokens: check them with your vendor.`,
    ...missing,
  ];
  return writeYaml({ models: rows, upstreams: [{ name: upstream, models: mapping }] }, heading);
}

const REQUIRED = ["context_tokens", "max_output_tokens", "price"] as const;

function rowOf({ id, contextTokens, maxOutputTokens, price, inputMedia = [] }: OfferedModel): FileRecord {
  return {
    id,
    context_tokens: contextTokens,
    max_output_tokens: maxOutputTokens,
    price,
    quirks: inputMedia.length === 0 ? undefined : { input_media: [...inputMedia] },
  };
}

/** A model's name at its own vendor, for a cloud that uses another. */
interface OwnName {
  readonly vendor: string;
  readonly model: string;
}

/** Optional group of regions, the vendor, its name of the model, and the cloud's own version numbers. */
const AT_BEDROCK = /^(?:[a-z-]+\.)?anthropic\.(claude-[\w.-]+?)(?:-v\d+)?(?::\d+)?$/;

/** The date follows an @ there. */
const AT_VERTEX = /^(claude-[\w.-]+)@[\w.-]+$/;

/** Undefined = the name has no form of a cloud. */
function ownNameOf(name: string): OwnName | undefined {
  const model = AT_BEDROCK.exec(name)?.[1] ?? AT_VERTEX.exec(name)?.[1];
  return model === undefined ? undefined : { vendor: "anthropic", model };
}
