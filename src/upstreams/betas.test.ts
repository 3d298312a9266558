import { describe, expect, it } from "vitest";
import type { Candidate } from "./call.ts";
import { kindOf } from "./kinds.ts";
import { versionHeaders } from "./transport/headers.ts";

const headersFor = (betas: string | undefined, drop?: readonly string[], kind = "anthropic") => {
  const candidate = { protocol: "messages", upstream: { kind, options: drop && { betas: { drop } } } };
  const spelling = kindOf(kind);
  if (spelling === undefined) throw new Error("no such kind");
  return versionHeaders(candidate as unknown as Candidate, spelling, { version: "2023-06-01", betas });
};

describe("the betas of a request, as for counts of its tokens", () => {
  it.each([
    ["a,b,c", ["b"], "a,c"],
    ["a,b", ["a", "b"], undefined],
    ["a-2,b", ["a"], "a-2,b"],
    ["a,b", undefined, "a,b"],
    [undefined, ["a"], undefined],
  ])("%s without %j are %s", (asked, drop, sent) => {
    expect(headersFor(asked, drop)["anthropic-beta"]).toBe(sent);
  });

  it.each(["bedrock", "bedrock-mantle"])("reach %s without those that it refuses", (kind) => {
    const asked = "files-api-2025-04-14, interleaved-thinking-2025-05-14,skills-2025-10-02";
    expect(headersFor(asked, undefined, kind)["anthropic-beta"]?.trim()).toBe(
      "interleaved-thinking-2025-05-14",
    );
    expect(headersFor(asked)["anthropic-beta"]).toBe(asked);
  });
});
