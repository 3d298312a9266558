import type { ImageOrder, MediaReference, VideoOrder } from "../../families/family.ts";
import type { SubmitAbout } from "./task-api.ts";

/**
 * Orders in the words that the specification and the vendors behind it share. Every default is written
 * out, since the vendor's own may differ; null means that nobody chose and nobody has to.
 */
export function imagegenBody(order: ImageOrder, { model }: Pick<SubmitAbout, "model">): object {
  return {
    model,
    prompt: order.prompt,
    size: order.ratio ?? pixelsOf(order),
    resolution: order.tier,
    quality: order.quality ?? undefined,
    image_urls: order.images.length === 0 ? undefined : order.images,
  };
}

/** "1248x1248" */
export function pixelsOf({ widthPx, heightPx }: ImageOrder): string {
  return `${widthPx}x${heightPx}`;
}

/** A videoa order, as ark and those who took over its words want it. */
export function videoaBody(order: VideoOrder, { model }: Pick<SubmitAbout, "model">): object {
  const prompt = withoutCommands(order.prompt);
  const text = prompt === "" ? [] : [{ type: "text", text: prompt }];
  return {
    model,
    content: [...text, ...order.references.map(contentItem)],
    resolution: order.resolution,
    ratio: order.ratio,
    duration: order.durationSeconds,
    generate_audio: order.audio ?? undefined,
    seed: order.seed ?? undefined,
    watermark: order.watermark ?? undefined,
    return_last_frame: order.returnLastFrame,
    tools: order.tools.length === 0 ? undefined : order.tools.map((type) => ({ type })),
  };
}

/**
 * The vendor reads commands in the prompt too (`--resolution 1080p --dur 12`), and some of its models obey them before the
 * fields: what was not ordered would be made and billed. https://www.volcengine.com/docs/82379/1520757
 */
function withoutCommands(prompt: string): string {
  const bare = prompt.replace(COMMANDS, "");
  return bare === prompt ? prompt : bare.trim();
}

const COMMANDS =
  /[ \t]*(?<!\S)--(?:resolution|rs|ratio|rt|duration|dur|frames|framespersecond|fps|watermark|wm|seed|camerafixed|cf)[ \t]+(?:-\d+|[^\s-]\S*)/giu;

/** One medium beside the text: `{type: "image_url", image_url: {url}, role}`. */
export function contentItem({ kind, role, url }: MediaReference): object {
  const type = `${kind}_url`;
  return { type, [type]: { url }, role: roleWord({ kind, role }) };
}

/** first_frame, last_frame, reference_image, reference_video, reference_audio. */
export function roleWord({ kind, role }: Pick<MediaReference, "kind" | "role">): string {
  return role === "reference" ? `reference_${kind}` : role;
}

export function videobBody(order: VideoOrder, { model }: Pick<SubmitAbout, "model">): object {
  const images = order.references.filter(({ kind }) => kind === "image");
  return {
    model,
    prompt: order.prompt,
    duration: order.durationSeconds,
    resolution: order.resolution.toUpperCase(),
    size: order.ratio,
    audio: order.audio ?? undefined,
    seed: order.seed ?? undefined,
    watermark: order.watermark ?? undefined,
    prompt_extend: order.promptExtend ?? undefined,
    // Explicit roles leave the vendor nothing to infer.
    ...listed(
      "image_with_roles",
      images.map((image) => ({ url: image.url, role: roleWord(image) })),
    ),
    ...listed("video_urls", urlsOf(order, "video")),
    ...listed("audio_urls", urlsOf(order, "audio")),
    file_url: order.fileUrl ?? undefined,
    link_url: order.linkUrl ?? undefined,
  };
}

export function videocBody(order: VideoOrder, { model }: Pick<SubmitAbout, "model">): object {
  return {
    model,
    prompt: order.prompt,
    duration: order.durationSeconds,
    resolution: order.resolution.toUpperCase(),
    aspect_ratio: order.ratio,
    seed: order.seed ?? undefined,
    ...listed("image_urls", urlsOf(order, "image")),
    ...listed("audio_urls", urlsOf(order, "audio")),
  };
}

function urlsOf(order: VideoOrder, wanted: MediaReference["kind"]): readonly string[] {
  return order.references.filter(({ kind }) => kind === wanted).map(({ url }) => url);
}

function listed(name: string, values: readonly unknown[]): object {
  return values.length === 0 ? {} : { [name]: values };
}
