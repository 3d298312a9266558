import type { Socket } from "node:net";

/** Interim answers without end. */
export class InterimFlood extends Error {
  override readonly name = "InterimFlood";

  constructor() {
    super("more than a megabyte of interim responses");
  }
}

/** True if the next bytes of a connection are the head of a response. */
export interface AwaitedHead {
  awaited: boolean;
}

/** The HTTP client's limit of a head; it refuses a longer one itself. */
const MAX_BYTES = 32 * 1024;
/** A server says some times that it is at work; one that says nothing else for so long keeps us reading for nothing. */
const MAX_INTERIM_BYTES = 1024 * 1024;
/**
 * The bytes that the HTTP client reads at a time. It reads all that there is whenever it goes on, and puts back the
 * rest that a paused receiver does not take, so each pause would let the socket read more: of many small pieces all
 * would be in memory, copied with each of them.
 */
const MAX_READ_BYTES = 64 * 1024;
/** `HTTP/1.1 1xx`: so many bytes tell which answer it is. */
const STATUS_BYTES = 12;
const HEAD_END = "\r\n\r\n";

/**
 * Takes interim responses (100, 102, 103 ...) out of what the HTTP client reads off a socket, up to a megabyte of them, since a
 * client must ignore those that it did not ask for (RFC 9110, 15.2) and ours breaks the connection off at a 100. They
 * are no byte of a response: time-outs run on. 101 is left to be refused, as nothing here asks for another protocol. Reads are
 * bounded besides.
 */
export function skipInterimResponses(socket: Socket, head: AwaitedHead): void {
  const readOf = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const read = (): Buffer | null =>
    readOf(socket.readableLength > MAX_READ_BYTES ? MAX_READ_BYTES : undefined);
  let held: Buffer | undefined;
  /** The bytes of interim responses since the last final one. */
  let skippedBytes = 0;

  /** The first bytes of the final response, as soon as they are there. */
  function readHead(): Buffer | null {
    for (;;) {
      const chunk = read();
      if (chunk === null) return null;
      let bytes = held === undefined ? chunk : Buffer.concat([held, chunk]);
      held = undefined;
      while (isInterim(bytes)) {
        const end = bytes.indexOf(HEAD_END);
        if (end === -1 && bytes.length <= MAX_BYTES) break;
        if (end === -1) return found(bytes);
        skippedBytes += end + HEAD_END.length;
        bytes = bytes.subarray(end + HEAD_END.length);
      }
      if (skippedBytes > MAX_INTERIM_BYTES) {
        socket.destroy(new InterimFlood());
        return null;
      }
      if (bytes.length >= STATUS_BYTES && !isInterim(bytes)) return found(bytes);
      if (!mayBeInterim(bytes)) return found(bytes);
      held = bytes.length === 0 ? undefined : bytes;
    }
  }

  function found(bytes: Buffer): Buffer {
    head.awaited = false;
    skippedBytes = 0;
    return bytes;
  }

  socket.read = (size?: number): Buffer | null => {
    // Node itself reads 0 bytes, to have more brought.
    if (size !== undefined) return readOf(size);
    return head.awaited ? readHead() : read();
  };
}

function isInterim(bytes: Buffer): boolean {
  return bytes.length >= STATUS_BYTES && INTERIM.test(bytes.toString("latin1", 0, STATUS_BYTES));
}

/** True if it is one as far as it has come. */
function mayBeInterim(bytes: Buffer): boolean {
  if (bytes.length >= STATUS_BYTES) return isInterim(bytes);
  const example = bytes.toString("latin1") + EXAMPLE.slice(bytes.length);
  return INTERIM.test(example);
}

const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d$/;
const EXAMPLE = "HTTP/1.1 100";
