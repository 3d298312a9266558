import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { readQuirks } from "../../src/conversation/lower/quirks.ts";
import { readFeatures } from "../../src/protocols/body-features.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { readReferences } from "../../src/relay/admit/references.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import { decodeRequest, encodeRequest } from "../../src/relay/mode/translate-request.ts";
import { changedAt, type Place, placesIn } from "../support/changed-answers.ts";
import { TEXT_PROTOCOLS } from "../support/text-caller.ts";

const PROTOCOL = "generate-content";

const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1").toString("base64");

/** Requests in which each list that the gateway reads holds one value. */
const REQUESTS: Readonly<Record<string, object>> = {
  "words and settings": {
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    systemInstruction: { parts: [{ text: "Be brief." }] },
    generationConfig: { stopSequences: ["END"], responseModalities: ["TEXT"], candidateCount: 1 },
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
  },
  "the same in the other spelling": {
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    system_instruction: { parts: [{ text: "Be brief." }] },
    generation_config: { stop_sequences: ["END"], response_modalities: ["IMAGE"] },
  },
  tools: {
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    tools: [
      {
        functionDeclarations: [
          {
            name: "f",
            parameters: {
              type: "OBJECT",
              properties: {
                a: { type: "STRING", enum: ["x"] },
                b: { anyOf: [{ type: "STRING" }], nullable: true },
              },
              required: ["a"],
              propertyOrdering: ["b"],
            },
          },
        ],
      },
      { googleSearch: {} },
    ],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
  },
  "the schema of an answer": {
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    generationConfig: {
      responseMimeType: "application/json",
      responseSchema: { type: "OBJECT", properties: { a: { type: "STRING" } }, required: ["a"] },
    },
  },
  "an image": {
    contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data: PNG } }] }],
  },
  "a kept file": {
    contents: [{ role: "user", parts: [{ fileData: { mimeType: "image/png", fileUri: "gs://a/b" } }] }],
  },
  "a kept store": {
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/1"] } }, { functionDeclarations: [] }],
  },
  "the call of a tool": {
    contents: [
      { role: "user", parts: [{ text: "Hello" }] },
      { role: "model", parts: [{ functionCall: { id: "c", name: "f", args: { a: [1] } } }] },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "c",
              name: "f",
              response: { output: "x" },
              parts: [{ inlineData: { mimeType: "image/png", data: PNG } }],
            },
          },
        ],
      },
    ],
  },
};

function at(value: unknown, place: Place): unknown {
  return place.reduce((found, key) => (found as Readonly<Record<string | number, unknown>>)[key], value);
}

/** The lists of one value below the listed fields, which are lists by the specification. Arguments are the caller's own. */
function singleLists(request: object): readonly Place[] {
  return placesIn(request).filter((place) => {
    const value = at(request, place);
    return place.length > 1 && !place.includes("args") && Array.isArray(value) && value.length === 1;
  });
}

/** With each of these lists replaced by its value, the inner ones first. */
function unwrapped(request: object, places: readonly Place[]): unknown {
  return places
    .toSorted((a, b) => b.length - a.length)
    .reduce<unknown>((value, place) => changedAt(value, place, (at(value, place) as unknown[])[0]), request);
}

/** All that the gateway reads of a request before it is sent, but for where it stands. */
function readingOf(request: unknown): unknown {
  const body = Buffer.from(JSON.stringify(request));
  const scanner = createBodyScan(watchOf(PROTOCOL));
  scanner.write(body);
  const scan = scanner.end();
  const protocol = PROTOCOLS[PROTOCOL];
  const { hostedTools, images, requestedMedia, vendorTools, ...features } = readFeatures(
    protocol.forward.hold,
    scan,
  );
  return {
    features,
    hostedTools: hostedTools.map(({ tool, place }) => ({ tool, place })),
    images: images.map(({ start, end }) => end - start),
    vendorTools: vendorTools.length,
    mediaWanted: requestedMedia.map(({ field, start, end }) => [
      field,
      [JSON.parse(body.toString("utf8", start, end))].flat(),
    ]),
    references: readReferences({ protocol, scan, body: [body] }),
  };
}

/** The request as each protocol's upstream gets it. */
function translations(request: unknown): unknown {
  const body = Buffer.from(JSON.stringify(request));
  const decoded = decodeRequest({ protocol: PROTOCOL, model: "m", streamed: false, body });
  if ("refused" in decoded) return decoded;
  return TEXT_PROTOCOLS.filter((to) => to !== PROTOCOL).map((to) => {
    const encoded = encodeRequest(decoded.value, {
      model: "m",
      quirks: readQuirks({}),
      maxOutputTokens: 100,
      seed: "s",
      origin: { protocol: to, upstream: "u", model: "m" },
    });
    return "refused" in encoded ? encoded : { body: encoded.value.body, losses: encoded.value.losses };
  });
}

describe.each(Object.entries(REQUESTS))("a request with %s", (_what, request) => {
  const lists = singleLists(request);

  it.each(lists.map((place) => [place.join("."), place] as const))(
    "is the same to the gateway and to every upstream with its one value in place of the list at %s",
    (_name, place) => {
      const single = unwrapped(request, [place]);
      expect(readingOf(single)).toEqual(readingOf(request));
      expect(translations(single)).toEqual(translations(request));
    },
  );

  it("is the same with the values in place of several lists", () => {
    fc.assert(
      fc.property(fc.subarray([...lists], { minLength: 1 }), (places) => {
        const single = unwrapped(request, places);
        expect(readingOf(single)).toEqual(readingOf(request));
        expect(translations(single)).toEqual(translations(request));
      }),
    );
  });
});
