import { createServer, type Socket } from "node:net";
import { PLAIN_BODY, STREAM_EVENTS } from "./answers.ts";
import { FOREIGN_RESPONSES } from "./foreign-answers.ts";

/**
 * The upstream of every server in the bench, a program of its own. It answers in the protocol of the
 * endpoint that it is asked at, and speaks just enough HTTP, on bare sockets, because node:http would cost as much as the proxies it is there to measure.
 *
 * A stream is written one event per turn of the event loop, in turn with the other streams, so that a
 * proxy meets events one by one, as from a model. With `--coalesced` it is one write.
 */
const coalesced = process.argv.includes("--coalesced");

const STREAM_HEAD =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: req-bench\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n";

/** Answers as bytes: whole, or write by write. */
interface Speech {
  readonly plain: Buffer;
  readonly writes: readonly Buffer[];
}

const CHAT = speech(PLAIN_BODY, STREAM_EVENTS);
const SPEECH_BY_PATH: readonly (readonly [path: string, speech: Speech])[] = [
  ["/chat/completions", CHAT],
  ["/messages", speech(FOREIGN_RESPONSES.messages.plain, FOREIGN_RESPONSES.messages.events)],
  ["/responses", speech(FOREIGN_RESPONSES.responses.plain, FOREIGN_RESPONSES.responses.events)],
  [
    "enerateContent", // generateContent and streamGenerateContent
    speech(FOREIGN_RESPONSES["generate-content"].plain, FOREIGN_RESPONSES["generate-content"].events),
  ],
];

interface LiveStream {
  readonly socket: Socket;
  readonly writes: readonly Buffer[];
  written: number;
}
let live: LiveStream[] = [];

const server = createServer({ noDelay: true }, (socket) => {
  let request = "";
  let knownLength = 0;
  socket.on("data", (chunk: Buffer) => {
    request += chunk.toString("latin1");
    if (request.length < knownLength) return;
    knownLength = lengthOf(request);
    if (request.length < knownLength) return;
    const path = request.slice(0, request.indexOf("\r\n"));
    const streamed = path.includes(":stream") || request.includes('"stream":true');
    request = ""; // no client in the bench pipelines
    knownLength = 0;
    const { plain, writes } = SPEECH_BY_PATH.find(([part]) => path.includes(part))?.[1] ?? CHAT;
    if (!streamed) socket.write(plain);
    else startStream(socket, writes);
  });
  socket.on("error", () => socket.destroy());
});
server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
process.on("disconnect", () => process.exit());

/** The length of the whole request, of which this has come; more than has come where it does not say. */
function lengthOf(request: string): number {
  const more = request.length + 1;
  const headEnd = request.indexOf("\r\n\r\n");
  if (headEnd === -1) return more;
  const length = /\r\ncontent-length: *(\d+)/i.exec(request)?.[1];
  if (length !== undefined) return headEnd + 4 + Number(length);
  return request.endsWith("\r\n0\r\n\r\n") ? request.length : more;
}

function startStream(socket: Socket, writes: readonly Buffer[]): void {
  live.push({ socket, writes, written: 0 });
  if (live.length === 1) setImmediate(writeNextEvents);
}

function writeNextEvents(): void {
  for (const stream of live) {
    const next = stream.writes[stream.written++];
    if (next !== undefined && !stream.socket.destroyed) stream.socket.write(next);
  }
  live = live.filter((stream) => stream.written < stream.writes.length && !stream.socket.destroyed);
  if (live.length > 0) setImmediate(writeNextEvents);
}

function speech(plain: string, events: readonly string[]): Speech {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req-bench\r\ncontent-length: ${Buffer.byteLength(plain)}\r\n\r\n`;
  const frames = events.map((event) => `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`);
  frames[0] = STREAM_HEAD + frames[0];
  frames[frames.length - 1] += "0\r\n\r\n";
  const writes = coalesced ? [frames.join("")] : frames;
  return { plain: Buffer.from(head + plain), writes: writes.map((frame) => Buffer.from(frame)) };
}
