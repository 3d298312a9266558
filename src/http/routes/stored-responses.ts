import { GatewayError } from "../../errors.ts";
import type { Protocol } from "../../protocols/protocol.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { StoredAsk } from "../../relay/response/stored-responses.ts";
import { callerOf } from "../core/credentials.ts";
import type { RequestContext } from "../core/endpoint.ts";
import type { Router } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";

/** The parameters of a query that are passed to the vendor. */
const PASSED: ReadonlySet<string> = new Set(["include", "include[]", "after", "before", "limit", "order"]);

/** Longer than any that means something. */
const MAX_QUERY = 2_000;

/** Reading and ending what an upstream keeps of earlier responses. */
export function storedResponseRoutes(router: Router, deps: HttpDeps): void {
  for (const protocol of Object.values(PROTOCOLS)) {
    const { path, keepsResponses } = protocol.endpoint;
    if (keepsResponses === undefined) continue;
    router.endpoint(["GET", "DELETE"], `${path}/:id`, (context) =>
      serveStored(deps, context, protocol, context.request.method === "DELETE" ? "DELETE" : "GET", ""),
    );
    router.endpoint(["GET"], `${path}/:id/input_items`, (context) =>
      serveStored(deps, context, protocol, "GET", "/input_items"),
    );
    router.endpoint(["POST"], `${path}/:id/cancel`, (context) =>
      serveStored(deps, context, protocol, "POST", "/cancel"),
    );
  }
}

async function serveStored(
  deps: HttpDeps,
  context: RequestContext,
  protocol: Protocol,
  method: StoredAsk["method"],
  below: string,
): Promise<void> {
  const { id: requestId, params, url } = context.request;
  const caller = await callerOf(context, deps);
  const { id = "" } = params;
  const admission = await deps.entrance.admit(caller, true);
  Object.assign(context.headers, admission?.headers);
  try {
    const { body, release } = await deps.storedResponses.ask({
      requestId,
      protocol,
      caller,
      id,
      method,
      below,
      query: queryOf(url),
    });
    if (context.raw.destroyed) release();
    else context.raw.once("close", release);
    context.raw.writeHead(200, {
      ...context.headers,
      "content-type": "application/json; charset=utf-8",
      "content-length": String(body.length),
    });
    context.raw.end(body);
  } finally {
    admission?.finish();
  }
}

function queryOf(url: string): string {
  const query = new URLSearchParams(url.split("?", 2)[1] ?? "");
  if (query.get("stream") === "true") {
    const message = "Stored responses can't be streamed. Remove `stream`.";
    throw new GatewayError("invalid_request", message, { param: "stream" });
  }
  const passed = new URLSearchParams([...query].filter(([name]) => PASSED.has(name))).toString();
  if (passed.length > MAX_QUERY) throw new GatewayError("invalid_request", "The query is too long.");
  return passed;
}
