import { type BodyScan, type BodyScanner, createBodyScan } from "../base/json-scan.ts";
import type { ProtocolName } from "../conversation/protocol-name.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import { watchOf } from "../relay/watch.ts";
import { openStateSearch } from "../relay/wrapped-state.ts";
import { readBody, TEXT_BODY_BYTES } from "./body.ts";
import { openClientAnswer } from "./client-answer.ts";
import { authenticate, authenticateLate } from "./credentials.ts";
import type { HttpDeps } from "./deps.ts";
import type { Visit } from "./endpoint.ts";
import { refusing } from "./json-body.ts";
import { neutralHeaders } from "./neutral-headers.ts";
import { queryText } from "./query.ts";
import { readTextFields } from "./text-fields.ts";

/** What a route knows of a text call before its body is read. */
export interface TextCall {
  readonly protocol: ProtocolName;
  /** Native endpoints name model and stream in the path. */
  readonly path?: { readonly model: string; readonly streamed: boolean };
  readonly arrayStream?: boolean;
  readonly queryKeys?: readonly string[];
}

/** Answers one text request: authenticated before its body is read, scanned as it arrives, then relayed. */
export async function answerText(deps: HttpDeps, visit: Visit, call: TextCall): Promise<void> {
  const startedMs = deps.clock.monotonicMs();
  const incoming = visit.request.raw;
  const protocol = PROTOCOLS[call.protocol];
  const queryKeys = call.queryKeys ?? [];
  const found = authenticate(incoming, queryKeys, deps.authenticator);
  const sender = found instanceof Promise ? await found : found;
  const headers = neutralHeaders(incoming);

  const scanner = createBodyScan(watchOf(call.protocol));
  const search = openStateSearch(call.protocol);
  const body = await readBody(incoming, TEXT_BODY_BYTES, {
    write(chunk) {
      refusing(() => scanner.write(chunk));
      search.write(chunk);
    },
  });
  const again = authenticateLate({ caller: sender, sinceMs: startedMs }, incoming, queryKeys, deps);
  const caller = again instanceof Promise ? await again : again;
  const scan = endOf(scanner);
  const { model, streamed, answers } = readTextFields(protocol, scan, call.path);

  const beta = queryText(visit.request, "beta");
  await deps.relay.relay({
    id: visit.request.id,
    caller,
    protocol,
    model,
    streamed,
    answers,
    arrayStream: call.arrayStream ?? false,
    body,
    scan,
    state: search.end(),
    headers,
    query: beta === undefined ? {} : { beta },
    answer: openClientAnswer(visit.raw, visit.headers),
    startedMs,
  });
}

function endOf(scanner: BodyScanner): BodyScan {
  return refusing(() => scanner.end());
}
