import { type IncomingHttpHeaders, request } from "node:http";

export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
  readonly json: any;
}

/** One exchange with path and headers exactly as given: no client normalises, adds or joins anything. */
export function rawAsk(
  url: string,
  method: string,
  path: string,
  headers: readonly (readonly [name: string, value: string])[],
  body?: string | Buffer,
): Promise<RawReply> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const flat = [["host", host], ...headers].flat();
    if (body !== undefined) flat.push("content-length", String(Buffer.byteLength(body)));
    const sent = request({ hostname, port, method, path, headers: flat, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
