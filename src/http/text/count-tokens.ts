import { createBodyScan } from "../../base/json/json-scan.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { watchOf } from "../../relay/admit/watch.ts";
import { openStateSearch } from "../../relay/admit/wrapped-state.ts";
import { readBody, TEXT_BODY_BYTES } from "../body/body.ts";
import { refusing } from "../body/json-body.ts";
import { authenticateLate, callerOf } from "../core/credentials.ts";
import { queryText, type RequestContext, sendJson } from "../core/endpoint.ts";
import type { HttpDeps } from "../deps.ts";
import { neutralHeaders } from "./neutral-headers.ts";
import { readTextFields } from "./text-fields.ts";

/** A call that counts the tokens of a request of this protocol. */
export interface CountCall {
  readonly protocol: ProtocolName;
  /** Native paths name the model. */
  readonly model?: string;
  readonly queryKeys?: readonly string[];
}

/** Answers how many tokens a request would take; free, for keys without money too. */
export async function serveCount(deps: HttpDeps, context: RequestContext, call: CountCall): Promise<void> {
  const sinceMs = deps.clock.monotonicMs();
  const { raw, id } = context.request;
  const { protocol: name, queryKeys = [] } = call;
  const protocol = PROTOCOLS[name];
  const caller = await callerOf(context, deps, queryKeys);
  Object.assign(context.headers, await deps.entrance.admitCount(caller));
  const memory = deps.bodies.grantOf(caller);
  try {
    const scanner = createBodyScan(watchOf(name, deps.catalog.current().bodyFields));
    const search = openStateSearch(name);
    const terms = {
      limitBytes: TEXT_BODY_BYTES,
      grant: memory,
      pace: deps.bodies.pace,
      weight: COUNTED_WEIGHT,
    };
    const body = await readBody(raw, terms, {
      write(chunk) {
        refusing(() => scanner.write(chunk));
        search.write(chunk);
      },
    });
    const scan = refusing(() => scanner.end());
    const path = call.model === undefined ? undefined : { model: call.model, streamed: false };
    const nested = protocol.endpoint.count?.nested;
    const isNested = nested !== undefined && scan.last(nested) !== undefined;
    // Fields that are no part of a prompt, such as `max_tokens` of messages, may be left out. Some protocols know two
    // forms.
    const content = isNested ? null : protocol.forward.content;
    const { model } = readTextFields(protocol, scan, path, { required: [], content });
    const beta = queryText(context.request, "beta");
    const counted = await deps.tokenCounts.count({
      caller: await authenticateLate({ caller, sinceMs }, raw, queryKeys, deps),
      id,
      protocol,
      model,
      body,
      scan,
      state: search.end(),
      headers: neutralHeaders(raw),
      query: beta === undefined ? {} : { beta },
    });
    if (counted.estimated) context.headers["x-faregate-estimated"] = "true";
    sendJson(context, 200, counted.body);
  } finally {
    memory.release();
  }
}

/** The body is in memory as bytes here, and in the counting thread as bytes, as text and as values. */
const COUNTED_WEIGHT = 4;
