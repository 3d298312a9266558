import { GatewayError } from "../../errors.ts";
import { nativeActions } from "../../protocols/endpoint-table.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { callerOf } from "../core/credentials.ts";
import { queryText, queryTexts, type RequestContext, sendJson, wrongMethod } from "../core/endpoint.ts";
import type { Router } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";
import { serveCount } from "../text/count-tokens.ts";
import { nativeEmbeddings } from "../text/native-embeddings.ts";
import { respondWithText } from "../text/text-handler.ts";
import { nativeRecord } from "./model-records.ts";
import { pageByCursor, readLimit } from "./paging.ts";

/** The native-style paths: a model list with paging, one model, and `models/{model}:action`. */
export function nativeRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["GET", "HEAD"], "/v1beta/models", async (context) => {
    const { request } = context;
    const caller = await callerOf(context, deps, queryTexts(request, "key"));
    const token = queryText(request, "pageToken");
    const catalog = deps.catalog.current();
    const view = { catalog, group: caller.group, vocabulary: deps.vocabulary };
    const page = pageByCursor(
      catalog.listed(caller),
      {
        limit: readLimit(queryText(request, "pageSize"), "pageSize"),
        afterId: token ? readToken(token) : undefined,
        beforeId: undefined,
      },
      "pageToken",
    );
    const last = page.items.at(-1);
    sendJson(context, 200, {
      models: page.items.map((model) => nativeRecord(view, model)),
      nextPageToken: page.hasMore && last ? Buffer.from(last.id).toString("base64url") : null,
    });
  });

  router.endpoint(["GET", "HEAD", "POST"], "/v1beta/models/*", (context) =>
    context.request.method === "POST"
      ? actOnModel(deps, context, queryTexts(context.request, "key"))
      : showModel(deps, context),
  );
}

async function showModel(deps: HttpDeps, context: RequestContext): Promise<void> {
  if (ACTIONS.has(targetOf(context).action)) throw wrongMethod(context.request.raw, ["POST"]);
  const caller = await callerOf(context, deps, queryTexts(context.request, "key"));
  const id = pathOf(context);
  const catalog = deps.catalog.current();
  const model = catalog.listed(caller).find((each) => each.id === id);
  if (model === undefined)
    throw new GatewayError("model_not_found", `The model '${id}' does not exist.`, { param: "model" });
  sendJson(context, 200, nativeRecord({ catalog, group: caller.group, vocabulary: deps.vocabulary }, model));
}

/** `models/{model}:action` of either version. `queryKeys`: the keys in its query, where those count. */
export function actOnModel(
  deps: HttpDeps,
  context: RequestContext,
  queryKeys: readonly string[],
): Promise<void> {
  const { model, action } = targetOf(context);
  const act = ACTIONS.get(action);
  if (act === undefined) {
    throw new GatewayError(
      "unserved_action",
      `The action "${action.slice(0, 50)}" isn't supported. Use :generateContent, :streamGenerateContent or :countTokens.`,
    );
  }
  const { protocol, does } = act;
  switch (does) {
    case "count":
      return serveCount(deps, context, { protocol, model, queryKeys });
    case "one":
    case "several": {
      const adapter = nativeEmbeddings(does === "several", model);
      return respondWithText(deps, context, {
        protocol,
        path: { model, streamed: false },
        queryKeys,
        adapter,
      });
    }
    default: {
      const streamed = does === "streamed";
      return respondWithText(deps, context, {
        protocol,
        path: { model, streamed },
        arrayStream: streamed && queryText(context.request, "alt") !== "sse",
        queryKeys,
      });
    }
  }
}

const ACTIONS = new Map(
  Object.values(PROTOCOLS).flatMap(({ name: protocol, endpoint: at }) =>
    [...nativeActions(at)].map(([action, does]) => [action, { protocol, does }] as const),
  ),
);

/** `models/{model}:{action}`: a model id may hold colons, so the last one parts the two. */
function targetOf(context: RequestContext): { model: string; action: string } {
  const path = pathOf(context);
  const colon = path.lastIndexOf(":");
  return colon === -1
    ? { model: path, action: "" }
    : { model: path.slice(0, colon), action: path.slice(colon + 1) };
}

function pathOf(context: RequestContext): string {
  return context.request.params["*"] ?? "";
}

function readToken(token: string): string {
  return Buffer.from(token, "base64url").toString("utf8");
}
