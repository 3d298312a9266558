import type { BodyScan, FoundValue } from "../base/json/json-scan.ts";
import { leavesOpen, type ServiceDimension } from "../usage/service-terms.ts";
import { MEDIA, type Medium } from "./media.ts";

/** The parts of a body, beside its own text, that a hold and a price depend on. */
export interface BodyFeatures {
  /**
   * Why the bytes of the body say nothing about its tokens: the path of the field that refers to content
   * kept elsewhere, holds media whose length bytes do not bound, or lets the upstream add content of its
   * own. Undefined where the bytes do bound them.
   */
  readonly unbounded: string | undefined;
  /** Tools that the upstream runs and bills by the call. */
  readonly hostedTools: readonly HostedTool[];
  /** Fields that have the upstream run such a tool once for the request, as far as it does not count them. */
  readonly hostedFields: readonly string[];
  /** Fields whose value changes the vendor's price, e.g. `service_tier` = `priority`. */
  readonly pricedFields: readonly PricedField[];
  /** The body can ask for cache writes that live an hour or longer. */
  readonly mayWriteLong: boolean;
  /** The media that the model may have to read beside text; a reference may be to any of them. */
  readonly mediaRead: ReadonlySet<Medium>;
  /** The lists of words in the body that request the media of the response. */
  readonly requestedMedia: readonly RequestedMedia[];
  /** The upstream may summarise the conversation before it answers, and bills that like a request of its own. */
  readonly maySummarise: boolean;
  /**
   * Tools that the upstream may run by itself, each run followed by another pass over the conversation: where the object that
   * defines the tool starts, or the value of the field that turns it on. Empty = it answers in one pass.
   */
  readonly vendorTools: readonly number[];
  /** One of its tools runs code at no charge, and makes all code that runs beside it free. */
  readonly runsCode?: true | undefined;
  /** It refers to what a vendor keeps, such as a stored prompt, cached content or a file, which may bring tools with it. */
  readonly mayBringTools: boolean;
  /** Images inside the body: where they stand in it. */
  readonly images: readonly BodyRange[];
}

/** A definition of a tool that the upstream runs and bills by the call. */
export interface HostedTool {
  /** The vendor's name. */
  readonly tool: string;
  readonly place: ToolPath;
  /** The definition's type, or the member that is the definition. */
  readonly found: FoundValue;
}

/** A path at which tools are defined. */
export interface ToolPath {
  /** The path in the form that callers read: `input[].tools[]`. */
  readonly path: string;
  /** The tool is named by its key, not by its type. */
  readonly byKey?: true | undefined;
  /** Within state that must be sent back as the vendor gave it. */
  readonly inState?: true | undefined;
}

/** A path that states the size in which a tool is to run, for tools whose sizes have different prices. */
export interface CallSizePlace {
  readonly path: string;
  /** The name of the tool's family. */
  readonly tool: string;
  /** It names what was made before, of whatever size. */
  readonly isReused?: true;
}

/** A place as a scan watches it. */
export function scannedPath({ path }: ToolPath): string {
  return path.replaceAll("[]", "");
}

/** The field that says in which media the response is wanted, and where its value stands. */
export interface RequestedMedia extends BodyRange {
  readonly field: string;
}

/** A field that asks how to be served, as the caller wrote it. */
export interface PricedField {
  readonly dimension: ServiceDimension;
  readonly field: string;
  readonly value: string;
}

/** Bytes of a body, [start, end). */
export interface BodyRange {
  readonly start: number;
  readonly end: number;
}

/** The paths in the bodies of one protocol that decide what a request can cost. */
export interface HoldTable {
  /** Paths with what the values found there mean. */
  readonly features: ReadonlyMap<string, FeatureRule>;
  /** Texts that are embedded or ranked, each by itself; null where a response is generated. */
  readonly texts: TextPaths | null;
  /** The paths at which the caller limits the runs of the upstream's tools: all of them together, or each. */
  readonly callLimits?: CallLimits | undefined;
  /** The paths that state the size in which a tool is to run; absent = there are none. */
  readonly callSizes?: readonly CallSizePlace[] | undefined;
  /** The parts of the request that depend on its tools; absent = none. */
  readonly toolUse?: ToolUse | undefined;
  /** Responses of the protocol have no place that tells which of the vendor's tools ran: only some vendors tell it. */
  readonly uncounted?: true | undefined;
  /** Turns a word for a medium into its name; absent = bodies have the names themselves. */
  readonly readMediumWord?: ((word: unknown) => unknown) | undefined;
}

/** Paths of limits of calls. */
interface CallLimits {
  /** The limit of all tools together. */
  readonly together?: string;
  /** The limit of one tool, in its definition. */
  readonly each?: readonly string[];
}

/** The costs beside the response that the tools of a request cause. */
export interface ToolUse {
  /** The top-level field that says which tool must be called. */
  readonly choice: string;
  /** Further such fields that vendors refuse where there are no tools. */
  readonly beside?: readonly string[] | undefined;
  /** Paths of tools that stand elsewhere than in the list of tools. */
  readonly elsewhere?: readonly string[] | undefined;
  /** Path of the types of what the conversation consists of, and how those end that only a hosted tool makes. */
  readonly history?: { readonly path: string; readonly suffix: string } | undefined;
}

/** The path of a list of texts, and of one that is read again with each of them. */
interface TextPaths {
  readonly list: string;
  readonly beside?: string | undefined;
}

/** The path of the members' values, for members that are objects. */
const membersOf = (path: string): string => `${path}.*`;

/** Joins the costs that every protocol that generates can have with those of this one. */
export function generatingHold(
  own: readonly FeatureEntry[],
  { callLimits, callSizes, toolUse, uncounted, readMediumWord }: Omit<HoldTable, "features" | "texts"> = {},
): HoldTable {
  const { choice, beside = [], elsewhere = [] } = toolUse ?? {};
  const limits = Object.values(callLimits ?? {}).flat();
  const sizes = (callSizes ?? []).map(({ path }) => path);
  const watched = [...limits, ...sizes, ...(choice ? [choice] : []), ...beside, ...elsewhere];
  const features = new Map([...ANYWHERE, ...own, ...entries(sibling, watched)]);
  return { features, texts: null, callLimits, callSizes, toolUse, uncounted, readMediumWord };
}

/** Texts that are embedded or ranked cost nothing beside themselves. */
export function textsHold(texts: TextPaths): HoldTable {
  return { features: new Map(), texts };
}

/** The paths that a scan must watch, beside limits and counts, so that the hold can be told. */
export function holdPaths({ features, texts }: HoldTable): readonly string[] {
  if (texts === null) return [...features.keys()];
  const paths = texts.beside === undefined ? [texts.list] : [texts.list, texts.beside];
  return [...features.keys(), ...paths, ...paths.map(membersOf)];
}

/**
 * Counts the texts at a path that may be images, audio or video instead: objects with a link, with further objects, or
 * with a member that is named for its medium. https://api.jina.ai/redoc, https://docs.cohere.com/v2/reference/embed
 */
export function mediaAmong(path: string, scan: BodyScan): number {
  const members = scan.all(membersOf(path));
  // If there are more members than were kept, each of them may be one.
  if (members.length < scan.count(membersOf(path))) return scan.count(membersOf(path));
  return new Set(members.filter(carriesMedia).map(({ parent }) => parent)).size;
}

function carriesMedia({ name, type, head }: FoundValue): boolean {
  return type === "object" || type === "array" || LINK.test(head) || MEDIA_NAME.test(name);
}

const LINK = /^(data:|[a-z][a-z0-9+.-]*:\/\/)/i;
const MEDIA_NAME = /image|audio|video|pdf|file/i;

/**
 * Reads the features of a body. Whatever cannot be told apart counts as the dearer: a duplicate key, an
 * escaped spelling or an unknown kind never lowers what is held.
 */
export function readFeatures({ features: rules }: HoldTable, scan: BodyScan): BodyFeatures {
  const features: Draft = {
    unbounded: undefined,
    hostedTools: [],
    hostedFields: [],
    pricedFields: [],
    mayWriteLong: false,
    mediaRead: new Set(),
    requestedMedia: [],
    maySummarise: false,
    vendorTools: [],
    mayBringTools: false,
    images: [],
  };
  for (const path of scan.present) {
    const rule = rules.get(path);
    if (rule === undefined) continue;
    const values = scan.all(path);
    if (values.length < scan.count(path)) {
      features.unbounded ??= path;
      readsMedia(features, MEDIA);
    }
    rule(features, values, path, scan);
  }
  return features;
}

type Draft = { -readonly [field in keyof BodyFeatures]: BodyFeatures[field] } & {
  hostedTools: HostedTool[];
  hostedFields: string[];
  pricedFields: PricedField[];
  vendorTools: number[];
  images: BodyRange[];
  mediaRead: Set<Medium>;
  requestedMedia: RequestedMedia[];
};

function readsMedia({ mediaRead }: Draft, media: readonly Medium[]): void {
  for (const medium of media) mediaRead.add(medium);
}

/** Notes what the values found at one path mean. */
export type FeatureRule = (
  features: Draft,
  values: readonly FoundValue[],
  path: string,
  scan: BodyScan,
) => void;

/** A path with the rule for its values. */
export type FeatureEntry = readonly [path: string, rule: FeatureRule];

/** An id or address of content kept elsewhere. Objects do not count: a JSON schema may have a property of that name. */
export const reference = content(MEDIA);

/**
 * The same for content of which is known what it is, kept elsewhere or inside the body: audio, video and documents are
 * compressed, so that their bytes do not bound their tokens either.
 */
function content(media: readonly Medium[]): FeatureRule {
  return (features, values, path) => {
    if (!values.some((value) => value.head !== "" || (value.type === "array" && value.items > 0))) return;
    features.unbounded ??= path;
    if (media === MEDIA) features.mayBringTools = true;
    readsMedia(features, media);
  };
}

const isOn = (value: FoundValue): boolean =>
  value.type !== "null" && value.value !== false && !(value.type === "array" && value.items === 0);

/** A field that makes the upstream add content of its own, unless it is switched off. */
export const addsContent: FeatureRule = (features, values, path) => {
  const on = values.find(isOn);
  if (on === undefined) return;
  features.unbounded ??= path;
  features.vendorTools.push(on.start);
};

/** The same, billed by the call. */
export const hostedTool: FeatureRule = (features, values, path) => {
  const on = values.find(isOn);
  if (on === undefined) return;
  features.unbounded ??= path;
  features.vendorTools.push(on.start);
  features.hostedFields.push(path);
};

/** Lifetimes that are known to be shorter than an hour. */
const SHORT_LIFE = /^(5m|30m|in[_-]memory)$/;

const timeToLive: FeatureRule = (features, values) => {
  if (values.some(({ head }) => head !== "" && !SHORT_LIFE.test(head))) features.mayWriteLong = true;
};

/** A list of the media in which the model is to answer. */
const requestedMedia: FeatureRule = (features, values, field) => {
  for (const value of values)
    if (isOn(value)) features.requestedMedia.push({ field, start: value.start, end: value.end });
};

/** Edits of a long conversation that only leave something out. */
const PLAIN_EDIT = /^clear_/;

export const contextEdit: FeatureRule = (features, values) => {
  if (values.some(({ head }) => head !== "" && !PLAIN_EDIT.test(head))) features.maySummarise = true;
};

/** A field by which the caller chooses how it is served, unless it leaves that to the vendor. */
export function serviceField(dimension: ServiceDimension): FeatureRule {
  return (features, values, field) => {
    for (const { head: value } of values) {
      if (value === "" || leavesOpen(value)) continue;
      features.pricedFields.push({ dimension, field, value });
    }
  };
}

/** The types that models accept as an image. SVG is text, and other types are unbounded. */
const IMAGE = /^image\/(?!svg)[a-z0-9.+-]+$/i;
const IMAGE_URL = /^data:image\/(?!svg)[a-z0-9.+-]+;base64,/i;
const TEXT = /^(text\/|image\/svg)/i;
const TEXT_URL = /^data:(text\/|image\/svg)/i;

/** An address: elsewhere, unless it is a data URL of an image or of text. */
const address: FeatureRule = (features, values, path) => {
  const isInside = (head: string): boolean => IMAGE_URL.test(head) || TEXT_URL.test(head);
  if (values.some(({ head }) => head !== "" && !isInside(head))) features.unbounded ??= path;
  if (values.some(({ head }) => head !== "" && !TEXT_URL.test(head))) readsMedia(features, ["image"]);
};

/** The declared type of base64 content. */
export const mediaType: FeatureRule = (features, values, path) => {
  for (const { head } of values) {
    if (head === "" || TEXT.test(head)) continue;
    if (!IMAGE.test(head)) features.unbounded ??= path;
    readsMedia(features, mediaOf(head));
  }
};

/** A video may have audio, and the pages of a document are read as images. */
function mediaOf(type: string): readonly Medium[] {
  const [kind = ""] = type.toLowerCase().split("/");
  if (kind === "image" || kind === "application") return ["image"];
  return kind === "audio" ? ["audio"] : MEDIA;
}

const image = (features: Draft, value: FoundValue): void => {
  features.images.push({ start: value.start, end: value.end });
};

/**
 * The paths at which vendors read a data URL as an image. The same value anywhere else is text, and counted as such.
 */
export const imageUrl: FeatureRule = (features, values) => {
  for (const value of values) if (IMAGE_URL.test(value.head)) image(features, value);
};

/** Base64 content where vendors read it: an image if all its siblings say so, otherwise counted as text. */
export function imageData(typePaths: readonly string[], kindPath?: string): FeatureRule {
  return (features, values, path, scan) => {
    const types = byParent(typePaths.flatMap((typePath) => scan.all(typePath)));
    const kinds = kindPath === undefined ? undefined : byParent(scan.all(kindPath));
    const isOnly = (heads: readonly string[] | undefined, expected: RegExp): boolean =>
      heads?.length === 1 && heads.every((head) => expected.test(head));
    const data = byParent(scan.all(path));
    for (const value of values) {
      const { parent } = value;
      const isImage =
        isOnly(types.get(parent), IMAGE) &&
        (kinds === undefined || isOnly(kinds.get(parent), /^base64$/)) &&
        data.get(parent)?.length === 1;
      if (isImage) image(features, value);
    }
  };
}

function byParent(values: readonly FoundValue[]): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const { parent, head } of values) {
    const group = groups.get(parent);
    if (group === undefined) groups.set(parent, [head]);
    else group.push(head);
  }
  return groups;
}

/** In both spellings: https://ai.google.dev/api/generate-content#generationconfig */
const CONFIGURED_MEDIA = ["generationConfig", "generation_config"].flatMap((config) => [
  `${config}.responseModalities`,
  `${config}.response_modalities`,
]);

/** Watched for the rules of its siblings. */
export const sibling: FeatureRule = () => {};

export const entries = (rule: FeatureRule, paths: readonly string[]): FeatureEntry[] =>
  paths.map((path) => [path, rule]);

/** At any depth and in every protocol: vendors and their imitators differ about the places. */
const ANYWHERE: readonly FeatureEntry[] = [
  ...entries(reference, ["**.file_id", "**.file_ids", "**.file_url", "**.fileUri", "**.file_uri"]),
  ...entries(reference, ["**.cachedContent", "**.cached_content", "**.previous_response_id"]),
  ...entries(reference, ["**.video_url", "**.video_url.url"]),
  ...entries(content(["audio"]), ["**.audio_url", "**.audio_url.url"]),
  ...entries(content(["image"]), ["**.document_url", "**.source.url"]),
  ...entries(content(["image"]), ["**.file_data"]),
  ...entries(content(["audio"]), ["**.input_audio.data"]),
  ...entries(address, ["**.image_url", "**.image_url.url"]),
  ...entries(mediaType, ["**.source.media_type"]),
  ...entries(timeToLive, ["**.ttl", "prompt_cache_retention"]),
  ...entries(requestedMedia, ["modalities", ...CONFIGURED_MEDIA]),
  ...entries(serviceField("tier"), ["service_tier", "serviceTier"]),
];
