import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../test/support/cases.ts";
import { type AwsKeys, type AwsRequest, signAws } from "./aws-signature.ts";

const KEYS: AwsKeys = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: null,
};

const REQUEST: AwsRequest = {
  method: "POST",
  host: "bedrock-runtime.us-east-1.amazonaws.com",
  path: "/model/anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke",
  headers: ["content-type", "application/json", "x-request-id", "req_1"],
  body: [Buffer.from('{"max_tokens":'), Buffer.from("1}")],
  region: "us-east-1",
  service: "bedrock",
  nowMs: Date.UTC(2026, 10, 29, 4, 5, 6, 789),
};

/** SHA-256 in the form in which the official signer wants it given. */
class Sha256 {
  private readonly hash;
  constructor(secret?: Uint8Array | string) {
    this.hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret);
  }
  update(data: Uint8Array): void {
    this.hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
}

async function officially(request: AwsRequest, keys: AwsKeys): Promise<string> {
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: keys.accessKeyId,
      secretAccessKey: keys.secretAccessKey,
      ...(keys.sessionToken === null ? {} : { sessionToken: keys.sessionToken }),
    },
    region: request.region,
    service: request.service,
    sha256: Sha256 as never,
    applyChecksum: false,
  });
  const [path = "", query = ""] = request.path.split("?");
  const wanted = ["host", "content-type"];
  const headers = Object.fromEntries(
    request.headers.flatMap((name, at) =>
      at % 2 === 0 && (wanted.includes(name) || name.startsWith("x-amz-"))
        ? [[name, request.headers[at + 1] ?? ""]]
        : [],
    ),
  );
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: "https:",
      hostname: request.host,
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: { ...headers, host: request.host },
      body: Buffer.concat(request.body),
    },
    { signingDate: new Date(request.nowMs) },
  );
  return signed.headers["authorization"] ?? "";
}

function authorizationOf(request: AwsRequest, keys: AwsKeys): string | undefined {
  return signAws(request, keys).at(-1);
}

describe("a signature for AWS", () => {
  it("is the official signer's for a model's id with a colon", async () => {
    expect(authorizationOf(REQUEST, KEYS)).toBe(await officially(REQUEST, KEYS));
  });

  // The paths of get-relative, get-slash and the others of AWS's own suite.
  it.each(["/example/..", "/example1/example2/../..", "//", "/./", "/./example", "//example//", "/.a//b"])(
    "is the official signer's for a path that AWS normalizes: %s",
    async (path) => {
      const request = Object.assign({}, REQUEST, { path });
      expect(authorizationOf(request, KEYS)).toBe(await officially(request, KEYS));
    },
  );

  it("is the official signer's, whatever is signed", async () => {
    const segment = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).map((text) => {
      const escaped = encodeURIComponent(text);
      return /^\.+$/.test(escaped) ? "x" : escaped;
    });
    // The official signer keeps names as fields of an object, and loses this one.
    const word = fc.stringMatching(/^[A-Za-z0-9_.~-]{1,12}$/).filter((name) => name !== "__proto__");
    await fc.assert(
      fc.asyncProperty(
        fc.array(segment, { minLength: 1, maxLength: 4 }),
        fc.dictionary(word, word, { maxKeys: 3 }),
        fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 4 }),
        fc.option(fc.stringMatching(/^[A-Za-z0-9+/=]{1,40}$/)),
        fc.stringMatching(/^[A-Za-z0-9+/=]{1,40}$/),
        fc.date({ min: new Date("2001-01-01"), max: new Date("2099-01-01"), noInvalidDate: true }),
        fc.constantFrom("bedrock", "bedrock-mantle", "sts"),
        async (path, query, body, sessionToken, secretAccessKey, date, service) => {
          const asked = new URLSearchParams(query).toString();
          const request = {
            ...REQUEST,
            path: `/${path.join("/")}${asked === "" ? "" : `?${asked}`}`,
            body,
            service,
            nowMs: date.getTime(),
          };
          const keys = { ...KEYS, secretAccessKey, sessionToken };
          expect(authorizationOf(request, keys)).toBe(await officially(request, keys));
        },
      ),
      { numRuns: casesOf(500) },
    );
  });

  it("covers nothing that a proxy on the way may change", () => {
    const others = ["accept", "x-request-id", "user-agent", "x-amzn-bedrock-trace"];
    const changed = { ...REQUEST, headers: [...REQUEST.headers, ...others.flatMap((name) => [name, "1"])] };
    expect(signAws(changed, KEYS)).toEqual(signAws(REQUEST, KEYS));
  });

  it("names temporary keys by their token", () => {
    const headers = signAws(REQUEST, { ...KEYS, sessionToken: "token" });
    expect(headers.slice(0, 4)).toEqual(["x-amz-date", "20261129T040506Z", "x-amz-security-token", "token"]);
  });
});
