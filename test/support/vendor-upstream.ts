import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TextProtocol } from "./text-caller.ts";
import { VENDOR_WIRES, wholeStream } from "./vendor-wire.ts";

/** One request as an upstream sees it. */
export interface VendorCall {
  readonly protocol: TextProtocol;
  readonly streamed: boolean;
  readonly model: string;
  readonly path: string;
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly response: ServerResponse;
}

export interface VendorUpstream {
  readonly url: string;
  readonly calls: VendorCall[];
  /** Connections open now. */
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/**
 * An upstream of the test's own process that speaks the four text protocols. `serve` answers each
 * request as it likes, by the model's name as a rule; without one every request is answered well.
 */
export async function vendorUpstream(serve: (call: VendorCall) => void = serveWell): Promise<VendorUpstream> {
  const sockets = new Set<Socket>();
  const calls: VendorCall[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    request.on("end", () => {
      const call = callOf(request, response, Buffer.concat(chunks));
      calls.push(call);
      serve(call);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    sockets,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Answers as a healthy vendor does. */
export function serveWell({ protocol, streamed, model, response }: VendorCall): void {
  if (streamed)
    response.writeHead(200, { "content-type": "text/event-stream" }).end(wholeStream(protocol, model));
  else
    response.writeHead(200, { "content-type": "application/json" }).end(VENDOR_WIRES[protocol].plain(model));
}

function callOf(request: IncomingMessage, response: ServerResponse, body: Buffer): VendorCall {
  const path = request.url ?? "";
  const native = /\/v1beta\/models\/([^:?]+):(\w+)/.exec(path);
  const common = { path, request, response, body };
  if (native !== null) {
    return {
      ...common,
      protocol: "generate-content",
      model: decodeURIComponent(native[1] ?? ""),
      streamed: native[2] === "streamGenerateContent",
    };
  }
  const parsed = tolerantly(body);
  return {
    ...common,
    protocol: path.startsWith("/v1/messages")
      ? "messages"
      : path.startsWith("/v1/responses")
        ? "responses"
        : "chat-completions",
    model: String(parsed["model"] ?? ""),
    streamed: parsed["stream"] === true,
  };
}

function tolerantly(body: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(body.toString("utf8")) as Record<string, unknown>;
  } catch {
    return {};
  }
}
