import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Environment, TokenRequest } from "../access/access.ts";
import { credentialText } from "../credentials/credential-forms.ts";
import { RawHeaders } from "../transport/raw-headers.ts";
import { openAwsAccess } from "./aws-access.ts";

const folder = mkdtempSync(join(tmpdir(), "aws-access-"));
afterAll(() => rmSync(folder, { recursive: true }));

const TOKEN_FILE = join(folder, "token");
writeFileSync(TOKEN_FILE, "jwt\n");
const FILES = {
  AWS_CONFIG_FILE: join(folder, "config"),
  AWS_SHARED_CREDENTIALS_FILE: join(folder, "credentials"),
};
writeFileSync(
  FILES.AWS_CONFIG_FILE,
  "[profile work]\nrole_arn = arn:aws:iam::123456789012:role/work\nsource_profile = base\nexternal_id = ext\n",
);
writeFileSync(
  FILES.AWS_SHARED_CREDENTIALS_FILE,
  "[base]\naws_access_key_id = AKIABASE\naws_secret_access_key = s1\n\n[default]\naws_access_key_id=AKIADEFAULT\naws_secret_access_key=s2\n",
);

/** Time that passes as it is told. */
function createManualClock() {
  let nowMs = 1_800_000_000_000;
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    advance(byMs: number) {
      nowMs += byMs;
    },
  };
}

const ROLE = "arn:aws:iam::123456789012:role/app";
const REQUEST = {
  method: "POST",
  origin: "https://bedrock-runtime.eu-west-1.amazonaws.com",
  path: "/model/m/invoke",
  headers: ["content-type", "application/json"],
  body: [Buffer.from("{}")],
};

function xml(id: string, seconds: number, nowMs: number): string {
  const end = new Date(nowMs + seconds * 1_000).toISOString();
  return `<R><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t-${id}</SessionToken><Expiration>${end}</Expiration></Credentials></R>`;
}

/** AWS's servers as they answer these requests. */
function opened(parts: Readonly<Record<string, string>>, environment: Environment = {}) {
  const clock = createManualClock();
  const asked: TokenRequest[] = [];
  let issued = 0;
  let status = 200;
  const access = openAwsAccess("bedrock")({
    upstream: { baseUrl: REQUEST.origin } as never,
    credential: { secret: credentialText(parts) } as never,
    clock,
    environment,
    tokens: async (request) => {
      asked.push(request);
      issued += 1;
      const reply = (text: string) => ({ status, body: Buffer.from(text), isWhole: true });
      if (status !== 200)
        return reply("<Error><Code>AccessDenied</Code><Message>not authorized</Message></Error>");
      if (request.url.includes("sts")) return reply(xml(`ASIA${issued}`, 100, clock.nowMs()));
      if (request.url.endsWith("/api/token")) return reply("session");
      if (request.url.endsWith("/security-credentials/")) return reply("app");
      const Expiration = new Date(clock.nowMs() + 100_000).toISOString();
      return reply(
        JSON.stringify({ AccessKeyId: `ASIA${issued}`, SecretAccessKey: "s", Token: "t", Expiration }),
      );
    },
  });
  return {
    clock,
    asked,
    access,
    fail: () => {
      status = 403;
    },
    async key(): Promise<string | undefined> {
      if (access?.isReady() === false) await access.ready();
      return /Credential=([^/]+)\/\d+\/([^/]+)\/bedrock/
        .exec(access?.headers(REQUEST).at(-1) ?? "")
        ?.slice(1, 3)
        .join(" ");
    },
  };
}

describe("access to a service of AWS", () => {
  it("is a key of the service's own as it is", () => {
    expect(opened({ api_key: "bedrock-api-key-x" }).access).toBeUndefined();
  });

  it.each<
    [name: string, parts: Record<string, string>, environment: Environment, key: string, urls: string[]]
  >([
    ["an access key", { access_key_id: "AKIA1", secret_access_key: "s" }, {}, "AKIA1", []],
    [
      "a role of an access key",
      { access_key_id: "AKIA1", secret_access_key: "s", role_arn: ROLE },
      {},
      "ASIA1",
      ["https://sts.eu-west-1.amazonaws.com/"],
    ],
    [
      "a web identity",
      { from: "web-identity", role_arn: ROLE, token_file: TOKEN_FILE },
      {},
      "ASIA1",
      ["https://sts.eu-west-1.amazonaws.com/"],
    ],
    [
      "the environment's web identity",
      { from: "environment" },
      {
        AWS_ROLE_ARN: ROLE,
        AWS_WEB_IDENTITY_TOKEN_FILE: TOKEN_FILE,
        AWS_ENDPOINT_URL_STS: "http://sts.local/x",
      },
      "ASIA1",
      ["http://sts.local/x"],
    ],
    [
      "the environment's keys",
      { from: "environment" },
      { AWS_ACCESS_KEY_ID: "AKIA2", AWS_SECRET_ACCESS_KEY: "s" },
      "AKIA2",
      [],
    ],
    [
      "a container",
      { from: "container" },
      { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/credentials/1" },
      "ASIA1",
      ["http://169.254.170.2/v2/credentials/1"],
    ],
    [
      "an instance",
      { from: "instance" },
      {},
      "ASIA3",
      [
        "http://169.254.169.254/latest/api/token",
        "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
        "http://169.254.169.254/latest/meta-data/iam/security-credentials/app",
      ],
    ],
    ["a profile", { from: "profile" }, FILES, "AKIADEFAULT", []],
    [
      "a profile with a role",
      { from: "profile", profile: "work" },
      FILES,
      "ASIA1",
      ["https://sts.eu-west-1.amazonaws.com/"],
    ],
  ])("is signed with the keys of %s", async (_name, parts, environment, key, urls) => {
    const place = opened(parts, environment);
    expect(await place.key()).toBe(`${key} eu-west-1`);
    expect(place.asked.map(({ url }) => url)).toEqual(urls);
  });

  it("asks for a role's keys once per life, ahead of their end", async () => {
    const { key, clock, asked } = opened({ access_key_id: "AKIA1", secret_access_key: "s", role_arn: ROLE });
    expect(await key()).toBe("ASIA1 eu-west-1");
    clock.advance(79_000);
    expect(await key()).toBe("ASIA1 eu-west-1");
    expect(asked.length).toBe(1);
    clock.advance(2_000);
    expect(await key()).toBe("ASIA1 eu-west-1");
    await new Promise(setImmediate);
    expect(await key()).toBe("ASIA2 eu-west-1");
    expect(asked.length).toBe(2);
  });

  it("is had anew where AWS says that a session has ended, and only then", async () => {
    const { key, clock, access } = opened({ access_key_id: "AKIA1", secret_access_key: "s", role_arn: ROLE });
    await key();
    clock.advance(2_000);
    const sent = access?.headers(REQUEST) ?? [];
    const said = (type: string) => new RawHeaders([Buffer.from("x-amzn-ErrorType"), Buffer.from(type)]);
    expect(access?.isRenewed(sent, 403, said("AccessDeniedException:"))).toBe(false);
    expect(access?.isRenewed(sent, 403, said("ExpiredTokenException:"))).toBe(true);
    expect(await key()).toBe("ASIA2 eu-west-1");
  });

  it("fails with AWS's words where a role can't be assumed", async () => {
    const place = opened({ access_key_id: "AKIA1", secret_access_key: "s", role_arn: ROLE });
    place.fail();
    await expect(place.key()).rejects.toThrow(
      "AWS STS gives out no access token (status 403): AccessDenied: not authorized",
    );
  });

  it("sends a role its external id and session's name", async () => {
    const parts = {
      access_key_id: "AKIA1",
      secret_access_key: "s",
      role_arn: ROLE,
      external_id: "e",
      session_name: "n",
    };
    const { key, asked } = opened(parts);
    await key();
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toEqual({
      Version: "2011-06-15",
      Action: "AssumeRole",
      RoleArn: ROLE,
      RoleSessionName: "n",
      ExternalId: "e",
    });
  });

  it("keeps what it signs with out of what is told", async () => {
    const { key, access } = opened({ access_key_id: "AKIA1", secret_access_key: "s3cret", role_arn: ROLE });
    await key();
    expect(access?.secrets()).toEqual(["ASIA1", "s", "t-ASIA1"]);
  });
});
