import type { Upstream } from "../../catalog/catalog.ts";
import { type AccessContext, AccessFailure } from "../access/access.ts";
import type { Issued } from "../access/expiring-value.ts";
import { secretFile } from "../access/secret-file.ts";
import { jsonIn, refusedBy } from "../access/token-response.ts";
import type { CredentialForm, CredentialParts } from "../credentials/credential-forms.ts";
import { keyAlone, lineText } from "../credentials/field-checks.ts";
import { profileKeys } from "./aws-profile.ts";
import { type AwsKeys, signAws } from "./aws-signature.ts";

const ROLE = {
  role_arn: { about: "Role to assume with these keys" },
  external_id: { about: "External id that the role wants" },
  session_name: { about: "Name of the session in AWS's logs" },
} as const;

/** The id of an access key is half of a pair: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html */
function serviceKey(value: string): string | undefined {
  return /^A[KS]IA[A-Z0-9]{12,}$/.test(value)
    ? "is the id of an access key; write access_key_id and secret_access_key into credentials"
    : keyAlone(value);
}

/** https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html */
export const AWS_FORMS: readonly CredentialForm[] = [
  {
    name: "Bedrock API key",
    fields: {
      api_key: { about: "API key of the service", isSecret: true, isRequired: true, check: serviceKey },
    },
  },
  {
    name: "access key",
    fields: {
      access_key_id: { about: "Id of an access key of AWS", isSecret: true, isRequired: true },
      secret_access_key: { about: "Secret of the access key", isSecret: true, isRequired: true },
      session_token: { about: "Token of a session whose keys these are", isSecret: true },
      ...ROLE,
    },
  },
  {
    name: "web identity",
    from: "web-identity",
    fields: {
      role_arn: { about: "Absent = AWS_ROLE_ARN" },
      token_file: { about: "Absent = AWS_WEB_IDENTITY_TOKEN_FILE", check: lineText },
      session_name: ROLE.session_name,
    },
  },
  { name: "container", from: "container", fields: ROLE },
  { name: "instance", from: "instance", fields: ROLE },
  {
    name: "profile",
    from: "profile",
    fields: {
      profile: { about: "Of AWS's shared files; absent = AWS_PROFILE, else default", check: lineText },
      ...ROLE,
    },
  },
  { name: "environment", from: "environment", fields: ROLE },
];

type KeySource = () => Promise<Issued<AwsKeys>>;

/** Keys that don't end. */
const FOREVER_MS = Number.POSITIVE_INFINITY;

/** The source of a credential's keys: its own, or a role's. */
export function keySource(context: AccessContext, parts: CredentialParts): KeySource {
  const own = ownKeys(context, parts);
  const { role_arn: role } = parts;
  if (role === undefined || parts["from"] === "web-identity") return own;
  return async () => assumeRole(context, parts, role, (await own()).value);
}

function ownKeys(context: AccessContext, parts: CredentialParts): KeySource {
  switch (parts["from"]) {
    case "web-identity":
      return () => fromWebIdentity(context, parts);
    case "container":
      return () => fromContainer(context);
    case "instance":
      return () => fromInstance(context);
    case "profile":
      return () => fromProfile(context, parts["profile"]);
    case "environment":
      return () => fromEnvironment(context);
    default: {
      const { access_key_id: id = "", secret_access_key: secret = "", session_token: token } = parts;
      const value = { accessKeyId: id, secretAccessKey: secret, sessionToken: token ?? null };
      return () => Promise.resolve({ value, lifeMs: FOREVER_MS });
    }
  }
}

/** In the order of AWS's own clients. */
async function fromEnvironment(context: AccessContext): Promise<Issued<AwsKeys>> {
  const { environment } = context;
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment;
  if (id && secret)
    return {
      value: { accessKeyId: id, secretAccessKey: secret, sessionToken: token || null },
      lifeMs: FOREVER_MS,
    };
  if (environment["AWS_WEB_IDENTITY_TOKEN_FILE"]) return fromWebIdentity(context, {});
  if (environment["AWS_PROFILE"]) return fromProfile(context, undefined);
  if (containerUrl(context) !== undefined) return fromContainer(context);
  return fromInstance(context);
}

/** AWS's profile files, in which a profile may name another one whose keys assume its role. */
async function fromProfile(context: AccessContext, name: string | undefined): Promise<Issued<AwsKeys>> {
  const { keys, roles } = await profileKeys(context.environment, name);
  let issued: Issued<AwsKeys> = { value: keys, lifeMs: FOREVER_MS };
  for (const role of roles) issued = await assumeRole(context, role, role.role_arn, issued.value);
  return issued;
}

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html; Kubernetes renews the file. */
async function fromWebIdentity(context: AccessContext, parts: CredentialParts): Promise<Issued<AwsKeys>> {
  const { environment } = context;
  const role = parts["role_arn"] ?? environment["AWS_ROLE_ARN"];
  const file = parts["token_file"] ?? environment["AWS_WEB_IDENTITY_TOKEN_FILE"];
  if (!role || !file)
    throw new AccessFailure("it has no web identity here", {
      advice: "Set role_arn and token_file, or AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE.",
      isRefusal: true,
    });
  const token = (await secretFile(file, "token_file")).trim();
  const name = parts["session_name"] ?? environment["AWS_ROLE_SESSION_NAME"] ?? SESSION_NAME;
  return askSts(context, {
    Action: "AssumeRoleWithWebIdentity",
    RoleArn: role,
    RoleSessionName: name,
    WebIdentityToken: token,
  });
}

const SESSION_NAME = "faregate";

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
function assumeRole(
  context: AccessContext,
  { external_id: externalId, session_name: name = SESSION_NAME }: CredentialParts,
  role: string,
  keys: AwsKeys,
): Promise<Issued<AwsKeys>> {
  const form = { Action: "AssumeRole", RoleArn: role, RoleSessionName: name };
  return askSts(context, externalId === undefined ? form : { ...form, ExternalId: externalId }, keys);
}

/** Signed where keys are given. */
async function askSts(
  context: AccessContext,
  form: Readonly<Record<string, string>>,
  keys?: AwsKeys,
): Promise<Issued<AwsKeys>> {
  const { upstream, environment, clock, tokens } = context;
  const region = regionOf(upstream);
  const stated = upstream.options?.place?.tokenUrl ?? environment["AWS_ENDPOINT_URL_STS"];
  const { origin, host, pathname, href } = new URL(stated ?? `https://sts.${region}.${domainOf(region)}/`);
  const body = new URLSearchParams({ Version: "2011-06-15", ...form }).toString();
  const headers = ["content-type", "application/x-www-form-urlencoded"];
  if (keys !== undefined)
    headers.push(
      ...signAws(
        {
          method: "POST",
          host,
          path: pathname,
          headers,
          body: [Buffer.from(body)],
          region,
          service: "sts",
          nowMs: clock.nowMs(),
        },
        keys,
      ),
    );
  const response = await tokens({
    method: "POST",
    url: stated === undefined ? `${origin}/` : href,
    headers,
    body,
  });
  const text = response.body.toString("utf8");
  if (response.status !== 200) throw refusedBy("AWS STS", response.status, wordsIn(text));
  return issuedOf(context, {
    accessKeyId: elementIn(text, "AccessKeyId"),
    secretAccessKey: elementIn(text, "SecretAccessKey"),
    sessionToken: elementIn(text, "SessionToken"),
    expiration: elementIn(text, "Expiration"),
    by: "AWS STS",
  });
}

function domainOf(region: string): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}

function wordsIn(text: string): string {
  const code = elementIn(text, "Code");
  const message = elementIn(text, "Message");
  return [code, message].filter((part) => part !== "").join(": ");
}

function elementIn(text: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? "";
}

/** https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html */
async function fromContainer(context: AccessContext): Promise<Issued<AwsKeys>> {
  const { environment, tokens } = context;
  const url = containerUrl(context);
  if (url === undefined)
    throw new AccessFailure("it runs in no container that has a role", {
      advice: "Set AWS_CONTAINER_CREDENTIALS_FULL_URI or AWS_CONTAINER_CREDENTIALS_RELATIVE_URI.",
      isRefusal: true,
    });
  const file = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
  const token = file
    ? (await secretFile(file, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")).trim()
    : environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"];
  const headers = token ? ["authorization", token] : [];
  return readKeys(
    context,
    await tokens({ method: "GET", url, headers, isLocal: true }),
    "the container's role",
  );
}

function containerUrl({ environment }: AccessContext): string | undefined {
  const relative = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  if (relative) return `http://169.254.170.2${relative}`;
  return environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] || undefined;
}

const METADATA_SERVER = "http://169.254.169.254";
const ROLES = "/latest/meta-data/iam/security-credentials/";
const METADATA_SECONDS = "21600";

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html, version 2 alone. */
async function fromInstance(context: AccessContext): Promise<Issued<AwsKeys>> {
  const { environment, tokens } = context;
  const server = (environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || METADATA_SERVER).replace(/\/+$/, "");
  const session = await tokens({
    method: "PUT",
    url: `${server}/latest/api/token`,
    headers: ["x-aws-ec2-metadata-token-ttl-seconds", METADATA_SECONDS, "content-length", "0"],
    isLocal: true,
  });
  if (session.status !== 200 || session.body.length === 0)
    throw refusedBy("the instance's metadata server", session.status, "it opens no session");
  const headers = ["x-aws-ec2-metadata-token", session.body.toString("utf8")];
  const roles = await tokens({ method: "GET", url: server + ROLES, headers, isLocal: true });
  const [role = ""] = roles.body.toString("utf8").trim().split("\n");
  if (roles.status !== 200 || role === "")
    throw new AccessFailure(`the instance has no role (status ${roles.status})`, {
      advice: "Attach an instance profile, or name keys.",
      isRefusal: true,
    });
  const url = server + ROLES + encodeURIComponent(role);
  return readKeys(
    context,
    await tokens({ method: "GET", url, headers, isLocal: true }),
    "the instance's role",
  );
}

type LocalResponse = Awaited<ReturnType<AccessContext["tokens"]>>;

function readKeys(context: AccessContext, { status, body }: LocalResponse, by: string): Issued<AwsKeys> {
  const answer = jsonIn(body);
  const text = (name: string): string => (typeof answer[name] === "string" ? answer[name] : "");
  if (status !== 200) throw refusedBy(by, status, text("message") || text("Message"));
  return issuedOf(context, {
    accessKeyId: text("AccessKeyId"),
    secretAccessKey: text("SecretAccessKey"),
    sessionToken: text("Token"),
    expiration: text("Expiration"),
    by,
  });
}

interface StatedKeys extends AwsKeys {
  readonly expiration: string;
  readonly by: string;
}

function issuedOf({ clock }: AccessContext, stated: StatedKeys): Issued<AwsKeys> {
  const { accessKeyId, secretAccessKey, sessionToken, expiration, by } = stated;
  if (accessKeyId === "" || secretAccessKey === "") throw refusedBy(by, 200, "its response holds no keys");
  const endMs = Date.parse(expiration);
  const lifeMs = Number.isNaN(endMs) ? FOREVER_MS : Math.max(1, endMs - clock.nowMs());
  return { value: { accessKeyId, secretAccessKey, sessionToken: sessionToken || null }, lifeMs };
}

const HOST_REGION = /^[a-z-]+\.([a-z]{2}(?:-[a-z]+)+-\d)\./;

/** Used if nothing else names a region. An upstream that is no server of AWS's has to name one. */
const FIRST_REGION = "us-east-1";

/** Returns the region that the upstream states, otherwise the one in its host name. */
export function regionOf({ baseUrl, options }: Pick<Upstream, "baseUrl" | "options">): string {
  return options?.place?.location ?? HOST_REGION.exec(new URL(baseUrl).hostname)?.[1] ?? FIRST_REGION;
}
