import { describe, expect, it } from "vitest";
import { forbiddenUrls } from "../../../test/support/forbidden-urls.ts";
import { isPublicUrl, isUrlInside } from "./public-url.ts";
import { readAllowList } from "./safe-fetch-allow.ts";

/** Addresses that only a resolver can judge. */
const NAMED = /^\s*https?:\/\/(?:[^/?#\\]*@)?[^/?#@\\]*\b(?:example\.?|example\.com)(?::\d+)?\//i;

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

  it.each([
    ["http://10.1.2.3/x", true],
    ["http://[::ffff:10.1.2.3]/x", true],
    ["http://0x0a.66051/x", true],
    ["http://192.168.1.1/x", false],
    ["http://127.0.0.1:8080/x", true],
    ["http://127.0.0.1:8081/x", false],
    ["http://[::1]:8080/x", true],
    ["https://vendor.internal/x", true],
    ["https://Vendor.Internal.:443/x", true],
    ["http://vendor.internal/x", false],
    ["http://localhost:9000/x", true],
    ["http://a.localhost:9000/x", false],
    ["http://10.1.2.3\\@x.example/", false],
    ["ftp://10.1.2.3/x", false],
    ["https://media.example/x", true],
  ])("counts what the operator allows as public: %j %j", (url, isPublic) => {
    const allowed = readAllowList([
      ...["10.0.0.0/8", "127.0.0.1:8080", "[::1]:8080", "vendor.internal:443", "localhost:9000"],
    ]);
    expect(isPublicUrl(url, allowed)).toBe(isPublic);
  });
});

describe("a URL for a vendor in a private network", () => {
  it.each([
    ["http://10.1.2.3/x", true],
    ["http://127.0.0.1:8080/x", true],
    ["http://[fd12::1]/x", true],
    ["http://vendor.internal/x", true],
    ["https://media.example/x", true],
    ["http://169.254.169.254/latest/meta-data", false],
    ["http://0xa9fea9fe/x", false],
    ["http://[::ffff:169.254.169.254]/x", false],
    ["http://[fe80::1]/x", false],
    ["http://[fd00:ec2::254]/x", false],
    ["http://100.100.100.200/x", false],
    ["http://168.63.129.16/x", false],
    ["http://metadata.google.internal/x", false],
    ["http://METADATA./x", false],
    ["http://x.metadata.google.internal/x", false],
    ["http://[64:ff9b::a9fe:a9fe]/x", false],
    ["http://[64:ff9b:1::a9fe:a9fe]/x", false],
    ["http://[::a9fe:a9fe]/x", false],
    ["http://[::ffff:0:a9fe:a9fe]/x", false],
    ["http://[2002:a9fe:a9fe::]/x", false],
    ["http://[fd20:ce::254]/x", false],
    ["http://192.0.0.192/x", false],
    ["http://0.0.0.0/x", false],
    ["http://vllm:8000/x", true],
    ["http://10.1.2.3\\@x.example/", false],
    ["file:///etc/passwd", false],
  ])("may be private, but none of the machine's own services: %j %j", (url, mayBe) => {
    expect(isUrlInside(url)).toBe(mayBe);
  });
});
