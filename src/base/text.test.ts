import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizedUrl } from "./text.ts";

describe("a normalized address", () => {
  it.each([
    ["HTTPS://Media.Example/a/../%63at.png?A=1", "https://media.example/a/../%63at.png?A=1"],
    ["hTTp://User:Pw@M.Example:8443/A?Sig=Xy%2F#Z", "http://User:Pw@m.example:8443/A?Sig=Xy%2F#Z"],
    ["HTTP://M.Example", "http://m.example"],
    ["https://m.example?B=C@D", "https://m.example?B=C@D"],
    ["ASSET://asset-Ab", "asset://asset-Ab"],
    ["GS://Bucket/A.png", "gs://Bucket/A.png"],
    ["DATA:image/PNG;Name=A;base64,AAAA", "data:image/png;Name=A;base64,AAAA"],
    ["DATA:IMAGE/PNG;BASE64,AAAA", "data:image/png;base64,AAAA"],
    ["data:text/plain;Base64=BASE64;x,;BASE64,", "data:text/plain;Base64=BASE64;x,;BASE64,"],
    ["Data:,Hello", "data:,Hello"],
    ["files/Ab-1", "files/Ab-1"],
    ["A B: C", "A B: C"],
    ["", ""],
  ])("of %s is %s", (url, normalized) => {
    expect(normalizedUrl(url)).toBe(normalized);
  });

  it("names the same resource, and is normalized", () => {
    fc.assert(
      fc.property(
        fc.webUrl({ withQueryParameters: true, withFragments: true }),
        fc.func(fc.boolean()),
        (url, isUpper) => {
          const [head = ""] = /^[^:]+:\/\/[^/?#]*/.exec(url) ?? [];
          const spelled =
            [...head].map((letter, at) => (isUpper(at) ? letter.toUpperCase() : letter)).join("") +
            url.slice(head.length);
          const normalized = normalizedUrl(spelled);
          expect(new URL(normalized).href).toBe(new URL(spelled).href);
          expect(normalizedUrl(url)).toBe(normalized);
          expect(normalizedUrl(normalized)).toBe(normalized);
        },
      ),
    );
  });
});
