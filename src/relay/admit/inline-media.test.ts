import { describe, expect, it } from "vitest";
import type { FetchedStream, SafeFetch } from "../../base/fetch/safe-fetch.ts";
import { FetchFailure } from "../../base/fetch/safe-fetch-failure.ts";
import type { ChatRequest, MediaPart, Message } from "../../conversation/request.ts";
import { GatewayError } from "../../errors.ts";
import { chatCompletionsCapabilities as chat } from "../../protocols/chat-completions/capabilities.ts";
import { generateContentCapabilities as native } from "../../protocols/generate-content/capabilities.ts";
import { messagesCapabilities as messages } from "../../protocols/messages/capabilities.ts";
import { createInlineMedia, type Inlining } from "./inline-media.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const PDF = Buffer.from("%PDF-1.7 and so on");
const HTML = Buffer.from("\n<!DOCTYPE html><title>Please log in</title>");

interface Served {
  readonly bytes: Buffer;
  readonly type?: string;
}

/** A client that serves what it is given, and remembers what it was asked for. */
function serving(files: Readonly<Record<string, Served | FetchFailure>>) {
  const asked: string[] = [];
  const client: SafeFetch = {
    async open(url) {
      asked.push(url);
      await Promise.resolve();
      const file = files[url] ?? new FetchFailure("status", "Its server returned status 404.");
      if (file instanceof FetchFailure) throw file;
      return streamOf(url, file);
    },
    read: () => Promise.reject(new Error("not used")),
    post: () => Promise.reject(new Error("not used")),
  };
  return { asked, client };
}

function streamOf(finalUrl: string, { bytes, type }: Served): FetchedStream {
  async function* body(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += 1 << 20) yield bytes.subarray(at, at + (1 << 20));
  }
  const headers = type === undefined ? {} : { "content-type": type };
  return { status: 200, headers, finalUrl, body: body(), close: () => undefined };
}

function linked(media: MediaPart["media"], url: string, more: Partial<MediaPart> = {}): MediaPart {
  return { kind: "media", media, source: { from: "url", url }, ...more };
}

function asking(...parts: Message["parts"]): ChatRequest {
  return {
    protocol: "chat-completions",
    model: "m",
    stream: false,
    includeUsage: false,
    system: [],
    messages: [{ role: "user", parts }],
    tools: [],
    sampling: {},
    limits: {},
    foreign: [],
    echo: {},
    fieldNames: { media: "messages[].content" },
  };
}

const image = (name: string): string => `https://files.example/${name}?secret`;

describe("inline media", () => {
  it("is what the upstream takes but does not fetch itself", async () => {
    const cases = [
      ["an image by https", messages, linked("image", image("a.png")), {}, false],
      [
        "an image by http, where only https is fetched",
        messages,
        linked("image", "http://h/a.png"),
        {},
        true,
      ],
      ["a PDF", messages, linked("document", image("a.pdf")), {}, false],
      ["a text, where only PDFs are fetched", messages, linked("document", image("a.txt")), {}, true],
      ["sound, which has no slot", messages, linked("audio", image("a.mp3")), {}, false],
      [
        "an image for a model that fetches none",
        native,
        linked("image", image("a.png")),
        { mediaUrls: [] },
        true,
      ],
      [
        "a film for a model that fetches images",
        native,
        linked("video", image("a.mp4")),
        { mediaUrls: ["image"] },
        true,
      ],
      ["an image for that model", native, linked("image", image("a.png")), { mediaUrls: ["image"] }, false],
      [
        "what is no address of the web",
        native,
        linked("image", "gs://bucket/a.png"),
        { mediaUrls: [] },
        false,
      ],
    ] as const;
    for (const [what, capabilities, part, quirks, fetched] of cases) {
      const { client, asked } = serving({});
      await Promise.resolve(
        createInlineMedia(client).begin().inline(asking(part), capabilities, quirks),
      ).catch(() => {});
      expect(asked.length === 1, what).toBe(fetched);
    }
    const { client, asked } = serving({});
    const own = asking(linked("document", image("a.pdf")));
    expect(createInlineMedia(client).begin().inline(own, chat, { mediaUrls: [] })).toBe(own);
    expect(asked).toEqual([]);
  });

  it("stands where its address stood, in tool results too, with the type that its bytes tell", async () => {
    const { client } = serving({
      [image("a")]: { bytes: PNG, type: "application/octet-stream" },
      [image("b.pdf")]: { bytes: PDF, type: "binary/octet-stream" },
    });
    const request = asking({ kind: "text", text: "Look." }, linked("image", image("a"), { detail: "low" }), {
      kind: "tool-result",
      callId: "c",
      parts: [linked("document", image("b.pdf"))],
    });
    const whole = await createInlineMedia(client).begin().inline(request, native, { mediaUrls: [] });
    const inline = (bytes: Buffer) => ({ from: "base64", data: bytes.toString("base64") });
    expect(whole.messages[0]?.parts).toEqual([
      { kind: "text", text: "Look." },
      { kind: "media", media: "image", detail: "low", source: inline(PNG), mimeType: "image/png" },
      {
        kind: "tool-result",
        callId: "c",
        parts: [{ kind: "media", media: "document", source: inline(PDF), mimeType: "application/pdf" }],
      },
    ]);
  });

  it("is fetched once for all candidates of a request, also where that fails", async () => {
    const { client, asked } = serving({ [image("a")]: { bytes: PNG } });
    const inlining = createInlineMedia(client).begin();
    const request = asking(linked("image", image("a")), linked("image", image("a")));
    const other = asking(linked("image", image("a")), linked("image", image("gone")));
    await inlining.inline(request, native, { mediaUrls: [] });
    await inlining.inline(request, native, { mediaUrls: [] });
    for (const _ of [1, 2]) await refusal(inlining, other);
    expect(asked).toEqual([image("a"), image("gone")]);
  });

  it("that cannot be had is the caller's mistake, said without its query", async () => {
    const { client } = serving({ [image("page")]: { bytes: HTML, type: "image/png" } });
    const inlining = createInlineMedia(client).begin();
    const gone = await refusal(inlining, asking(linked("image", image("gone"))));
    expect(gone).toMatchObject({ status: 400, code: "invalid_request", param: "messages[].content" });
    expect(gone.message).toBe(
      "The image at files.example could not be fetched. Its server returned status 404. Send its data inline instead.",
    );
    const page = await refusal(inlining, asking(linked("image", image("page"))));
    expect(page.message).toBe("The image at files.example has the type text/html, not image.");
  });

  it("is bounded in files, in bytes of a request and in bytes of all requests", async () => {
    const large = { bytes: Buffer.alloc(12 << 20, PNG) };
    const { client, asked } = serving(
      Object.fromEntries(["a", "b", "c"].map((name) => [image(name), large])),
    );
    const store = createInlineMedia(client);
    const many = asking(...Array.from({ length: 65 }, (_, index) => linked("image", image(`${index}`))));
    expect((await refusal(store.begin(), many)).message).toMatch(/links 65 files; the limit is 64/);
    expect(asked).toEqual([]);

    const three = store.begin();
    const heavy = asking(...["a", "b", "c"].map((name) => linked("image", image(name))));
    expect((await refusal(three, heavy)).message).toMatch(/linked files exceed/);
    three.end();

    const two = asking(linked("image", image("a")), linked("image", image("b")));
    const open: Inlining[] = [];
    for (let held = 0; held + 24 <= 256; held += 24) {
      const inlining = store.begin();
      open.push(inlining);
      await inlining.inline(two, native, { mediaUrls: [] });
    }
    const late = store.begin();
    expect(await refusal(late, two)).toMatchObject({ status: 503, retryAfterSeconds: 5 });
    late.end();
    for (const inlining of open) inlining.end();
    await store.begin().inline(two, native, { mediaUrls: [] });
  });
});

async function refusal(inlining: Inlining, request: ChatRequest): Promise<GatewayError> {
  try {
    await inlining.inline(request, native, { mediaUrls: [] });
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}
