import type { IncomingMessage, ServerResponse } from "node:http";
import type { VendorError } from "../refusal.ts";
import { sendJson } from "../reply.ts";
import type { World } from "../world.ts";
import { verifyAws } from "./verify-signature.ts";

interface KeyRequest {
  method: string;
  path: string;
  body: Buffer;
  request: IncomingMessage;
  response: ServerResponse;
}

const METADATA = "/aws/metadata/latest";
const ROLES = `${METADATA}/meta-data/iam/security-credentials/`;
const ROLE_NAME = "sandbox-role";
const SESSION = "metadata-session";
const CONTAINER_TOKEN = "container-token";

/** Answers as STS, as a machine's metadata server and as a container's; false = it is asked for none of them. */
export function serveKeys(world: World, asked: KeyRequest): boolean {
  const { request, response, body } = asked;
  const session = request.headers["x-aws-ec2-metadata-token"];
  switch (`${asked.method} ${asked.path}`) {
    case "POST /aws/sts":
      sendRole(world, asked);
      break;
    case `PUT ${METADATA}/api/token`:
      sendText(response, SESSION);
      break;
    case `GET ${ROLES}`:
      sendText(response, session === SESSION ? ROLE_NAME : "", session === SESSION ? 200 : 401);
      break;
    case `GET ${ROLES}${ROLE_NAME}`:
      sendKeys(world, response, session === SESSION);
      break;
    case "GET /aws/container":
      sendKeys(world, response, request.headers.authorization === CONTAINER_TOKEN);
      break;
    case "POST /aws/life":
      world.keys.lifeSeconds = Number(body.toString("utf8"));
      sendJson(response, 200, { life_seconds: world.keys.lifeSeconds });
      break;
    case "POST /aws/revoke":
      world.keys.revoke();
      sendJson(response, 200, {});
      break;
    case "GET /aws/life":
      sendJson(response, 200, { issued: world.keys.issued, life_seconds: world.keys.lifeSeconds });
      break;
    default:
      return false;
  }
  return true;
}

function sendKeys(world: World, response: ServerResponse, isKnown: boolean): void {
  if (!isKnown) {
    sendText(response, "", 401);
    return;
  }
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = world.keys.issue(world.clock.nowMs());
  sendJson(response, 200, {
    Code: "Success",
    Type: "AWS-HMAC",
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Token: sessionToken,
    Expiration: expiration,
  });
}

const ROLE = /^arn:aws:iam::\d{12}:role\/[\w+=,.@/-]+$/;
const SESSION_NAME = /^[\w+=,.@-]{2,64}$/;

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
function sendRole(world: World, { request, response, body }: KeyRequest): void {
  const form = new URLSearchParams(body.toString("utf8"));
  const action = form.get("Action") ?? "";
  const refused = roleRefusal(world, request, body, form);
  if (refused !== undefined) {
    sendXml(
      response,
      refused.status,
      `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>` +
        `<Code>${refused.type?.replace(/Exception$/, "")}</Code><Message>${refused.message}</Message></Error></ErrorResponse>`,
    );
    return;
  }
  const keys = world.keys.issue(world.clock.nowMs());
  sendXml(
    response,
    200,
    `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>` +
      `<AccessKeyId>${keys.accessKeyId}</AccessKeyId><SecretAccessKey>${keys.secretAccessKey}</SecretAccessKey>` +
      `<SessionToken>${keys.sessionToken}</SessionToken><Expiration>${keys.expiration}</Expiration>` +
      `</Credentials></${action}Result></${action}Response>`,
  );
}

function roleRefusal(
  world: World,
  request: IncomingMessage,
  body: Buffer,
  form: URLSearchParams,
): VendorError | undefined {
  const role = form.get("RoleArn") ?? "";
  if (
    form.get("Version") !== "2011-06-15" ||
    !ROLE.test(role) ||
    !SESSION_NAME.test(form.get("RoleSessionName") ?? "")
  )
    return { status: 400, type: "ValidationError", message: "1 validation error detected" };
  if (form.get("Action") === "AssumeRoleWithWebIdentity")
    return form.get("WebIdentityToken") === "web-identity-token"
      ? undefined
      : { status: 400, type: "InvalidIdentityToken", message: "No OpenIDConnect provider found" };
  const verified = verifyAws(world, request, body, ["sts"]);
  if ("status" in verified) return verified;
  const isForeign = role.endsWith("/external") && form.get("ExternalId") !== "tenant-1";
  if (!isForeign && !role.endsWith("/denied")) return undefined;
  const user = `arn:aws:iam::123456789012:user/${verified.accessKeyId}`;
  const message = `User: ${user} is not authorized to perform: sts:AssumeRole on resource: ${role}`;
  return { status: 403, type: "AccessDenied", message };
}

function sendXml(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/xml", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

function sendText(response: ServerResponse, text: string, status = 200): void {
  response.writeHead(status, { "content-type": "text/plain", "content-length": Buffer.byteLength(text) });
  response.end(text);
}
