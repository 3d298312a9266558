import { readQuirks } from "../conversation/lower/quirks.ts";
import type { MediaPart } from "../conversation/request.ts";
import type { Catalog, Model, Upstream } from "./catalog.ts";

type Medium = MediaPart["media"];

/** Sorted in the order in which lists name them. */
const MEDIA: readonly Medium[] = ["image", "document", "audio", "video"];

/**
 * Media that vendors' models read beside text, by the vendor's name of the model. The first matching row counts, and a
 * path or a region may precede the name. Sources: the vendors' own pages of models, November 2026.
 */
const ROWS: readonly (readonly [name: RegExp, reads: readonly Medium[]])[] = [
  row("(gpt-3|gpt-4(-\\d{4}|-32k|$)|gpt-oss|o1-(mini|preview)|o3-mini|text-|embed)", []),
  row("gpt-4o(-mini)?-(audio|realtime)|gpt-(audio|realtime)", ["audio"]),
  row("gpt-4-(turbo|vision)", ["image"]),
  row("((chat)?gpt-(4|[5-9])|o\\d)", ["image", "document"]),
  row("claude-(instant|v?\\d\\.|v?[12]($|[^-\\d]))", []),
  row("claude-", ["image", "document"]),
  row("gemini-.*(embedding|tts)|gemma-[12]", []),
  row("gemma-", ["image"]),
  row("gemini-", ["image", "document", "audio", "video"]),
  row("(deepseek|[Kk]imi-[Kk]2(-|$)|codestral|devstral|magistral)", []),
  row("[Kk]imi-", ["image"]),
  row("(pixtral|mistral-(small|medium|large)|ministral)", ["image"]),
  row("voxtral", ["audio"]),
  row("grok-(\\d-vision|[4-9])", ["image"]),
  row("[Ll]lama-4", ["image"]),
  row("[Qq]wen.*(vl|omni)", ["image", "video"]),
];

/**
 * Returns the media that a model reads beside text: those of its catalog entry (`input_media`), otherwise those known
 * of the vendor's model at each upstream that serves it. [] = text alone, or nothing is known.
 */
export function inputMediaOf(catalog: Catalog, model: Model, group: string): readonly Medium[] {
  const stated = readQuirks(model.quirks).inputMedia;
  if (stated !== undefined) return MEDIA.filter((each) => stated.includes(each));
  const id = model.aliasOf ?? model.id;
  const upstreams = catalog.serving(id, group);
  return MEDIA.filter((each) => upstreams.some((upstream) => readBy(upstream, id).includes(each)));
}

/** True if the model is known to read none of these media. A model about which nothing is known may read them all. */
export function readsNoneOf(
  catalog: Catalog,
  model: Model,
  group: string,
  wanted: ReadonlySet<Medium>,
): boolean {
  const stated = readQuirks(model.quirks).inputMedia;
  if (stated !== undefined) return !stated.some((each) => wanted.has(each));
  const known = catalog.serving(model.id, group).map((upstream) => knownOf(upstream, model.id));
  return known.every((reads) => reads !== undefined && !reads.some((each) => wanted.has(each)));
}

function readBy(upstream: Upstream, modelId: string): readonly Medium[] {
  return knownOf(upstream, modelId) ?? [];
}

function knownOf({ kind, models }: Upstream, modelId: string): readonly Medium[] | undefined {
  // The sandbox accepts every medium.
  if (kind === "sandbox") return MEDIA;
  const name = models.get(modelId) ?? modelId;
  return ROWS.find(([pattern]) => pattern.test(name))?.[1];
}

function row(name: string, reads: readonly Medium[]): readonly [RegExp, readonly Medium[]] {
  return [new RegExp(`(^|[/.])(${name})`), reads];
}
