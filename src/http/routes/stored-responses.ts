import type { FastifyInstance } from "fastify";
import { GatewayError } from "../../errors.ts";
import type { StoredAsk } from "../../relay/stored-responses.ts";
import { authenticate } from "../credentials.ts";
import type { HttpDeps } from "../deps.ts";
import { endpoint, type Visit } from "../endpoint.ts";

/** What of a query the vendor is asked. */
const PASSED: ReadonlySet<string> = new Set(["include", "include[]", "after", "before", "limit", "order"]);

/** Longer than any that means something. */
const MOST_QUERY = 2_000;

/** Reading and ending what an upstream keeps of earlier answers. */
export function storedResponseRoutes(app: FastifyInstance, deps: HttpDeps): void {
  endpoint(app, deps, ["GET", "DELETE"], "/v1/responses/:id", (visit) =>
    answerStored(deps, visit, visit.request.method === "DELETE" ? "DELETE" : "GET", ""),
  );
  endpoint(app, deps, ["GET"], "/v1/responses/:id/input_items", (visit) =>
    answerStored(deps, visit, "GET", "/input_items"),
  );
  endpoint(app, deps, ["POST"], "/v1/responses/:id/cancel", (visit) =>
    answerStored(deps, visit, "POST", "/cancel"),
  );
}

async function answerStored(
  deps: HttpDeps,
  visit: Visit,
  method: StoredAsk["method"],
  below: string,
): Promise<void> {
  const { raw, id: requestId, params, url } = visit.request;
  const caller = await authenticate(raw, [], deps.authenticator);
  const { id } = params as { id: string };
  const admission = await deps.entrance.admit(caller, true);
  Object.assign(visit.headers, admission?.headers);
  try {
    const { body, release } = await deps.storedResponses.ask({
      requestId,
      caller,
      id,
      method,
      below,
      query: queryOf(url),
    });
    if (visit.raw.destroyed) release();
    else visit.raw.once("close", release);
    visit.raw.writeHead(200, {
      ...visit.headers,
      "content-type": "application/json; charset=utf-8",
      "content-length": String(body.length),
    });
    visit.raw.end(body);
  } finally {
    admission?.finish();
  }
}

function queryOf(url: string): string {
  const given = new URLSearchParams(url.split("?", 2)[1] ?? "");
  if (given.get("stream") === "true") {
    const message = "A stored response is read plain here; leave `stream` out.";
    throw new GatewayError("invalid_request", message, { param: "stream" });
  }
  const passed = new URLSearchParams([...given].filter(([name]) => PASSED.has(name))).toString();
  if (passed.length > MOST_QUERY) throw new GatewayError("invalid_request", "The query is too long.");
  return passed;
}
