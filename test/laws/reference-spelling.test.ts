import { describe, expect, it } from "vitest";
import { readQuirks } from "../../src/conversation/lower/quirks.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { decodeRequest, encodeRequest } from "../../src/relay/mode/translate-request.ts";
import { TEXT_PROTOCOLS } from "../support/text-caller.ts";

const chat = (part: object): object => ({ messages: [{ role: "user", content: [part] }] });
const items = (part: object): object => ({ input: [{ role: "user", content: [part] }] });
const contents = (part: object): object => ({ contents: [{ role: "user", parts: [part] }] });

/** Every place of a request in which an address of an image or a document stands. */
const PLACES: readonly (readonly [ChatProtocol, place: string, body: (url: string) => object])[] = [
  ["chat-completions", "image_url.url", (url) => chat({ type: "image_url", image_url: { url } })],
  ["chat-completions", "image_url", (url) => chat({ type: "image_url", image_url: url })],
  ["chat-completions", "file.file_data", (url) => chat({ type: "file", file: { file_data: url } })],
  ["responses", "image_url", (url) => items({ type: "input_image", image_url: url })],
  ["responses", "file_url", (url) => items({ type: "input_file", file_url: url })],
  ["messages", "image.source.url", (url) => chat({ type: "image", source: { type: "url", url } })],
  ["messages", "document.source.url", (url) => chat({ type: "document", source: { type: "url", url } })],
  ["generate-content", "fileData.fileUri", (url) => contents({ fileData: { fileUri: url } })],
];

/** An address as it is spelled, and as it is normalized. */
const SPELLINGS = [
  ["HTTPS://User@X.Example/A.png?Sig=B", "https://User@x.example/A.png?Sig=B"],
  [
    "Https://generativelanguage.GoogleAPIs.com/v1beta/files/Ab",
    "https://generativelanguage.googleapis.com/v1beta/files/Ab",
  ],
  ["GS://Bucket/A.png", "gs://Bucket/A.png"],
  ["DATA:image/PNG;base64,iVBORw0KGgo=", "data:image/png;base64,iVBORw0KGgo="],
  ["DATA:IMAGE/PNG;BASE64,iVBORw0KGgo=", "data:image/png;base64,iVBORw0KGgo="],
] as const;

function translated(protocol: ChatProtocol, to: ChatProtocol, body: object): unknown {
  const sent = Buffer.from(JSON.stringify({ model: "m", max_tokens: 10, ...body }));
  const decoded = decodeRequest({ protocol, model: "m", streamed: false, body: sent });
  if ("refused" in decoded) return decoded;
  const encoded = encodeRequest(decoded.value, {
    model: "m",
    quirks: readQuirks({}),
    maxOutputTokens: 100,
    seed: "s",
    origin: { protocol: to, upstream: "u", model: "m" },
  });
  return "refused" in encoded
    ? encoded
    : { ...encoded.value, body: JSON.parse(encoded.value.body.toString()) };
}

describe.each(PLACES)("an address of a request of %s, %s", (protocol, _place, body) => {
  it.each(SPELLINGS)("is read alike as %s and as %s", (spelled, normalized) => {
    for (const to of TEXT_PROTOCOLS) {
      const told = translated(protocol, to, body(spelled));
      expect(told, to).toEqual(translated(protocol, to, body(normalized)));
      expect(JSON.stringify(told)).not.toContain(spelled);
    }
  });
});

const PNG = "iVBORw0KGgo=";
const PDF = "JVBERi0xLjQK";

/** Of what a vendor takes at each place. */
function mediumOf(place: string): readonly [mimeType: string, data: string] {
  return /^image/.test(place) ? ["image/png", PNG] : ["application/pdf", PDF];
}

describe.each(PLACES)("a data URL in a request of %s, %s", (protocol, place, body) => {
  const [mimeType, data] = mediumOf(place);

  it.each(TEXT_PROTOCOLS)("is taken toward %s, as that protocol writes data", (to) => {
    for (const spelled of [
      `data:${mimeType};base64,${data}`,
      `DATA:${mimeType.toUpperCase()};BASE64,${data}`,
    ]) {
      const json = JSON.stringify(translated(protocol, to, body(spelled)));
      expect(json).not.toContain('"refused"');
      if (to === "messages")
        expect(json).toContain(JSON.stringify({ type: "base64", media_type: mimeType, data }));
      else if (to === "generate-content")
        expect(json).toContain(JSON.stringify({ inlineData: { mimeType, data } }));
      else expect(json).toContain(`"data:${mimeType};base64,${data}"`);
    }
  });
});
