import { describe, expect, it } from "vitest";
import { signArk } from "./ark-signature.ts";

const CALL = {
  host: "open.volcengineapi.com",
  query: { Version: "2024-01-01", Action: "GetAsset" },
  body: Buffer.from('{"Id":"asset-20260320120147-pqwhc","ProjectName":"default"}'),
  region: "cn-beijing",
  accessKey: "AKLTexample",
  secretKey: "c2VjcmV0LWtleS1leGFtcGxlPT0=",
  nowMs: Date.UTC(2026, 10, 21, 4, 5, 6, 789),
};

describe("a signature for ark's management API", () => {
  // Computed by a program of another language from the vendor's description.
  it("is the known answer", () => {
    expect(signArk(CALL)).toEqual({
      query: "?Action=GetAsset&Version=2024-01-01",
      headers: {
        "content-type": "application/json",
        "x-content-sha256": "a543e7079e97cce9f81bb2e50c95abab647882db9e2db333ef5b09268cdc3b8e",
        "x-date": "20261121T040506Z",
        authorization:
          "HMAC-SHA256 Credential=AKLTexample/20261121/cn-beijing/ark/request, " +
          "SignedHeaders=content-type;host;x-content-sha256;x-date, " +
          "Signature=ca0702b1d79c8c17f7e4883f03ee3eac764a29dd9b7908a4080c1c033a76a894",
      },
    });
  });

  it("changes with everything it covers", () => {
    const others = [
      { host: "open.byteplusapi.com" },
      { query: { Version: "2024-01-01", Action: "CreateAsset" } },
      { body: Buffer.from("{}") },
      { region: "ap-southeast-1" },
      { secretKey: "another" },
      { nowMs: CALL.nowMs + 1_000 },
    ];
    const signatures = [{}, ...others].map(
      (other) => signArk({ ...CALL, ...other }).headers["authorization"]?.split("Signature=")[1],
    );
    expect(new Set(signatures).size).toBe(signatures.length);
  });

  it("escapes a query as RFC 3986 wants it", () => {
    expect(signArk({ ...CALL, query: { b: "a b*", a: "(ü)" } }).query).toBe("?a=%28%C3%BC%29&b=a%20b%2A");
  });
});
