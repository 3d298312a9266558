import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Caller } from "../../accounts/caller.ts";
import { readTags, TAGS_HEADER } from "../../accounts/tags.ts";
import type { MemoryGrant } from "../../base/async/memory-budget.ts";
import { isPublicUrl, isUrlInside } from "../../base/fetch/public-url.ts";
import { readAllowList } from "../../base/fetch/safe-fetch-allow.ts";
import { formatUsd } from "../../base/money.ts";
import { allowedModel } from "../../catalog/allowed-model.ts";
import type { Model } from "../../catalog/catalog.ts";
import { droppedHeader } from "../../conversation/loss.ts";
import { GatewayError } from "../../errors.ts";
import { ignoredFields } from "../../families/read-fields.ts";
import { familyOf } from "../../families/table.ts";
import type { IsPublic } from "../../families/url-form.ts";
import type { Admission } from "../../relay/admit/entrance.ts";
import type { Task, TaskRequest } from "../../tasks/tasks.ts";
import { isHereOrSmall, MEDIA_BODY_BYTES } from "../body/body.ts";
import { type JsonBody, readJsonChunks } from "../body/json-body.ts";
import { authenticateLate, callerOf } from "../core/credentials.ts";
import { queryText, type RequestContext, sendJson } from "../core/endpoint.ts";
import type { HttpDeps } from "../deps.ts";

/**
 * Answers one submit. Checks come in the specification's order: key, JSON object, model named, model known,
 * model served here, what its family refuses; then money and rates, which are the task engine's. Only a body that is not
 * here yet is not waited for where the account has no money at all or its key is beyond a rate.
 */
export async function submitMedia(
  deps: HttpDeps,
  context: RequestContext,
  endpoint: "images" | "videos",
  response: (task: Task) => object,
): Promise<void> {
  const incoming = context.request.raw;
  const sinceMs = deps.clock.monotonicMs();
  context.about.endpoint = endpoint;
  context.about.startedMs = sinceMs;
  const sender = await callerOf(context, deps);
  const isDry = isDryRun(context);
  const admission = isDry ? undefined : await admitSubmit(deps, incoming, sender);
  const grant = deps.bodies.grantOf(sender);
  try {
    const { body, bodyDigest } = await readOrder(deps, incoming, grant);
    const caller = await authenticateLate({ caller: sender, sinceMs }, incoming, [], deps);
    const order = requestOf(deps, context, { caller, endpoint, body, bodyDigest });
    const request = admission === undefined ? order : { ...order, admission };
    const responseContext = {
      ...context,
      headers: { ...context.headers, ...ignoredHeader(request.model, body) },
    };
    if (isDry) return sendJson(responseContext, 200, await previewOf(deps, request));
    sendJson(responseContext, 200, response(await deps.tasks.submit(request)));
  } finally {
    grant.release();
    if (!(admission instanceof GatewayError)) admission?.finish();
  }
}

/** Names what the caller sent and no vendor is sent, so that nobody takes it for done. */
function ignoredHeader(model: Model, body: JsonBody): Record<string, string> {
  const names = ignoredFields(familyFor(model).fields(model), body);
  return droppedHeader(names.map((path) => ({ path, reason: "no-slot" })));
}

/** A rate's refusal is given back where the body is waited for: the specification looks at what is in it first. */
async function admitSubmit(
  { entrance }: HttpDeps,
  incoming: IncomingMessage,
  caller: Caller,
): Promise<Admission | GatewayError | undefined> {
  const mayWait = isHereOrSmall(incoming);
  try {
    return await entrance.admit(caller, mayWait);
  } catch (error) {
    if (mayWait && error instanceof GatewayError && error.reason === "rate_limit_exceeded") return error;
    throw error;
  }
}

/** Reads the body, and its digest where it may be sent again. */
async function readOrder(
  { bodies, largeJson }: HttpDeps,
  incoming: IncomingMessage,
  grant: MemoryGrant,
): Promise<{ body: JsonBody; bodyDigest: string }> {
  const digest = createHash("sha256");
  const isRepeatable = incoming.headers["idempotency-key"] !== undefined;
  const terms = { limitBytes: MEDIA_BODY_BYTES, grant, pace: bodies.pace };
  const chunks = await readJsonChunks(incoming, terms, (chunk) => {
    if (isRepeatable) digest.update(chunk);
  });
  const body = (await largeJson.parse(chunks)) as JsonBody;
  return { body, bodyDigest: digest.digest("hex") };
}

interface Order {
  readonly caller: Caller;
  readonly endpoint: "images" | "videos";
  readonly body: JsonBody;
  readonly bodyDigest: string;
}

function requestOf(
  deps: HttpDeps,
  context: RequestContext,
  { caller, endpoint, body, bodyDigest }: Order,
): TaskRequest {
  const model = modelOf(deps, caller, body["model"], endpoint);
  context.about.model = model.id;
  const submission = familyFor(model).read(model, body, mayBeFetched(deps, caller, model));
  const webhookUrl = readWebhookUrl(body["webhook_url"]);
  const key = readIdempotencyKey(context.request.raw);
  const tags = readTags(context.request.raw.headers[TAGS_HEADER], caller);
  return {
    requestId: context.request.id,
    caller,
    model,
    submission,
    idempotency: key === undefined ? undefined : { key, bodyDigest },
    webhookUrl,
    tags,
  };
}

/** The references that a vendor of the model may be told to fetch. */
function mayBeFetched({ catalog }: HttpDeps, { group }: Caller, model: Model): IsPublic {
  const { settings, serving } = catalog.current();
  // If a public vendor may get the order as well, the rule is that of all.
  const isInside = serving(model.id, group).every(({ baseUrl }) => !isPublicUrl(baseUrl));
  const allowed = readAllowList(settings.egressAllow);
  return (url) => isPublicUrl(url, allowed) || (isInside && isUrlInside(url));
}

function modelOf(deps: HttpDeps, caller: Caller, named: unknown, endpoint: "images" | "videos"): Model {
  if (named === undefined || named === null || named === "") {
    throw new GatewayError(
      "missing_media_model",
      "The request has no model. Set `model` to an id from /v1/models.",
      { param: "model" },
    );
  }
  if (typeof named !== "string") throw invalid("model", "`model` must be a string.");
  return allowedModel(deps.catalog.current(), caller, named, endpoint);
}

/** The catalog serves models of known families only on these endpoints. */
function familyFor({ id, family }: Model): ReturnType<typeof familyOf> & object {
  const known = family === null ? undefined : familyOf(family);
  if (known === undefined) throw new GatewayError("internal_error", `The model '${id}' has no family.`);
  return known;
}

/** Longer than any address that a person sets up. */
const MAX_WEBHOOK_CHARACTERS = 2_048;

function readWebhookUrl(value: unknown): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" && value.length <= MAX_WEBHOOK_CHARACTERS && URL.canParse(value)) {
    const { protocol, username, password, href } = new URL(value);
    // The URL in the parser's form, without control characters and blanks.
    if (/^https?:$/.test(protocol) && username === "" && password === "") return href;
  }
  throw invalid(
    "webhook_url",
    "`webhook_url` must be an http(s) URL without user and password, of at most 2048 characters.",
  );
}

function readIdempotencyKey(request: IncomingMessage): string | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined || key === "") return undefined;
  if (typeof key === "string" && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw invalid("Idempotency-Key", "`Idempotency-Key` takes 1 to 255 visible ASCII characters.");
}

/** Anything but a plain yes or no is refused: who mistypes a dry run must not be charged. */
function isDryRun(context: RequestContext): boolean {
  const asked = queryText(context.request, "dry_run");
  if (asked === undefined || asked === "0" || asked === "false") return false;
  if (asked === "1" || asked === "true") return true;
  throw invalid("dry_run", "`dry_run` must be 1 or 0.");
}

/**
 * The preview of a request: its order and highest cost; `fail_reason` says why its task would fail, "" = it would not.
 */
async function previewOf(deps: HttpDeps, request: TaskRequest): Promise<object> {
  const { model, submission } = request;
  const { images, videoSeconds } = submission.units;
  const maxChargeNanos = deps.tasks.preview(request);
  return {
    object: "dry_run",
    model: model.id,
    action: submission.action,
    units: { images, video_seconds: videoSeconds },
    max_charge_usd: formatUsd(maxChargeNanos),
    max_charge_nanos: String(maxChargeNanos),
    fail_reason: submission.violation ?? (await assetFault(deps, request)),
  };
}

/** Why the order's assets cannot be used, which a task is told once its turn has come. */
async function assetFault({ assets }: HttpDeps, request: TaskRequest): Promise<string> {
  const { caller, model, requestId, submission } = request;
  const { accountId, group } = caller;
  const resolved = await assets.resolve({ accountId, group, requestId, model: model.id }, submission.order);
  return resolved.type === "refused" ? resolved.reason : "";
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError("invalid_request", message, { param });
}
