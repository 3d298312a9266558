import { describe, expect, it } from "vitest";
import { refusedBy } from "./token-response.ts";

describe("a refused token", () => {
  it.each([
    ["AADSTS7000215: Invalid client secret provided.", /secret's value/],
    ["AADSTS700024: Client assertion is not within its valid time range.", /clock/],
    ["AADSTS90002: Tenant 'x' not found.", /tenant_id/],
    ["Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.", /clock/],
    ["Invalid JWT Signature.", /another key/],
    ["SignatureDoesNotMatch: Signature expired: 20261129T000000Z is now earlier than", /clock.*behind/],
    [
      "AccessDenied: User: arn:aws:iam::1:user/a is not authorized to perform: sts:AssumeRole on resource: b",
      /role trust the caller/,
    ],
    [
      "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity",
      /trust the identity's provider/,
    ],
  ])("is told with what the operator can do: %s", (words, advice) => {
    expect(refusedBy("it", 400, words).advice).toMatch(advice);
  });

  it("in words that nobody knows is told with them alone", () => {
    expect(refusedBy("it", 400, "Something else").advice).toBeUndefined();
  });
});
