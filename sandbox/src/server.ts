import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Call, credentialOf, fingerprintOf, journalWhenClosed, newTrack } from "./call.ts";
import { awsRoute } from "./clouds/aws-routes.ts";
import { serveKeys } from "./clouds/serve-aws-keys.ts";
import { CONTROL_PREFIX, serveControl } from "./control.ts";
import { mediaRoute } from "./media/routes.ts";
import type { ProtocolName } from "./prompt.ts";
import { chatCompletions } from "./protocols/chat-completions/protocol.ts";
import { serveEmbeddings } from "./protocols/embeddings.ts";
import { generateContent } from "./protocols/generate-content/protocol.ts";
import { messages } from "./protocols/messages/protocol.ts";
import { modelList, sendModels } from "./protocols/models.ts";
import { serveRerank } from "./protocols/rerank.ts";
import { responses } from "./protocols/responses/protocol.ts";
import { sendStored, storedRoute } from "./protocols/responses/read-stored.ts";
import { sendJson } from "./reply.ts";
import { serveText, type TextPath } from "./text-route.ts";
import type { World } from "./world.ts";

/** Room for the gateway's largest body (64 MB of media) and then some. */
const MAX_BODY_BYTES = 96 * 1_048_576;
/** Longer than any client pool keeps a connection, so that none is closed under a request. */
const KEEP_ALIVE_MS = 600_000;

export interface RunningSandbox {
  url: string;
  port: number;
  /** Stops listening, cuts what still runs, closes the journal file. */
  close(): Promise<void>;
}

/** Starts the sandbox on one address; port 0 = any free one. */
export async function startServer(world: World, host: string, port: number): Promise<RunningSandbox> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    serve(world, request, response).catch((error: unknown) => fail(response, error));
  });
  // Tests hold requests open for as long as they like.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return { url: `http://${shownHost}:${bound}`, port: bound, close: () => closeServer(server, world) };
}

async function closeServer(server: Server, world: World): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  await world.media.studio.close();
  await world.journal.close();
}

/** A bug in the sandbox must not look like a scripted fault. */
function fail(response: ServerResponse, error: unknown): void {
  const message = `The sandbox itself failed: ${error instanceof Error ? error.stack : String(error)}`;
  process.stderr.write(`${message}\n`);
  if (response.headersSent) response.destroy();
  else sendJson(response, 500, { error: { message, type: "sandbox_bug", code: "sandbox_bug" } });
}

type Answerer = (world: World, call: Call) => Promise<void>;

interface Route {
  protocol: ProtocolName;
  response: Answerer;
}

const NO_PATH: TextPath = { model: "", stream: false, framing: "sse" };

const POSTS: Readonly<Record<string, Route>> = {
  "/v1/chat/completions": {
    protocol: "chat-completions",
    response: (world, call) => serveText(world, call, chatCompletions, NO_PATH),
  },
  "/v1/responses": {
    protocol: "responses",
    response: (world, call) => serveText(world, call, responses, NO_PATH),
  },
  "/v1/messages": {
    protocol: "messages",
    response: (world, call) => serveText(world, call, messages, NO_PATH),
  },
  "/v1/embeddings": { protocol: "embeddings", response: serveEmbeddings },
  "/v1/rerank": { protocol: "rerank", response: serveRerank },
};

const NATIVE_PATH = /^\/v1beta\/models\/(.+):(generateContent|streamGenerateContent)$/;

const AWS_PREFIX = "/aws/";

function postRoute(path: string, query: URLSearchParams): Route | undefined {
  return POSTS[path] ?? nativeRoute(path, query) ?? awsRoute(path);
}

function nativeRoute(path: string, query: URLSearchParams): Route | undefined {
  const [, model = "", action] = NATIVE_PATH.exec(path) ?? [];
  if (action === undefined) return undefined;
  const stream = action === "streamGenerateContent";
  const framing = query.get("alt") === "sse" || !stream ? "sse" : "array";
  const textPath: TextPath = { model: decodeModel(model), stream, framing };
  return {
    protocol: "generate-content",
    response: (world, call) => serveText(world, call, generateContent, textPath),
  };
}

function decodeModel(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const NO_QUERY = new URLSearchParams();

async function serve(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? NO_QUERY : new URLSearchParams(target.slice(mark + 1));
  const method = request.method ?? "GET";
  const media = mediaRoute(method, path);
  if (media === undefined && path.startsWith(CONTROL_PREFIX)) {
    const body = await readBody(request);
    return serveControl(world, { method, path, query, body: body ?? Buffer.alloc(0), response });
  }
  const models = method === "GET" ? modelList(path, request) : undefined;
  if (models !== undefined) return sendModels(response, models, credentialOf(request, query));
  const stored = storedRoute(method, path);
  if (stored !== undefined)
    return sendStored(response, stored, query, world.store, credentialOf(request, query));
  if (path.startsWith(AWS_PREFIX) && awsRoute(path) === undefined) {
    const body = (await readBody(request)) ?? Buffer.alloc(0);
    if (serveKeys(world, { method, path, body, request, response })) return;
  }
  const route = media ?? (method === "POST" ? postRoute(path, query) : undefined);
  if (route === undefined) return sendUnknown(response, method, path);
  world.counters.received += 1;
  const body = await readBody(request);
  if (body === undefined) return sendTooLarge(response);
  const credential = credentialOf(request, query);
  const known = { request, response, path, query, body, credential, fingerprint: fingerprintOf(credential) };
  const track = newTrack(route.protocol);
  journalWhenClosed(world, known, track);
  return route.response(world, { ...known, track });
}

function sendUnknown(response: ServerResponse, method: string, path: string): void {
  const message = `The sandbox has no ${method} ${path}. Its endpoints are listed in sandbox/README.md.`;
  sendJson(response, 404, {
    error: { message, type: "invalid_request_error", param: null, code: "not_found" },
  });
}

function sendTooLarge(response: ServerResponse): void {
  const message = `The body is larger than ${MAX_BODY_BYTES} bytes.`;
  response.setHeader("connection", "close");
  sendJson(response, 413, {
    error: { message, type: "invalid_request_error", param: null, code: "request_too_large" },
  });
}

/** The whole body; undefined if it is too large. A reader that goes away rejects nothing: it just ends. */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on("end", () => {
      const [only] = chunks;
      if (bytes > MAX_BODY_BYTES) resolve(undefined);
      else resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
    });
  });
}
