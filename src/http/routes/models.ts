import type { Model } from "../../catalog/catalog.ts";
import { callerOf } from "../core/credentials.ts";
import { queryText, type RequestContext, sendJson, wrongMethod } from "../core/endpoint.ts";
import type { Router } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";
import { neutralHeaders } from "../text/neutral-headers.ts";
import { listRecord, type ModelView, messagesRecord, nativeRecord } from "./model-records.ts";
import { actOnModel } from "./native.ts";
import { pageByCursor, readLimit } from "./paging.ts";

/** The model lists: only what the calling key may call, in the shape its client reads. */
export function modelRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["GET", "HEAD"], "/v1/models", async (context) => {
    const caller = await callerOf(context, deps);
    const view = { catalog: deps.catalog.current(), group: caller.group, vocabulary: deps.vocabulary };
    const models = view.catalog.listed(caller);
    const style = styleOf(context);
    const envelope = {
      success: style.list ? true : undefined,
      object: style.list ? "list" : undefined,
      models: style.native ? models.map((model) => nativeRecord(view, model)) : undefined,
    };
    if (!style.messages) {
      const data = models.map((model) => listRecord(view, model));
      return sendJson(context, 200, { ...envelope, data });
    }
    const page = pageByCursor(models, {
      limit: readLimit(queryText(context.request, "limit"), "limit"),
      afterId: queryText(context.request, "after_id"),
      beforeId: queryText(context.request, "before_id"),
    });
    sendJson(context, 200, {
      ...envelope,
      data: page.items.map((model) => record(view, model, style)),
      first_id: page.items[0]?.id ?? "",
      last_id: page.items.at(-1)?.id ?? "",
      has_more: page.hasMore,
    });
  });

  // A wildcard, since model ids may hold slashes. The SDK of generateContent for Python posts to `v1` from its release 3 on.
  router.endpoint(["GET", "HEAD", "POST"], "/v1/models/*", async (context) => {
    const { raw, method, params } = context.request;
    const { "*": id = "" } = params;
    if (method === "POST") {
      if (!id.includes(":")) throw wrongMethod(raw, ["GET", "HEAD"]);
      return actOnModel(deps, context, []);
    }
    const caller = await callerOf(context, deps);
    const view = { catalog: deps.catalog.current(), group: caller.group, vocabulary: deps.vocabulary };
    const model = view.catalog.listed(caller).find((each) => each.id === id);
    if (model === undefined) {
      return sendJson(context, 200, {
        error: {
          message: `The model '${id}' does not exist (request id: ${context.request.id})`,
          type: "invalid_request_error",
          param: "model",
          code: "model_not_found",
        },
      });
    }
    sendJson(context, 200, record(view, model, styleOf(context)));
  });
}

/** The style of a response. */
interface Style {
  readonly list: boolean;
  readonly messages: boolean;
  readonly native: boolean;
}

/**
 * A request with both of messages' headers gets a response in the form of messages. The vendor's newer SDKs send the
 * version beside a bearer key and expect the list envelope, so they get it with their own fields added, which don't
 * clash. The same goes for clients of the native protocol, of which some call this path and not one under `/v1beta`;
 * their key's header identifies them.
 */
function styleOf(context: RequestContext): Style {
  const { raw } = context.request;
  const messages = neutralHeaders(raw).version !== undefined;
  const list = !messages || raw.headers["x-api-key"] === undefined;
  return { messages, list, native: NATIVE_KEYS.some((name) => raw.headers[name] !== undefined) };
}

const NATIVE_KEYS = ["x-goog-api-key", "x-vendory-api-key"];

function record(view: ModelView, model: Model, style: Style): object {
  const told = {};
  if (style.native) Object.assign(told, nativeRecord(view, model));
  if (style.messages) Object.assign(told, messagesRecord(view, model));
  if (style.list) Object.assign(told, listRecord(view, model));
  return told;
}
