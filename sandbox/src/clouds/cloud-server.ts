import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";

/** A request to a cloud. */
export interface CloudRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * The cloud's treatment of a request: a response of its own, or the sandbox's to a request in the form of its vendor.
 */
export type CloudAnswer =
  | { readonly status: number; readonly body: unknown }
  | {
      readonly to: string;
      readonly body: string;
      /** Changes a plain answer. */
      readonly plain?: (body: Record<string, unknown>) => unknown;
      /** Stands before the events of a stream. */
      readonly first?: string;
    };

export interface FakeCloud {
  readonly url: string;
  /** Requests of models that were let in, by their path. */
  readonly served: string[];
  /** Tokens that were given out. */
  readonly tokens: Tokens;
  close(): Promise<void>;
}

/** Access tokens with the time at which each ends. */
export class Tokens {
  readonly #ends = new Map<string, number>();
  readonly #lifeMs: number;
  /** The number of requests, refused ones included. */
  asked = 0;

  constructor(seconds: number) {
    this.#lifeMs = seconds * 1000;
  }

  /** The response that gives one out. */
  issue(prefix: string): CloudAnswer {
    this.#ends.set(`${prefix}${this.#ends.size + 1}`, Date.now() + this.#lifeMs);
    const token = [...this.#ends.keys()].at(-1);
    const body = { token_type: "Bearer", expires_in: Math.ceil(this.#lifeMs / 1000), access_token: token };
    return { status: 200, body };
  }

  get issued(): number {
    return this.#ends.size;
  }

  isValid({ authorization }: IncomingHttpHeaders): boolean {
    return (this.#ends.get(authorization?.replace(/^Bearer /, "") ?? "") ?? 0) > Date.now();
  }

  /** All that were given out end now, which nobody is told. */
  revoke(): void {
    for (const token of this.#ends.keys()) this.#ends.set(token, 0);
  }
}

/** Serves a cloud in front of a sandbox. */
export async function startCloud(
  sandbox: string,
  tokens: Tokens,
  answer: (request: CloudRequest) => CloudAnswer,
): Promise<FakeCloud> {
  const served: string[] = [];
  const server = createServer((incoming, response) => {
    readAll(incoming)
      .then((text) => {
        const url = new URL(incoming.url ?? "/", "http://cloud");
        const path = url.pathname;
        const { method = "GET", headers } = incoming;
        const given = answer({ method, path, query: url.searchParams, headers, text });
        if ("status" in given) send(response, given.status, given.body);
        else {
          served.push(path);
          pass(sandbox, given, incoming, response);
        }
      })
      .catch((error: unknown) => send(response, 500, { error: String(error) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    served,
    tokens,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pass(
  sandbox: string,
  { to, body, plain, first }: Extract<CloudAnswer, { to: string }>,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const kept = ["anthropic-version", "anthropic-beta", "accept"].flatMap((name) => {
    const value = incoming.headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  const headers = {
    ...Object.fromEntries(kept),
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    authorization: "Bearer good-key",
    "x-api-key": "good-key",
    "x-goog-api-key": "good-key",
  };
  const method = incoming.method ?? "POST";
  const outgoing = request(new URL(to, sandbox), { method, headers }, (answered) => {
    const status = answered.statusCode ?? 502;
    const type = answered.headers["content-type"] ?? "application/json";
    if (status === 200 && type.startsWith("text/event-stream")) {
      response.writeHead(status, { "content-type": type });
      if (first !== undefined) response.write(first);
      answered.pipe(response);
      return;
    }
    readAll(answered).then(
      (text) => {
        const changed =
          plain === undefined || status !== 200 ? text : JSON.stringify(plain(JSON.parse(text)));
        response.writeHead(status, { "content-type": type });
        response.end(changed);
      },
      () => response.destroy(),
    );
  });
  response.on("close", () => outgoing.destroy());
  outgoing.on("error", () => response.destroy());
  outgoing.end(body);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function readAll(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
