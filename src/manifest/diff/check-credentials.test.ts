// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file holds.
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { credentialFields, KIND_NAMES, kindOf } from "../../upstreams/kinds.ts";
import { parseManifest } from "../file/read.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const KEY = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const LOCKED = privateKey
  .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "p" })
  .toString();
const CURVE = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();
/** A certificate and its key, one after the other. */
const PEM = readFileSync(
  new URL("../../../test/support/certificates/application.pem", import.meta.url),
  "utf8",
);
const CERTIFICATE = PEM.slice(PEM.indexOf("-----BEGIN CERTIFICATE"));
const CERTIFICATE_KEY = PEM.slice(0, PEM.indexOf("-----BEGIN CERTIFICATE"));

const ACCOUNT = {
  type: "service_account",
  client_email: "gateway@acme.iam.gserviceaccount.com",
  private_key_id: "key-1",
  private_key: KEY,
};
const USER = { type: "authorized_user", client_id: "c", client_secret: "s", refresh_token: "r" };
const EXTERNAL = {
  type: "external_account",
  audience: "//iam.googleapis.com/pool",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
  credential_source: { file: "/var/run/token" },
};

/** Values of fields that are no mere words. */
const SOUND: Readonly<Record<string, string>> = {
  certificate: PEM,
  service_account: JSON.stringify(ACCOUNT),
  external_account: JSON.stringify(EXTERNAL),
};
/** Fields in any language. */
const LINES = ["profile", "token_file"];

/** Each way to prove to a kind who asks, all of its fields written. */
const FORMS = KIND_NAMES.flatMap((kind) =>
  (kindOf(kind)?.credentialForms ?? []).map(({ name, from, fields }) => {
    const written = Object.keys(fields).map((field): [string, string] => [field, SOUND[field] ?? "word-1"]);
    const chosen: [string, string][] = from === undefined ? [] : [["from", from]];
    return { kind, name, parts: Object.fromEntries([...chosen, ...written]) };
  }),
);
const FIELDS = FORMS.flatMap(({ kind, name, parts }) =>
  Object.keys(parts)
    .filter((field) => field !== "from")
    .map((field) => [kind, name, field, parts] as const),
);

const PLACES: Readonly<Record<string, string>> = {
  azure: 'base_url: "https://acme.openai.azure.com"',
  vertex: "project: acme, location: eu",
  bedrock: "location: us-east-1",
  "bedrock-mantle": "location: us-east-1",
};

/** The problems of a file whose upstream has a credential of these fields, each from a variable of its own. */
function problemsOf(kind: string, parts: Readonly<Record<string, string>>): string {
  const names = Object.keys(parts).map((field) => `${field}: "\${V_${field}}"`);
  const env = Object.fromEntries(Object.entries(parts).map(([field, value]) => [`V_${field}`, value]));
  return read(
    `{ name: u, kind: ${kind}, ${PLACES[kind]}, models: [], credentials: [{ ${names.join(", ")} }] }`,
    env,
  );
}

function problemsOfKey(kind: string, key: string): string {
  const place = PLACES[kind] ?? "base_url: https://a.example";
  return read(`{ name: u, kind: ${kind}, ${place}, models: [], api_key: "\${KEY}" }`, { KEY: key });
}

function read(upstream: string, env: Readonly<Record<string, string>>): string {
  try {
    parseManifest(`version: 1\nupstreams:\n  - ${upstream}\n`, env);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const REMEDY = /: [^;]+; \w+/;

describe("a credential that could let no request in", () => {
  it.each(FORMS)("is not this one: $name of $kind with all of its fields", ({ kind, parts }) => {
    expect(problemsOf(kind, parts)).toBe("");
  });

  it.each(FIELDS)("is refused by the field of kind %s, %s: %s", (kind, _, field, parts) => {
    const sound = parts[field] ?? "";
    const words = LINES.includes(field) ? [] : ["ключ", "a b"];
    const texts = ["\n", " ", "a\nb", `${sound}\n`, `${sound}\u0000`, `${sound} `, ...words];
    const broken = SOUND[field] === undefined ? texts : ["\n", "a", sound.slice(0, sound.length / 2)];
    for (const value of broken) {
      const problems = problemsOf(kind, { ...parts, [field]: value });
      expect(problems, JSON.stringify(value)).toContain(`upstreams[0].credentials[0].${field}: `);
      expect(problems).toMatch(REMEDY);
    }
    expect(problemsOf(kind, { ...parts, [field]: "" })).toContain(`credentials[0].${field}: `);
  });

  it("leaves no field of any form out", () => {
    const fields = new Set(FIELDS.map(([, , field]) => field)).add("from");
    expect([...credentialFields().keys()].filter((field) => !fields.has(field))).toEqual([]);
  });

  it.each([
    ["azure", "certificate", CERTIFICATE, "holds no private key"],
    ["azure", "certificate", CERTIFICATE_KEY, "holds no certificate"],
    ["azure", "certificate", `${KEY}${CERTIFICATE}`, "isn't the certificate's"],
    ["azure", "certificate", `${LOCKED}${CERTIFICATE}`, "behind a password"],
    ["azure", "certificate", `${CURVE}${CERTIFICATE}`, "a private key of ec"],
    ["azure", "certificate", PEM.replace(/\n/g, "\\n"), "can't be read"],
    ["vertex", "service_account", "/etc/google.json", "is no JSON document"],
    [
      "vertex",
      "service_account",
      JSON.stringify({ ...ACCOUNT, private_key: undefined }),
      "has no private_key",
    ],
    ["vertex", "service_account", JSON.stringify({ ...ACCOUNT, private_key: "-----BEGIN" }), "can't be read"],
    ["vertex", "service_account", JSON.stringify({ ...ACCOUNT, private_key: CURVE }), "a private key of ec"],
    ["vertex", "service_account", JSON.stringify({ ...ACCOUNT, client_email: "" }), "has no client_email"],
    ["vertex", "service_account", JSON.stringify({ ...ACCOUNT, type: "other" }), "must be of type"],
    [
      "vertex",
      "service_account",
      JSON.stringify({ ...USER, refresh_token: undefined }),
      "has no refresh_token",
    ],
    [
      "vertex",
      "external_account",
      JSON.stringify({ ...EXTERNAL, token_url: "sts" }),
      "token_url that is no URL",
    ],
    [
      "vertex",
      "external_account",
      JSON.stringify({ ...EXTERNAL, credential_source: { environment_id: "aws1" } }),
      "neither a file nor a url",
    ],
  ])("of kind %s says what is wrong with its %s: %#", (kind, field, value, words) => {
    const others = field === "certificate" ? { tenant_id: "t", client_id: "c" } : {};
    const problems = problemsOf(kind, { ...others, [field]: value });
    expect(problems).toContain(`credentials[0].${field}: `);
    expect(problems).toContain(words);
    expect(problems).not.toMatch(/BEGIN|acme\.iam/);
  });

  it("has one half of a pair alone", () => {
    expect(problemsOf("bedrock", { access_key_id: "AKIAIOSFODNN7EXAMPLE" })).toContain(
      "secret_access_key: is required",
    );
    expect(problemsOf("bedrock", { secret_access_key: "s" })).toContain("access_key_id: is required");
    for (const kind of ["bedrock", "bedrock-mantle"])
      expect(problemsOfKey(kind, "AKIAIOSFODNN7EXAMPLE")).toContain(
        "api_key: is the id of an access key; write",
      );
    expect(problemsOfKey("ark", "key;access_key=a")).toContain("api_key: has no secret_key");
    expect(problemsOfKey("ark", "key;secret_key=s=")).toContain("api_key: has no access_key");
    expect(problemsOfKey("ark", "key;access_key=a;secret_key=s=")).toBe("");
  });

  it.each(KIND_NAMES.filter((kind) => kind !== "vertex"))("is no key of kind %s", (kind) => {
    expect(problemsOfKey(kind, "sk-sound-1")).toBe("");
    for (const key of ["sk-1\n", "sk 1", " sk-1", "ключ-1", "sk-1\u0000", `sk-${"1".repeat(4094)}`]) {
      const problems = problemsOfKey(kind, key);
      expect(problems, JSON.stringify(key)).toContain(
        "upstreams[0].api_key: must be 1 to 4096 visible ASCII",
      );
      expect(problems).toMatch(REMEDY);
    }
    expect(problemsOfKey(kind, "")).toContain("upstreams[0].api_key: ");
  });
});
