import { describe, expect, it } from "vitest";
import { normalPath } from "./router.ts";

describe("the one spelling of a path", () => {
  it("has plain letters for those that need no code, as what is decided by a path must see what is routed", () => {
    expect(normalPath("/%61p%69/session?a=%61")).toBe("/api/session?a=%61");
    expect(normalPath("/v1/models/%67pt%2d5%2E2%5f%7E%3Ax")).toBe("/v1/models/gpt-5.2_~:x");
  });

  it("leaves the codes of what means something else, and what only looks like one", () => {
    for (const path of ["/v1/models/a%2Fb", "/v1/models/100%25", "/v1/models/%2561", "/v1/models/%3F%23%zz"])
      expect(normalPath(path)).toBe(path);
  });

  it("has one slash for several and none at its end", () => {
    expect(normalPath("//v1//models/")).toBe("/v1/models");
    expect(normalPath("http://h//v1/models/?x=//")).toBe("/v1/models?x=//");
  });
});
