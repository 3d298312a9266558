import type { IncomingMessage, ServerResponse } from "node:http";

/** The answers of requests whose sender waits for the word to send its body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** A request with `Expect: 100-continue`: its sender is told to go on once somebody wants the body, and never if nobody does. */
export function awaitGoAhead(request: IncomingMessage, response: ServerResponse): void {
  const hasBody =
    request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
  if (hasBody) waiting.set(request, response);
  // Of a body that is not there nobody would ever want anything, and the final answer alone would close the connection.
  else response.writeContinue();
}

/** To be called before a body is read. */
export function tellToGoAhead(request: IncomingMessage): void {
  if (request.headers.expect === undefined) return;
  const response = waiting.get(request);
  waiting.delete(request);
  if (response !== undefined && !response.headersSent) response.writeContinue();
}
