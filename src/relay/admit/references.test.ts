import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../base/json/json-scan.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { type References, readReferences } from "./references.ts";
import { watchOf } from "./watch.ts";

function referencesIn(name: ProtocolName, sent: object): References {
  const body = Buffer.from(JSON.stringify(sent));
  const scanner = createBodyScan(watchOf(name));
  scanner.write(body);
  return readReferences({ protocol: PROTOCOLS[name], scan: scanner.end(), body: [body] });
}

const file = (fileUri: string): object => ({ contents: [{ parts: [{ fileData: { fileUri } }] }] });

describe("the references of a request", () => {
  it.each([
    [
      "HTTPS://GenerativeLanguage.googleapis.com/v1beta/files/Ab",
      "https://generativelanguage.googleapis.com/v1beta/files/Ab",
    ],
    ["GS://Bucket/A.pdf", "gs://Bucket/A.pdf"],
  ])("have the id of an address however it is spelled: %s", (spelled, id) => {
    expect(referencesIn("generate-content", file(spelled)).ids).toEqual([
      { field: "contents[].parts[].fileData.fileUri", id, isAddress: true },
    ]);
  });

  it("have an id that stands in place of a list of one", () => {
    const stores = (fileSearchStoreNames: unknown): object => ({
      tools: [{ fileSearch: { fileSearchStoreNames } }],
    });
    const listed = referencesIn("generate-content", stores(["fileSearchStores/1"]));
    expect(listed.ids.map(({ id }) => id)).toEqual(["fileSearchStores/1"]);
    expect(referencesIn("generate-content", stores("fileSearchStores/1"))).toEqual(listed);
  });

  it("have an id that stands in a list where one is meant, and an object's id in its place", () => {
    const ids = (sent: object) => referencesIn("responses", { input: "x", ...sent }).ids.map(({ id }) => id);
    expect(ids({ conversation: ["conv_1", "conv_2"] })).toEqual(["conv_1", "conv_2"]);
    expect(ids({ previous_response_id: ["resp_1"] })).toEqual(["resp_1"]);
    expect(ids({ prompt: "pmpt_1" })).toEqual(["pmpt_1"]);
    expect(ids({ prompt: { id: ["pmpt_1"] } })).toEqual(["pmpt_1"]);
    expect(ids({ input: [{ content: [{ type: "input_file", file_id: ["file-1", ""] }] }] })).toEqual([
      "file-1",
    ]);
    expect(ids({ input: [{ id: ["rs_gw1", 7, ["x"]] }] })).toEqual([]);
  });

  it("have no address of a public page, however it is spelled", () => {
    expect(referencesIn("generate-content", file("HTTPS://Example.com/a.pdf"))).toEqual({
      ids: [],
      addContent: false,
    });
  });
});
