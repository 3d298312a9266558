import { describe, expect, it } from "vitest";
import type { Candidate } from "./call.ts";
import { kindOf } from "./kinds.ts";
import { versionHeaders } from "./transport/headers.ts";

const headersFor = (betas: string | undefined, drop: readonly string[] | undefined) => {
  const candidate = { protocol: "messages", upstream: { options: drop && { betas: { drop } } } };
  const kind = kindOf("anthropic");
  if (kind === undefined) throw new Error("no such kind");
  return versionHeaders(candidate as unknown as Candidate, kind, { version: "2023-06-01", betas });
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
});
