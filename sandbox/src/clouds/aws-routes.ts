import type { Call } from "../call.ts";
import type { TextProtocol } from "../exchange.ts";
import { isObject, type Json, type JsonObject, objectOr, parseJson } from "../json.ts";
import type { ProtocolName } from "../prompt.ts";
import { chatCompletions } from "../protocols/chat-completions/protocol.ts";
import { serveVectors } from "../protocols/embeddings.ts";
import { messages } from "../protocols/messages/protocol.ts";
import { responses } from "../protocols/responses/protocol.ts";
import { Refusal, refuse, type VendorError } from "../refusal.ts";
import { sendError } from "../reply.ts";
import { serveText, type TextPath } from "../text-route.ts";
import type { World } from "../world.ts";
import { bedrockConverse } from "./bedrock-converse.ts";
import { embedderBody, embedderOf } from "./bedrock-embeddings.ts";
import { bedrockCount, bedrockMessages } from "./bedrock-messages.ts";
import { verifyAws } from "./verify-signature.ts";

export interface AwsRoute {
  protocol: ProtocolName;
  response: (world: World, call: Call) => Promise<void>;
}

/** The sandbox's paths as Amazon: each of its servers has a path of its own here in place of a host. */
const RUNTIME = "/aws/bedrock";
const MANTLE = "/aws/bedrock-mantle";

const ACTION =
  /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream|converse|converse-stream|count-tokens)$/;

/** The protocols that both servers speak beside their own form, by the path. */
const SPOKEN: readonly [path: RegExp, protocol: TextProtocol][] = [
  [/^(?:\/openai)?\/v1\/chat\/completions$/, chatCompletions],
  [/^(?:\/openai)?\/v1\/responses$/, responses],
  [/^\/anthropic\/v1\/messages$/, messages],
];

const PLAIN: TextPath = { model: "", stream: false, framing: "sse" };

/** The route of a POST to Bedrock; undefined = it is none. */
export function awsRoute(path: string): AwsRoute | undefined {
  if (path.startsWith(`${MANTLE}/`)) return spokenRoute(path.slice(MANTLE.length), "bedrock-mantle");
  if (!path.startsWith(`${RUNTIME}/`)) return undefined;
  const below = path.slice(RUNTIME.length);
  const [, model = "", action] = ACTION.exec(below) ?? [];
  if (action === undefined) return below.startsWith("/v1/") ? undefined : spokenRoute(below, "bedrock");
  const textPath = { ...PLAIN, model: decodeURIComponent(model), stream: action.endsWith("stream") };
  const serve = SERVED[action] ?? serveInvoke;
  if (action === "invoke" && embedderOf(textPath.model) !== undefined)
    return { protocol: "embeddings", response: (world, call) => serveEmbedder(world, call, textPath.model) };
  return { protocol: "messages", response: (world, call) => serve(world, call, textPath) };
}

function spokenRoute(path: string, service: string): AwsRoute | undefined {
  const protocol = SPOKEN.find(([pattern]) => pattern.test(path))?.[1];
  if (protocol === undefined) return undefined;
  return {
    protocol: protocol.name,
    async response(world, call) {
      const verified = verifyAws(world, call.request, call.body, [service]);
      if ("status" in verified) refuseCall(call, verified);
      else await serveText(world, { ...call, credential: verified.accessKeyId }, protocol, PLAIN);
    },
  };
}

async function serveConverse(world: World, call: Call, path: TextPath): Promise<void> {
  const verified = verifyAws(world, call.request, call.body, ["bedrock"]);
  if ("status" in verified) refuseCall(call, verified);
  else await serveText(world, { ...call, credential: verified.accessKeyId }, bedrockConverse, path);
}

function serveInvoke(world: World, call: Call, path: TextPath): Promise<void> {
  return serveClaude(world, call, bedrockMessages, path, (body) => bodyOf(body, path));
}

/** Of Claude alone, by the model's own id: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html */
function serveCount(world: World, call: Call, path: TextPath): Promise<void> {
  return serveClaude(world, call, bedrockCount, path, (asked) => {
    if (!path.model.startsWith("anthropic.") || path.model.includes("claude-opus-5"))
      refuse("The provided model doesn't support counting tokens.");
    const { body } = objectOr(objectOr(objectOr(asked)["input"])["invokeModel"]);
    const counted = bodyOf(parseJson(Buffer.from(String(body), "base64").toString("utf8")), path);
    return "max_tokens" in counted ? counted : refuse("max_tokens: Field required");
  });
}

const SERVED: Readonly<Record<string, typeof serveInvoke>> = {
  converse: serveConverse,
  "converse-stream": serveConverse,
  "count-tokens": serveCount,
};

async function serveEmbedder(world: World, call: Call, model: string): Promise<void> {
  const verified = verifyAws(world, call.request, call.body, ["bedrock"]);
  const embedder = embedderOf(model);
  if ("status" in verified || embedder === undefined) {
    if ("status" in verified) refuseCall(call, verified);
    return;
  }
  try {
    const body = embedderBody(embedder, parseJson(call.body.toString("utf8")));
    await serveVectors(world, { ...call, body, credential: verified.accessKeyId }, embedder.form);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refuseCall(call, error.error);
  }
}

async function serveClaude(
  world: World,
  call: Call,
  protocol: TextProtocol,
  path: TextPath,
  bodyIn: (asked: Json | undefined) => JsonObject,
): Promise<void> {
  const verified = verifyAws(world, call.request, call.body, ["bedrock"]);
  if ("status" in verified) {
    refuseCall(call, verified);
    return;
  }
  try {
    const body = Buffer.from(JSON.stringify(bodyIn(parseJson(call.body.toString("utf8")))));
    await serveText(world, { ...call, body, credential: verified.accessKeyId }, protocol, path);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refuseCall(call, error.error);
  }
}

/** Betas of services that Claude's vendor runs itself, and one that no table of the gateway's has. */
const REFUSED_BETA = /^(refused|files-api|skills|mcp-client|code-execution|web-fetch)-/;

/**
 * The cloud's pages name only the first version. `@anthropic-ai/bedrock-sdk` 1.1.3 with `@anthropic-ai/sdk` 1.11.0 sends
 * the second one, which no page names.
 */
const VERSIONS: readonly unknown[] = ["bedrock-2023-05-31", "2026-10-21"];

/** The body as the model's vendor wants it; throws Refusal where Bedrock takes it for none. */
function bodyOf(asked: Json | undefined, { model, stream }: TextPath): JsonObject {
  if (!isObject(asked)) return refuse("Malformed input request, please reformat your input and try again.");
  const { anthropic_version: version, anthropic_beta: betas, ...rest } = asked;
  if (!VERSIONS.includes(version))
    refuse(version === undefined ? "anthropic_version: Field required" : "Invalid API version");
  const extra = ["model", "stream"].find((name) => name in rest);
  if (extra !== undefined)
    refuse(
      `Malformed input request: #: extraneous key [${extra}] is not permitted, please reformat your input and try again.`,
    );
  if (betas !== undefined && !Array.isArray(betas)) refuse("anthropic_beta: Input should be a valid list");
  if (Array.isArray(betas) && betas.some((beta) => REFUSED_BETA.test(String(beta))))
    refuse("invalid beta flag");
  return { ...rest, model, stream };
}

function refuseCall(call: Call, error: VendorError): void {
  call.track.refused = error.status;
  sendError(call, bedrockMessages, error);
}
