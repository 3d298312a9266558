import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Body,
  IMAGES,
  imageBody,
  VIDEOS,
  videoaBody,
  videobBody,
  videocBody,
} from "../testing/media-orders.ts";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

const URL = "https://images.example/fox.png";
const DATA = "data:image/png;base64,iVBORw0KGgo=";
const item = (kind: string, role: string | undefined, url = URL): Body => ({
  type: kind,
  role,
  [kind]: { url },
});
const image = (role: string): Body => item("image_url", role);

const BASES: Readonly<Record<string, (change?: Body) => Body>> = {
  imagegen: imageBody,
  videoa: videoaBody,
  videob: videobBody,
  videoc: videocBody,
};

describe("the sandbox's strictness", () => {
  let sandbox: StartedSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ taskMs: 0 });
  });
  afterAll(() => sandbox.close());

  const ask = (
    body: Body,
  ): Promise<{ status: number; json: { code: string; message: string; data: unknown } }> =>
    sandbox.post(String(body["model"]).startsWith("imagegen") ? IMAGES : VIDEOS, body);

  const required = Object.entries(BASES).flatMap(([family, base]) =>
    Object.keys(base())
      .filter((field) => field !== "model")
      .map((field) => [family, field] as const),
  );

  it.each(required)("wants every default sent: %s without %s is refused", async (family, field) => {
    const { status, json } = await ask(BASES[family]?.({ [field]: undefined }) ?? {});
    expect([status, json.code, json.data]).toEqual([400, "missing_default", null]);
    expect(json.message).toContain(field);
  });

  it.each(Object.keys(BASES))("takes no field that is not %s's", async (family) => {
    expect((await ask(BASES[family]?.() ?? {})).status).toBe(200);
    expect((await ask(BASES[family]?.({ user: "me" }) ?? {})).json.code).toBe("unknown_field");
  });

  it.each<[string, Body]>([
    ["a ratio that is not listed", imageBody({ size: "7:5" })],
    ["no pixels", imageBody({ size: "0x100" })],
    ["a tier that is not listed", imageBody({ resolution: "8k" })],
    ["an empty prompt", imageBody({ prompt: "" })],
    ["an empty list of images", imageBody({ image_urls: [] })],
    ["an image that is no URL", imageBody({ image_urls: ["fox.png"] })],
    ["a quality on imagegen-2", imageBody({ quality: "high" })],
    ["no quality on flare", imageBody({ model: "imagegen-2.5-flare" })],
    ["1080p on fast", videoaBody({ model: "videoa-2.0-fast", resolution: "1080p" })],
    ["16 s on 2.0", videoaBody({ duration: 16 })],
    ["31 s on 2.5", videoaBody({ model: "videoa-2.5", duration: 31 })],
    ["3 s", videoaBody({ duration: 3 })],
    ["a duration of text", videoaBody({ duration: "5" })],
    ["a half second", videoaBody({ duration: 5.5 })],
    ["an image without a role", videoaBody({}, item("image_url", undefined))],
    ["a role of another kind", videoaBody({}, item("video_url", "first_frame"))],
    ["a last frame alone", videoaBody({}, image("last_frame"))],
    ["two first frames", videoaBody({}, image("first_frame"), image("first_frame"))],
    ["a frame beside a video", videoaBody({}, image("first_frame"), item("video_url", "reference_video"))],
    ["audio alone on 2.0", videoaBody({}, item("audio_url", "reference_audio"))],
    ["a data URL on 2.5", videoaBody({ model: "videoa-2.5" }, item("image_url", "reference_image", DATA))],
    ["a fixed ratio beside a frame on 2.5", videoaBody({ model: "videoa-2.5" }, image("first_frame"))],
    [
      "ten reference images on 2.0",
      videoaBody({}, ...Array.from({ length: 10 }, () => image("reference_image"))),
    ],
    ["an asset that does not exist", videoaBody({}, item("image_url", "first_frame", "asset://asset-none"))],
    ["a tool that is not listed", videoaBody({ tools: [{ type: "browse" }] })],
    ["an alias", videobBody({ size: undefined, aspect_ratio: "16:9" })],
    ["images without their purpose", videobBody({ image_urls: [URL] })],
    ["three frames", videobBody({ image_urls: [URL, URL, URL], generation_type: "frame" })],
    ["frames beside a video", videobBody({ image_urls: [URL], generation_type: "frame", video_urls: [URL] })],
    ["a last frame alone", videobBody({ image_with_roles: [{ url: URL, role: "last_frame" }] })],
    ["audio alone", videobBody({ audio_urls: [URL] })],
    ["a file without the extension of its prompt", videobBody({ file_url: URL })],
    ["a file and a page", videobBody({ file_url: URL, link_url: URL, prompt_extend: true })],
    ["31 s", videobBody({ duration: 31 })],
    ["a seed that is too large", videobBody({ seed: 2 ** 31 })],
    ["a prompt that was not cut", videobBody({ prompt: "x".repeat(20_001) })],
    ["-1 on videoc", videocBody({ duration: -1 })],
    ["2K on videoc", videocBody({ resolution: "2K" })],
    ["a ratio videoc does not make", videocBody({ aspect_ratio: "4:3" })],
    ["ten images on videoc", videocBody({ image_urls: Array.from({ length: 10 }, () => URL) })],
  ])("refuses %s", async (_, body) => {
    const { status, json } = await ask(body);
    expect([status, json.data]).toEqual([400, null]);
    expect(["invalid_request", "missing_default", "unknown_field"]).toContain(json.code);
  });

  it.each<[string, Body]>([
    ["data URLs of images", imageBody({ image_urls: [DATA, URL] })],
    ["high quality on sunburst", imageBody({ model: "imagegen-2.5-sunburst", quality: "high" })],
    ["an inline image on 2.0", videoaBody({}, item("image_url", "first_frame", DATA))],
    ["a frame beside a reference image", videoaBody({}, image("first_frame"), image("reference_image"))],
    ["both frames", videoaBody({}, image("first_frame"), image("last_frame"))],
    ["audio alone on 2.5", videoaBody({ model: "videoa-2.5" }, item("audio_url", "reference_audio"))],
    ["30 s on 2.5", videoaBody({ model: "videoa-2.5", duration: 30, ratio: "adaptive", seed: -1 })],
    ["web search", videoaBody({ tools: [{ type: "web_search" }] })],
    ["two frames", videobBody({ image_urls: [URL, URL], generation_type: "frame" })],
    [
      "references of all kinds",
      videobBody({ image_urls: [URL], generation_type: "reference", audio_urls: [URL] }),
    ],
    ["a web page", videobBody({ link_url: URL, prompt_extend: true })],
    ["a resolution in any case", videobBody({ resolution: "720p", duration: 2 })],
    ["audios on videoc", videocBody({ audio_urls: [URL, URL, URL], seed: 5 })],
  ])("takes %s", async (_, body) => {
    expect(await ask(body)).toMatchObject({ status: 200 });
  });

  it("names what is missing before anything else", async () => {
    const code = async (path: string, body: unknown): Promise<string> =>
      (await sandbox.post(path, body as Body)).json.code;
    expect(await code(IMAGES, "{")).toBe("invalid_request");
    expect(await code(VIDEOS, [])).toBe("invalid_request");
    expect(await code(IMAGES, { prompt: "x" })).toBe("missing_model");
    expect(await code(IMAGES, { model: 5 })).toBe("invalid_request");
    expect(await code(VIDEOS, imageBody())).toBe("model_not_found");
    expect(await code(VIDEOS, { model: "text-large" })).toBe("model_not_found");
  });
});
