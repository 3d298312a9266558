import { assert, unreachable } from "../../base/assert.ts";
import type { JsonOperation, Operation } from "../../console/operation.ts";
import { Replied } from "../../console/operation.ts";
import { type RequestContext, sendJson } from "../core/endpoint.ts";
import { closeSlowReader } from "../core/slow-reader.ts";
import type { AuditedCall } from "./call.ts";

/** Proxies close connections on which nothing is said for long. */
const SIGN_OF_LIFE_MS = 15_000;

/** Runs an operation and answers with what it gives. */
export async function serveOperation(
  operation: Operation,
  context: RequestContext,
  call: AuditedCall,
): Promise<void> {
  switch (operation.kind) {
    case "json":
      return response(operation, context, call);
    case "events": {
      context.headers["x-accel-buffering"] = "no";
      begin(context, "text/event-stream");
      const alive = setInterval(() => context.raw.write(":\n\n"), SIGN_OF_LIFE_MS);
      try {
        const events = operation.run({ ...call, body: undefined });
        await send(context, events, (event) => `data: ${JSON.stringify(event)}\n\n`);
      } finally {
        clearInterval(alive);
        context.raw.end();
      }
      return;
    }
    case "text": {
      const textCall = { ...call, body: undefined };
      const pieces = await begun(operation.run(textCall));
      context.headers["content-disposition"] = `attachment; filename="${operation.fileName(textCall)}"`;
      begin(context, operation.contentType);
      return sendWhole(context, pieces);
    }
    case "file": {
      const { status, headers, body } = await operation.run(
        { ...call, body: undefined },
        context.request.raw.headers.range,
      );
      context.raw.writeHead(status, { ...context.headers, ...headers });
      return sendWhole(context, body);
    }
    default:
      unreachable(operation);
  }
}

async function response(operation: JsonOperation, context: RequestContext, call: AuditedCall): Promise<void> {
  const result = await operation.run(call);
  const { value, cookies } = result instanceof Replied ? result : new Replied(result, {});
  const owesTrace = operation.method !== "GET" && operation.unaudited === undefined;
  assert(
    !owesTrace || call.audited(),
    `${operation.method} ${operation.path} leaves no trace in the audit log`,
  );
  if (operation.conditional) {
    assert(
      operation.method === "GET" || call.compared(),
      `${operation.method} ${operation.path} does not look at the state it replaces`,
    );
    if (operation.method !== "DELETE")
      context.headers["etag"] = `"${(value as { readonly revision: string }).revision}"`;
  }
  if (cookies.length > 0) context.raw.setHeader("set-cookie", [...cookies]);
  sendJson(context, operation.makes ? 201 : 200, value);
}

function begin(context: RequestContext, contentType: string): void {
  context.raw.writeHead(200, { ...context.headers, "content-type": contentType });
  context.raw.flushHeaders();
}

/** The same pieces once the first of them is there: until then a text can be refused, from then on only cut. */
async function begun<Piece>(pieces: AsyncIterable<Piece>): Promise<AsyncIterable<Piece>> {
  const all = pieces[Symbol.asyncIterator]();
  const first = await all.next();
  return (async function* () {
    try {
      for (let next = first; !next.done; next = await all.next()) yield next.value;
    } finally {
      // A reader who stops also stops the maker of the pieces.
      await all.return?.();
    }
  })();
}

/** Sends a whole text or file; cut where it breaks off, so that nobody takes a part for the whole. */
async function sendWhole(context: RequestContext, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  try {
    await send(context, pieces, (piece) => piece);
    context.raw.end();
  } catch (error) {
    context.raw.destroy();
    throw error;
  }
}

/** Writes as fast as the caller reads, until it goes. */
async function send<Piece>(
  { raw }: RequestContext,
  pieces: AsyncIterable<Piece>,
  encode: (piece: Piece) => string | Uint8Array,
): Promise<void> {
  for await (const piece of pieces) {
    if (raw.destroyed) return;
    if (!raw.write(encode(piece))) await room(raw);
  }
}

/** Waits until the caller has read or is gone. No listener stays, as a long file waits thousands of times. */
function room(raw: RequestContext["raw"]): Promise<void> {
  return new Promise((resolve) => {
    const heard = closeSlowReader(raw);
    const over = (): void => {
      heard();
      raw.off("drain", over).off("close", over);
      resolve();
    };
    raw.on("drain", over).on("close", over);
  });
}
