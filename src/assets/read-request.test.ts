import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAllowList } from "../base/fetch/safe-fetch-allow.ts";
import { GatewayError } from "../errors.ts";
import { readAssetRequest } from "./read-request.ts";

const URL_TEXT = "https://media.example/a/cat.png";

describe("a registration", () => {
  it("takes a private address that the operator allows", () => {
    const body = { url: "http://10.1.2.3/cat.png" };
    expect(codeOf(body)).toBe("invalid_url");
    expect(readAssetRequest(body, readAllowList(["10.0.0.0/8"]))).toMatchObject({ url: body.url });
  });

  it.each([
    [{}],
    [{ url: null }],
    [{ url: "" }],
    [{ url: 7 }],
    [{ url: ["https://a.example/1.png"] }],
    [{ url: "ftp://a.example/1.png" }],
    [{ url: "data:image/png;base64,AAAA" }],
    [{ url: "asset://asset-1" }],
    [{ url: "http://" }],
    [{ url: "https://a b/" }],
    [{ url: "//a.example/1.png" }],
    [{ url: " https://a.example/1.png" }],
    [{ url: "http://127.0.0.1:5432/1.png" }],
    [{ url: "http://0x7f.1/1.png" }],
    [{ url: "http://169.254.169.254/latest/meta-data/" }],
    [{ url: "https://[::ffff:10.0.0.1]/1.png" }],
    [{ url: "https://LocalHost./1.png" }],
    // The address is looked at before everything else.
    [{ url: "nonsense", asset_type: "nonsense", name: 7 }],
  ])("wants a public address: %j", (body) => {
    expect(codeOf(body)).toBe("invalid_url");
  });

  it.each(["Document", "images", 7, ["Image"], {}, true])("wants a known type, not %j", (asset_type) => {
    expect(codeOf({ url: URL_TEXT, asset_type })).toBe("invalid_asset_type");
    expect(codeOf({ url: URL_TEXT, asset_type, name: "x".repeat(99) })).toBe("invalid_asset_type");
  });

  it.each([
    [undefined, "Image"],
    [null, "Image"],
    ["", "Image"],
    ["image", "Image"],
    ["VIDEO", "Video"],
    ["aUdIo", "Audio"],
  ])("knows the type %j in any case as %s", (asset_type, type) => {
    expect(readAssetRequest({ url: URL_TEXT, asset_type }).type).toBe(type);
  });

  it.each([
    ["HTTPS://Media.Example/a/../%63at.png?A=1", "https://media.example/a/../%63at.png?A=1"],
    ["hTTp://User:Pw@M.Example:8443/A?Sig=Xy%2F#Z", "http://User:Pw@m.example:8443/A?Sig=Xy%2F#Z"],
    ["http://m.example", "http://m.example"],
  ])("passes %s on with scheme and host in lower case, and all else as it was given", (url, sent) => {
    expect(readAssetRequest({ url }).url).toBe(sent);
  });

  it("counts a name in characters, however many units they take", () => {
    expect(readAssetRequest({ url: URL_TEXT, name: "𝄞".repeat(64) }).name).toBe("𝄞".repeat(64));
    expect(codeOf({ url: URL_TEXT, name: "𝄞".repeat(65) })).toBe("invalid_asset_name");
    expect(codeOf({ url: URL_TEXT, name: "a".repeat(65) })).toBe("invalid_asset_name");
    expect(codeOf({ url: URL_TEXT, name: 7 })).toBe("invalid_asset_name");
  });

  it.each([
    ["https://media.example/a/cat.png?sign=1#x", "cat.png"],
    ["https://media.example/a/%E7%8C%AB%20one.png", "猫 one.png"],
    ["https://media.example/a/100%.png", "100%.png"],
    ["https://media.example/a/", "media.example"],
    ["https://media.example", "media.example"],
    ["https://media.example:8443/?file=cat.png", "media.example"],
    [`https://media.example/${"x".repeat(100)}.png`, "x".repeat(64)],
    [`https://media.example/${"𝄞".repeat(70)}`, "𝄞".repeat(64)],
  ])("is named after the file in %s", (url, name) => {
    expect(readAssetRequest({ url }).name).toBe(name);
    expect(readAssetRequest({ url, name: "" }).name).toBe(name);
    expect(readAssetRequest({ url, name: null }).name).toBe(name);
  });

  it("is read or refused, and never breaks", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("url", "asset_type", "name"), fc.anything()), (body) => {
        try {
          const { name } = readAssetRequest({ url: URL_TEXT, ...body });
          expect([...name].length).toBeLessThanOrEqual(64);
          expect(name).not.toBe("");
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
        }
      }),
    );
  });
});

function codeOf(body: Readonly<Record<string, unknown>>): string {
  try {
    readAssetRequest(body);
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
  return "none";
}
