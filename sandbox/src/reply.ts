import type { ServerResponse } from "node:http";
import type { Call } from "./call.ts";
import type { JsonObject } from "./json.ts";
import { closed, destroySocket, pause } from "./playback.ts";
import type { VendorError } from "./refusal.ts";
import type { Scenario } from "./scenario.ts";

const JSON_TYPE = "application/json";

/** Sends one body with its length. */
function sendBody(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): number {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { "content-type": type, "content-length": length, ...headers });
  response.end(body);
  return length;
}

export function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  sendBody(response, status, JSON_TYPE, JSON.stringify(body));
}

export interface ErrorForm {
  encodeError(error: VendorError, requestId: string): JsonObject;
  requestIdHeader: string;
  newRequestId(): string;
  errorHeaders?(error: VendorError): Record<string, string>;
}

/** Responses with an error in the vendor's form. */
export function sendError(call: Call, form: ErrorForm, error: VendorError): void {
  const requestId = form.newRequestId();
  const headers: Record<string, string> = {
    [form.requestIdHeader]: requestId,
    ...form.errorHeaders?.(error),
  };
  if (error.retryAfterSeconds !== undefined) headers["retry-after"] = String(error.retryAfterSeconds);
  const body = JSON.stringify(form.encodeError(error, requestId));
  call.track.sent.bytes = sendBody(call.response, error.status, JSON_TYPE, body, headers);
}

/**
 * Plays a scenario's fault before the first byte: wait, stall, cut, an HTML page, an error status. True when it has
 * taken the request over.
 */
export async function strikeBeforeHeaders(
  call: Call,
  scenario: Scenario,
  form: ErrorForm & { scriptedError(status: number): VendorError },
): Promise<boolean> {
  const { response, track } = call;
  if (scenario.delayMs) await pause(response, scenario.delayMs);
  if (response.destroyed) return true;
  if (scenario.stall === 0) {
    track.fault = "stall";
    await closed(response);
    return true;
  }
  // `reset` alone strikes here; beside `cut` it only says how the connection is cut.
  if (
    scenario.cut === 0 ||
    (scenario.reset && scenario.cut === undefined && scenario.cutBytes === undefined)
  ) {
    track.fault = scenario.reset ? "reset" : "cut";
    await destroySocket(response, scenario.reset === true);
    return true;
  }
  if (scenario.html) {
    track.fault = "html";
    track.sent.bytes = sendBody(response, 502, "text/html", HTML_PAGE);
    return true;
  }
  const midStream = track.stream && (scenario.at ?? 0) > 0;
  if (scenario.error === undefined || midStream) return false;
  track.fault = `error-${scenario.error}`;
  const error = form.scriptedError(scenario.error);
  sendError(call, form, {
    ...error,
    retryAfterSeconds: scenario.retryAfterSeconds ?? error.retryAfterSeconds,
  });
  return true;
}

/** The page of a proxy in front of a vendor that does not respond. */
const HTML_PAGE =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n" +
  "<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n";

/** Sends a whole body, or the part of it that a scenario lets through. */
export async function sendResponse(
  call: Call,
  scenario: Scenario,
  body: string,
  headers: Record<string, string>,
): Promise<void> {
  const { response, track } = call;
  const { stall, cut, cutBytes } = scenario;
  if (scenario.lost) {
    track.fault = "lost";
    await destroySocket(response, scenario.reset === true);
    return;
  }
  const broken = stall ?? cut ?? cutBytes;
  if (broken === undefined) {
    track.sent.bytes = sendBody(response, 200, JSON_TYPE, body, headers);
    return;
  }
  const bytes = Buffer.from(body);
  // A plain response has no chunks: `stall` and `cut` strike in its middle.
  const kept = Math.min(stall !== undefined || cut !== undefined ? bytes.length >> 1 : broken, bytes.length);
  track.fault = stall !== undefined ? "stall" : cut !== undefined ? "cut" : "cut_bytes";
  track.sent.bytes = kept;
  response.writeHead(200, { "content-type": JSON_TYPE, "content-length": bytes.length, ...headers });
  response.write(bytes.subarray(0, kept));
  if (stall !== undefined) await closed(response);
  else await destroySocket(response, scenario.reset === true);
}
