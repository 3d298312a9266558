import { describe, expect, it } from "vitest";
import { forbiddenUrls } from "../../../test/support/forbidden-urls.ts";
import { isPublicUrl } from "./public-url.ts";

/** What only a resolver can tell. */
const NAMED =
  /^\s*https?:\/\/(?:[^/?#\\]*@)?[^/?#@\\]*\b(?:example\.?|example\.com|svc|metadata|instance-data|kubernetes|ip6-localhost)(?::\d+)?\//i;

describe("a URL that is passed on", () => {
  it.each(forbiddenUrls(8080).filter((url) => !NAMED.test(url)))("is not public: %j", (url) => {
    expect(isPublicUrl(url)).toBe(false);
  });

  it.each([
    "https://media.example/a/cat.png",
    "HTTPS://Media.Example:8443/a%20cat.png?A=1#x",
    "http://User:Pw@m.example/A?Sig=Xy%2F",
    "https://8.8.8.8/x",
    "https://[2606:2800:220:1::1]/x",
    "https://media.example/?next=http://127.0.0.1/",
    "https://localhost.example/x",
    "https://internal.example/x",
    "https://bücher.example/x",
  ])("is public as far as its text tells: %s", (url) => {
    expect(isPublicUrl(url)).toBe(true);
  });
});
