import { describe, expect, it } from "vitest";
import { apiOf, imageOrder, NO_LINKS, taskApiContract } from "../../../test/support/task-api-contract.ts";
import { imagegen } from "../../families/imagegen.ts";

const PNG = Buffer.from("89504e470d0a1a0a0d0a2d2d0d0a", "hex");
const PNG_64 = PNG.toString("base64");
const WEBP_64 = Buffer.from("RIFF\x24\0\0\0WEBPVP8 ", "latin1").toString("base64");
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Responses of vendors that have no image. */
const NO_IMAGES = [
  ...[
    "<html><script>alert(1)</script></html>",
    "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "%PDF-1.7",
    "BM6",
  ].map(base64),
  ...["AAAA", "javascript:alert(1)", "<b>", "data:image/png,AAAA", "data:image/png;base64,AAAA"],
  `data:image/svg+xml;base64,${base64("<svg/>")}`,
  `data:text/html;base64,${base64("<b>")}`,
];

taskApiContract({
  kind: "openai",
  authorization: "Bearer their-key",
  orders: [
    {
      name: "an image, every default written out",
      order: imageOrder({ quality: "high" }),
      path: "/images/generations",
      body: {
        model: "their-model",
        prompt: "A lighthouse",
        size: "2048x1152",
        quality: "high",
        output_format: "png",
        n: 1,
      },
    },
    {
      name: "an edit",
      order: imageOrder({ images: [`data:image/png;base64,${PNG.toString("base64")}`] }),
      path: "/images/edits",
      headers: { "content-type": "multipart/form-data; boundary=faregate-task_0123456789abcdef" },
    },
  ],
  accepted: () => ({ created: 1, data: [{ b64_json: PNG_64 }], usage: { total_tokens: 9 } }),
  done: {
    type: "done",
    result: { outputs: [{ url: `data:image/png;base64,${PNG_64}` }], usage: { total_tokens: 9 } },
  },
  error: (_status, message) => ({
    error: { message, type: "invalid_request_error", code: "bad", param: "" },
  }),
  peculiar: [
    {
      name: "an account without credit, as a 429",
      status: 429,
      body: { error: { message: "pay", type: "insufficient_quota", code: "insufficient_quota" } },
      next: "another",
    },
    {
      name: "an account at its limit, as a 400",
      status: 400,
      body: { error: { message: "pay", code: "billing_hard_limit_reached" } },
      next: "another",
    },
    {
      name: "a 503 that says that nothing was taken",
      status: 503,
      body: { error: { message: "Slow down.", code: "slow_down" } },
      next: "later",
    },
    {
      name: "moderation",
      status: 400,
      body: { error: { message: "no", code: "moderation_blocked" } },
      next: "fail",
    },
  ],
});

describe("openai-images", () => {
  const api = apiOf("openai");
  const about = { model: "their-model", taskId: "task-1" };
  const read = (value: unknown): unknown =>
    api.readSubmit({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(value)) });

  it.each([{ size: "1024x1024", quality: "medium" }, { size: "1024x1024" }])(
    "says which image the vendor made: %j",
    (imageTerms) => {
      const data = [{ b64_json: PNG_64 }];
      expect(read({ created: 1, data, ...imageTerms })).toMatchObject({
        type: "done",
        result: { imageTerms },
      });
      expect(read({ created: 1, data: [{ ...data[0], ...imageTerms }] })).toMatchObject({
        result: { imageTerms },
      });
    },
  );

  it("sends reference images as the files they are", async () => {
    const urls = [
      `data:image/png;base64,${PNG.toString("base64")}`,
      `data:image/JPEG;base64,${Buffer.from("jpeg").toString("base64")}`,
    ];
    const request = api.submit(imageOrder({ prompt: "Zwölf\r\n--faregate", images: urls }), about);
    // Read by another implementation than the one that wrote it.
    const form = await new Response(Buffer.from(request.body ?? []), {
      headers: { ...request.headers },
    }).formData();
    expect(form.get("prompt")).toBe("Zwölf\r\n--faregate");
    expect(form.get("model")).toBe("their-model");
    expect(form.get("size")).toBe("2048x1152");
    expect(form.get("n")).toBe("1");
    expect(form.get("quality")).toBeNull();
    const files = form.getAll("image[]").flatMap((each) => (typeof each === "string" ? [] : [each]));
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ["image-1.png", "image/png"],
      ["image-2.jpg", "image/jpeg"],
    ]);
    const [first] = files;
    expect(first && Buffer.from(await first.arrayBuffer())).toEqual(PNG);
  });

  it("sends every data URL that a request may hold", () => {
    for (const type of ["image/svg+xml", "IMAGE/PNG", "image/x_icon", "image/vnd.ms-photo"]) {
      const images = [`data:${type};base64,AAAA`];
      expect(
        imagegen.read({ id: "imagegen-2", variant: null }, { prompt: "x", image_urls: images }).violation,
      ).toBeNull();
      const { body } = api.submit(imageOrder({ images }), about);
      expect(Buffer.from(body ?? []).toString()).toContain(`content-type: ${type.toLowerCase()}`);
    }
  });

  it("says that it wants files and answers with the image, and refuses what is still a link", () => {
    expect(api.wantsFiles).toBe(true);
    expect(api.submit(imageOrder(), about).responsesWithMedia).toBe(true);
    expect(() => api.submit(imageOrder({ images: ["https://a.example/1.png"] }), about)).toThrow(RangeError);
  });

  it("takes a link where the vendor gives one", () => {
    for (const url of ["https://v.example/1.png", "HTTPS://v.example/1.png"])
      expect(read({ data: [{ url }] })).toEqual({ type: "done", result: { outputs: [{ url }] } });
    for (const url of NO_LINKS.filter((each) => !each.startsWith("data:")))
      expect(read({ data: [{ url }] }), url).toMatchObject({ type: "failed" });
  });

  it("takes bytes for the image that they are, whatever the vendor calls them", () => {
    const webp = { type: "done", result: { outputs: [{ url: `data:image/webp;base64,${WEBP_64}` }] } };
    for (const b64_json of [
      WEBP_64,
      `data:text/html;base64,${WEBP_64}`,
      `${WEBP_64.slice(0, 9)}\r\n${WEBP_64.slice(9)}`,
    ])
      expect(read({ output_format: "png", data: [{ b64_json }] }), b64_json).toEqual(webp);
    expect(read({ data: [null, { url: `data:image/png;charset=x;base64,${WEBP_64}` }] })).toEqual(webp);
  });

  it.each(NO_IMAGES)("has failed where the bytes are no image, which the vendor may bill: %s", (b64_json) => {
    const usage = { input_tokens: 50, output_tokens: 1056, total_tokens: 1106 };
    const failed = { type: "failed", reason: "The vendor returned bytes that aren't an image." };
    expect(read({ data: [{ b64_json }] })).toEqual(failed);
    expect(read({ data: [{ b64_json }], usage })).toEqual(failed);
    if (b64_json.includes(";base64,")) expect(read({ data: [{ url: b64_json }] })).toEqual(failed);
    expect(read({ data: [{ b64_json }, { b64_json: PNG_64 }] })).toMatchObject({
      result: { outputs: [{ url: `data:image/png;base64,${PNG_64}` }] },
    });
  });

  describe("answered with events, as by relays that stream whatever they were asked", () => {
    const stream = (...events: (object | string)[]): Buffer =>
      Buffer.from(
        events
          .map((each) => (typeof each === "string" ? each : `event: x\ndata: ${JSON.stringify(each)}`))
          .map((frame) => `${frame}\n\n`)
          .join(""),
      );
    const readStream = (body: Buffer, status = 200): unknown => api.readSubmit({ status, headers: {}, body });
    const partial = { type: "image_generation.partial_image", b64_json: "PART", partial_image_index: 0 };
    const usage = { total_tokens: 9 };

    it.each(["image_generation.completed", "image_edit.completed"])("takes the image of %s", (type) => {
      const done = { type, b64_json: WEBP_64, output_format: "png", usage };
      const url = `data:image/webp;base64,${WEBP_64}`;
      const means = { type: "done", result: { outputs: [{ url }], usage } };
      expect(readStream(stream(": hello", partial, done, "data: [DONE]"))).toEqual(means);
      expect(readStream(Buffer.from(`data: ${JSON.stringify(done)}\r\n\r\n`))).toEqual(means);
    });

    it("has failed where they say why", () => {
      const events = stream(partial, {
        type: "error",
        error: { message: "too rude", code: "moderation_blocked" },
      });
      expect(readStream(events)).toMatchObject({ reason: "too rude" });
    });

    it("is unclear where they break off", () => {
      expect(readStream(stream(partial))).toMatchObject({ type: "unclear" });
      expect(readStream(Buffer.from("data: {"))).toMatchObject({ type: "unclear" });
    });
  });

  it.each([{ data: [] }, { data: null }, { data: [null, {}] }])(
    "has failed where its whole answer is %j",
    (body) => {
      expect(read(body)).toEqual({ type: "failed", reason: "The vendor's response contains no image." });
    },
  );

  it("asks nobody else beside usage or an image, whatever else the response says", () => {
    const usage = { input_tokens: 50, output_tokens: 1056, total_tokens: 1106 };
    for (const code of ["insufficient_quota", "slow_down", "429"]) {
      const error = { message: "no", code };
      expect(read({ error, usage })).toEqual({ type: "refused", next: "fail", reason: "no" });
      expect(read({ error, data: [{ b64_json: PNG_64 }] })).toMatchObject({ type: "done" });
      expect(read({ error, data: [{ b64_json: "AAAA" }] })).toMatchObject({ type: "failed" });
    }
  });

  it.each([
    [{ error: { message: "too rude", code: null, type: null } }, "too rude"],
    [{ error: "too rude" }, "too rude"],
  ])("has failed where its whole answer is %j", (body, reason) => {
    expect(read(body)).toEqual({ type: "refused", next: "fail", reason });
  });
});
