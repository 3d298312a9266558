import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../base/json/json-scan.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";
import type { TokenPrices } from "../../catalog/token-prices.ts";
import { type ChatProtocol, PROTOCOL_NAMES, type ProtocolName } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { TextRequest } from "../text-request.ts";
import { priceOptions } from "./priced-options.ts";
import { watchOf } from "./watch.ts";

/** What asking for these extras gives, or the parameter and the price that are named in the refusal. */
function asked(
  name: ProtocolName,
  body: object,
  rates: TokenPrices = {},
  spoken: readonly ProtocolName[] = PROTOCOL_NAMES,
) {
  const bytes = Buffer.from(JSON.stringify(body));
  const scanner = createBodyScan(watchOf(name));
  scanner.write(bytes);
  const request = { protocol: PROTOCOLS[name], body: [bytes], scan: scanner.end(), caller: { group: "g" } };
  const catalog = { serving: () => [{ protocols: spoken }] } as unknown as Catalog;
  const model = {
    id: "m",
    price: { id: 1n, rates: { input: 1n, output: 2n, ...rates } },
  } as unknown as Model;
  try {
    return priceOptions(request as unknown as TextRequest, catalog, model, () => false);
  } catch (error) {
    const { param, message } = error as { param: string; message: string };
    return { param, price: /\((.*)\)/.exec(message)?.[1] };
  }
}

const chat = (part: object) => ({ messages: [{ role: "user", content: [part] }] });
const native = (part: object, more: object = {}) => ({
  contents: [{ role: "user", parts: [part] }],
  ...more,
});
const WORDS = { text: "audio/wav" };
const inConfig = (config: string, field: string, words: unknown) =>
  native(WORDS, { [config]: { [field]: words } });

/** Responses in media that have no price in a price table of text alone. */
const UNPRICED: readonly [ChatProtocol, object, string, string, TokenPrices][] = [
  [
    "chat-completions",
    { ...chat(WORDS), modalities: ["text", "audio"] },
    "modalities",
    "price.audio.output",
    { audioOutput: 1n },
  ],
  [
    "chat-completions",
    { ...chat(WORDS), modalities: ["image"] },
    "modalities",
    "price.image.output",
    { imageOutput: 1n },
  ],
  [
    "generate-content",
    inConfig("generationConfig", "responseModalities", ["TEXT", "IMAGE"]),
    "generationConfig.responseModalities",
    "price.image.output",
    { imageOutput: 1n },
  ],
  [
    "generate-content",
    inConfig("generation_config", "response_modalities", ["Video"]),
    "generation_config.response_modalities",
    "price.video.output",
    { videoOutput: 1n },
  ],
  [
    "generate-content",
    inConfig("generationConfig", "responseModalities", [1, 2]),
    "generationConfig.responseModalities",
    "price.image.output",
    { imageOutput: 1n },
  ],
  [
    "generate-content",
    inConfig("generationConfig", "responseModalities", "AUDIO"),
    "generationConfig.responseModalities",
    "price.audio.output",
    { audioOutput: 1n },
  ],
];

describe("media in a request", () => {
  it.each(UNPRICED)("without a price are refused, of %s: %j", (name, body, param, price, rates) => {
    expect(asked(name, body)).toEqual({ param, price });
    expect(asked(name, body, rates)).toEqual({});
  });

  it("are read without a price of their own, and charged by what the vendor says of them", () => {
    const sound = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
    expect(asked("chat-completions", chat(sound))).toEqual({});
    expect(asked("generate-content", native({ inlineData: { mimeType: "video/mp4", data: "AA" } }))).toEqual(
      {},
    );
    expect(asked("messages", chat({ type: "image", source: { media_type: "image/png" } }))).toEqual({});
  });

  it("are none where only words are wanted", () => {
    expect(asked("chat-completions", { ...chat(WORDS), modalities: ["text"] })).toEqual({});
    expect(asked("generate-content", inConfig("generationConfig", "responseModalities", ["TEXT"]))).toEqual(
      {},
    );
    expect(asked("generate-content", inConfig("generationConfig", "responseModalities", [1]))).toEqual({});
  });

  it("are wanted in whatever way the list is written", () => {
    const wanted = (modalities: unknown) => asked("chat-completions", { ...chat(WORDS), modalities });
    for (const list of ["audio", ["text", "AUDIO"], [...Array<string>(300).fill("text"), "audio"]])
      expect(wanted(list)).toEqual({ param: "modalities", price: "price.audio.output" });
  });

  it("are translation's to refuse where no upstream would be asked for them in this protocol", () => {
    const body = { ...chat(WORDS), modalities: ["audio"] };
    expect(asked("chat-completions", body, {}, ["messages"])).toEqual({});
  });
});

it("names the place of a tool without a price, however deep it is defined", () => {
  const tool = { type: "web_search_20260318", name: "web_search" };
  const price = 'price.calls "web_search"';
  expect(asked("messages", { ...chat(WORDS), tools: [tool] })).toEqual({ param: "tools", price });
  const added = { type: "tool_addition", tool: { type: "tool_definition", definition: tool } };
  expect(asked("messages", chat(added))).toEqual({ param: "messages[].content[].tool.definition", price });
  const item = { type: "additional_tools", tools: [{ type: "web_search" }] };
  expect(asked("responses", { input: [item] })).toEqual({ param: "input[].tools", price });
});
