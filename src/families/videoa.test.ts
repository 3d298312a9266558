import { describe, expect, it } from "vitest";
import { GatewayError } from "../errors.ts";
import type { Submission, VideoOrder } from "./family.ts";
import { videoa } from "./videoa.ts";

const text = (words: string) => ({ type: "text", text: words });
const image = (role?: string | null, url = "https://x.example/i.png") => ({
  type: "image_url",
  image_url: { url },
  role,
});
const video = (role: unknown = "reference_video") => ({
  type: "video_url",
  video_url: { url: "https://x.example/v.mp4" },
  role,
});
const audio = (role: unknown = "reference_audio") => ({
  type: "audio_url",
  audio_url: { url: "asset://asset-1" },
  role,
});

const read = (variant: string, content: unknown, more: Record<string, unknown> = {}): Submission =>
  videoa.read({ id: `videoa-${variant}`, variant: null }, { content, ...more });
const orderOf = (...given: Parameters<typeof read>): VideoOrder => read(...given).order as VideoOrder;
const refusal = (...given: Parameters<typeof read>): unknown => {
  try {
    return read(...given).violation ?? "accepted";
  } catch (error) {
    return error instanceof GatewayError ? [error.status, error.code, error.param] : error;
  }
};
const CAT = [text("a cat")];
const ALL = ["2.0", "2.0-fast", "2.0-mini", "2.5"];
const ADAPTIVE = { ratio: "adaptive" };

describe("videoa", () => {
  it("fills in every default", () => {
    const defaults = {
      medium: "video",
      family: "videoa",
      prompt: "a cat",
      durationSeconds: 5,
      resolution: "720p",
      audio: true,
      seed: null,
      watermark: false,
      references: [],
      returnLastFrame: false,
      tools: [],
      promptExtend: null,
      fileUrl: null,
      linkUrl: null,
    };
    for (const variant of ALL) {
      expect(read(variant, CAT)).toEqual({
        order: { ...defaults, ratio: variant === "2.5" ? "adaptive" : "16:9" },
        units: { videoSeconds: { "720p": 5 } },
        action: "textGenerate",
        violation: null,
      });
    }
  });

  it("takes what is said, the resolution in any case", () => {
    const said = {
      resolution: "1080P",
      ratio: "21:9",
      duration: 15,
      generate_audio: false,
      seed: 4_294_967_295,
      watermark: true,
      return_last_frame: true,
      tools: [{ type: "web_search" }],
    };
    expect(orderOf("2.0", [text("one"), text("two")], said)).toMatchObject({
      prompt: "one\ntwo",
      resolution: "1080p",
      ratio: "21:9",
      durationSeconds: 15,
      audio: false,
      seed: 4_294_967_295,
      watermark: true,
      returnLastFrame: true,
      tools: ["web_search"],
    });
    expect(read("2.0", CAT, said).units).toEqual({ videoSeconds: { "1080p": 15 } });
  });

  it("refuses a request without content, or with content of another form", () => {
    const because = [400, "invalid_request", "content"];
    const wrong = [
      undefined,
      null,
      [],
      "",
      "a cat",
      5,
      {},
      [5],
      [null],
      ["a cat"],
      [[]],
      [{}],
      [{ type: 5 }],
    ];
    const items = [{ type: "text" }, { type: "text", text: 5 }, { type: "image_url" }];
    const urls = [
      { type: "image_url", image_url: "https://x" },
      { type: "video_url", video_url: { url: 5 } },
    ];
    for (const variant of ALL) {
      for (const content of [...wrong, ...[...items, ...urls].map((item) => [text("a cat"), item])])
        expect([content, refusal(variant, content)]).toEqual([content, because]);
    }
  });

  it("refuses on 2.5 a duration that is no positive whole number; elsewhere the task fails", () => {
    for (const duration of [0, -2, 5.5, "5", true, [5], {}, Number.POSITIVE_INFINITY]) {
      expect(refusal("2.5", CAT, { duration })).toEqual([400, "invalid_duration", "duration"]);
      expect(refusal("2.0", CAT, { duration })).toMatch(
        /^`duration` must be a whole number from 4 to 15 or -1/,
      );
    }
    for (const duration of [null, "", []]) expect(orderOf("2.5", CAT, { duration }).durationSeconds).toBe(5);
  });

  it("fails the task for a duration beyond the variant's, held within its bounds", () => {
    const held = (variant: string, duration: number) => {
      const { units, violation } = read(variant, CAT, { duration });
      return [units.videoSeconds?.["720p"], violation === null];
    };
    expect(held("2.0", 4)).toEqual([4, true]);
    expect(held("2.0", 3)).toEqual([4, false]);
    expect(held("2.0", 15)).toEqual([15, true]);
    expect(held("2.0", 16)).toEqual([15, false]);
    expect(held("2.5", 30)).toEqual([30, true]);
    expect(held("2.5", 31)).toEqual([30, false]);
    expect(held("2.5", 3)).toEqual([4, false]);
  });

  it("holds the variant's longest where the model decides", () => {
    expect(read("2.0", CAT, { duration: -1 }).units).toEqual({ videoSeconds: { "720p": 15 } });
    expect(read("2.5", CAT, { duration: -1, resolution: "1080p" }).units).toEqual({
      videoSeconds: { "1080p": 30 },
    });
    expect(orderOf("2.5", CAT, { duration: -1 }).durationSeconds).toBe(-1);
  });

  it("fails the task for values that the variant lacks", () => {
    for (const variant of ["2.0-fast", "2.0-mini"]) {
      expect(videoa.priceWords({ id: `videoa-${variant}`, variant: null })).toEqual(["720p"]);
      const { violation, units } = read(variant, CAT, { resolution: "1080p" });
      expect(violation).toBe('`resolution` must be one of 720p, not "1080p".');
      expect(units).toEqual({ videoSeconds: { "720p": 5 } });
    }
    const wrong: Record<string, unknown> = {
      resolution: "480p",
      ratio: "2:1",
      generate_audio: "yes",
      seed: -2,
      watermark: 1,
      return_last_frame: "true",
      tools: [{ type: "code" }],
    };
    for (const [name, value] of Object.entries(wrong))
      expect(refusal("2.0", CAT, { [name]: value })).toMatch(new RegExp(`^\`${name}\``));
    expect(refusal("2.0", CAT, { seed: 4_294_967_296 })).toMatch(/^`seed`/);
    expect(refusal("2.0", [text("a"), { type: "file_url" }])).toMatch(/^`content\[1\]\.type`/);
  });

  it("takes one image without a role for the first frame, and fails on several", () => {
    for (const role of [undefined, null, ""])
      expect(orderOf("2.0", [image(role)]).references).toEqual([
        { kind: "image", role: "first_frame", url: "https://x.example/i.png" },
      ]);
    expect(refusal("2.0", [image(), image("last_frame")])).toBe("accepted");
    expect(refusal("2.0", [image(), image()])).toMatch(/^Several images have no `role`/);
  });

  it("fails the task where roles break the rules", () => {
    const rules: [string, unknown[], RegExp][] = [
      ["2.0", [video(undefined), video(null)], /role` must be reference_video/],
      ["2.0", [image("reference_image"), audio("reference_video")], /role` must be reference_audio/],
      ["2.0", [image("cover")], /role` must be first_frame, last_frame, reference_image/],
      ["2.0", [image("first_frame"), video()], /combined with reference videos/],
      ["2.0", [image("first_frame"), audio()], /combined with reference videos or audio/],
      ["2.0", [image("last_frame")], /requires a first_frame/],
      ["2.0", [image("first_frame"), image("first_frame")], /only one first frame and one last/],
      ["2.0", [text("a"), audio()], /requires a reference image or video/],
      ["2.0", Array(10).fill(image("reference_image")), /At most 9 reference images/],
      ["2.0", Array(4).fill(video()), /At most 3 reference videos/],
      ["2.0", [video(), ...Array(4).fill(audio())], /At most 3 reference audios/],
      ["2.5", Array(31).fill(image("reference_image")), /At most 30 reference images/],
      ["2.5", Array(11).fill(video()), /At most 10 reference videos/],
      ["2.5", Array(11).fill(audio()), /At most 10 reference audios/],
      ["2.5", [text("a"), text("b")], /at most 1 text item/],
    ];
    for (const [variant, content, reason] of rules) expect(refusal(variant, content)).toMatch(reason);
    const sound: [string, unknown[]][] = [
      ["2.0", [image("first_frame"), image("last_frame")]],
      [
        "2.0",
        [...Array(9).fill(image("reference_image")), ...Array(3).fill(video()), ...Array(3).fill(audio())],
      ],
      ["2.5", [audio()]],
      ["2.5", [...Array(30).fill(image("reference_image")), ...Array(10).fill(video())]],
    ];
    for (const [variant, content] of sound) expect(refusal(variant, content)).toBe("accepted");
  });

  it("takes data URLs for images of 2.0 only, assets everywhere, and no other address", () => {
    const data = "data:image/png;base64,AAAA";
    expect(refusal("2.0", [image("reference_image", data)])).toBe("accepted");
    expect(refusal("2.5", [image("reference_image", data)])).toMatch(/^`content\[0\]\.image_url\.url`/);
    for (const variant of ALL) {
      expect(refusal(variant, [image("reference_image", "asset://asset-7")])).toBe("accepted");
      expect(refusal(variant, [image("reference_image", "file:///etc/passwd")])).toMatch(/^`content\[0\]/);
      expect(refusal(variant, [image("reference_image", "asset://")])).toMatch(/^`content\[0\]/);
    }
    const sound = { ...audio(), audio_url: { url: "data:audio/wav;base64,AAAA" } };
    expect(refusal("2.5", [sound])).toMatch(/^`content\[0\]\.audio_url\.url`/);
  });

  it("takes an empty text beside materials for none, and alone for no content", () => {
    for (const empty of ["", null]) {
      const item = { type: "text", text: empty };
      const given = read("2.0", [item, image("first_frame")]);
      expect(given).toMatchObject({ violation: null, action: "generate", order: { prompt: "" } });
      expect(given).toEqual(read("2.0", [image("first_frame")]));
      expect(read("2.5", [item, text("a cat")])).toEqual(read("2.5", [text("a cat")]));
      expect(refusal("2.0", [item])).toEqual([400, "invalid_request", "content"]);
      expect(refusal("2.0", [item, item])).toEqual([400, "invalid_request", "content"]);
    }
    for (const odd of [undefined, 7, ["a"], { a: 1 }, false])
      expect(refusal("2.0", [{ type: "text", text: odd }, image()])).toEqual([
        400,
        "invalid_request",
        "content",
      ]);
  });

  it("takes what means the same in any case of an address in any case, and passes it on in lower case", () => {
    const urls = [
      "ASSET://asset-Ab",
      "Asset://asset-Ab",
      "HTTPS://X.Example/A",
      "DATA:image/PNG;base64,AAAA",
    ];
    const { order, violation } = read("2.0", [
      text("a"),
      ...urls.map((url) => image("reference_image", url)),
    ]);
    expect(violation).toBeNull();
    expect((order as VideoOrder).references.map(({ url }) => url)).toEqual([
      ...["asset://asset-Ab", "asset://asset-Ab", "https://x.example/A", "data:image/png;base64,AAAA"],
    ]);
  });

  it("says generate as soon as anything but text was sent", () => {
    for (const item of [image(), video(), audio(), image("cover")])
      expect(read("2.5", [text("a"), item]).action).toBe("generate");
  });
});

describe("videoa 2.5's type of task", () => {
  const failure = (words: string, more: object, ...items: unknown[]) =>
    refusal("2.5", [text(words), ...items], more as Record<string, unknown>);

  it("demands an adaptive ratio of frames, which is its default", () => {
    for (const frame of [image(), image("first_frame")]) {
      expect(failure("a cat", {}, frame)).toBe("accepted");
      expect(failure("a cat", { ratio: "16:9" }, frame)).toMatch(/requires `ratio` adaptive, not 16:9/);
    }
    expect(refusal("2.0", [image("first_frame")], { ratio: "16:9" })).toBe("accepted");
  });

  it.each(["Edit video 1", "replace the car in the clip", "删除视频1中的人物"])(
    "takes %j beside a reference video for an edit: adaptive and -1",
    (words) => {
      expect(failure(words, { ...ADAPTIVE, duration: -1 }, video())).toBe("accepted");
      expect(failure(words, {}, video())).toMatch(/requires `duration` -1, not 5/);
      expect(failure(words, { ratio: "16:9", duration: -1 }, video())).toMatch(/requires `ratio` adaptive/);
      expect(failure(words, { ratio: "16:9", duration: 8 })).toBe("accepted");
      expect(failure(words, { ratio: "16:9", duration: 8 }, image("reference_image"))).toBe("accepted");
    },
  );

  it.each(["extend video 1", "extend the clip and add a dog to the video", "向后延长"])(
    "takes %j beside a reference video for an extension: adaptive",
    (words) => {
      expect(failure(words, { duration: 8 }, video())).toBe("accepted");
      expect(failure(words, { ratio: "9:16" }, video())).toMatch(/requires `ratio` adaptive, not 9:16/);
      expect(failure(words, { ratio: "9:16" })).toBe("accepted");
    },
  );

  it.each(["extended family at dinner", "the dancers continue to spin", "add dramatic light", "a man walks"])(
    "leaves %j to the vendor",
    (words) => expect(failure(words, { ratio: "16:9", duration: 8 }, video())).toBe("accepted"),
  );
});
