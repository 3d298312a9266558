import { connect } from "node:net";
import { createResponseReader } from "./answer-reader.ts";
import { PLAIN_BODY, requestBody, STREAM_EVENTS } from "./answers.ts";
import { sayingOf } from "./saying.ts";

/** One burst of load, as the bench orders it over the channel between the two programs. */
export interface LoadOrder {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: the one that is forwarded. */
  readonly model?: string | undefined;
  /** Answers say the same as the upstream's, but not in its bytes. */
  readonly translated: boolean;
  readonly streamed: boolean;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  /** All answers with status 200, also those that ended after the time was over. */
  readonly answered: number;
  /** Those that ended in time, by the second. */
  readonly perSecond: number;
  /** Time to a response's first byte. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
  /** What the errors were, a few of them. */
  readonly errorTexts: readonly string[];
  /** Answers compared with the upstream's bytes, or with what they say; every difference is an error. */
  readonly compared: number;
}

/** Comparing costs time that the load generator does not have for every response. */
const COMPARED_ONE_IN = 50;

/** A server may hang; whoever is still unanswered this long after the end counts as an error. */
const LAST_RESPONSE_MS = 10_000;

const MAX_ERROR_TEXTS = 5;

/** A server that refuses connections must not be knocked at without a pause. */
const REOPEN_MS = 10;

process.on("message", (order: LoadOrder) => {
  void applyLoad(order).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit());

/** Keeps every connection busy with one request after the other; then waits for the last answers. */
async function applyLoad(order: LoadOrder): Promise<LoadResult> {
  const tally = createTally(order);
  const run: Run = {
    port: order.port,
    request: requestBytes(order),
    endMs: performance.now() + order.seconds * 1000,
    tally,
  };
  await Promise.all(
    Array.from({ length: order.connections }, () => new Promise<void>((done) => runConnection(run, done))),
  );
  return tally.result();
}

interface Run {
  readonly port: number;
  readonly request: Buffer;
  readonly endMs: number;
  readonly tally: Tally;
}

/** Asks until the time is over; a connection that closes early is opened again. */
function runConnection(run: Run, done: () => void): void {
  const reader = createResponseReader();
  const socket = connect({ port: run.port, host: "127.0.0.1", noDelay: true });
  let fault: string | undefined = "the connection was refused";
  let askedMs = 0;
  let begun = false;
  let compared = false;
  const ask = (): void => {
    fault = "the connection closed before its answer was whole";
    compared = run.tally.compareNext();
    begun = false;
    reader.reset(compared);
    askedMs = performance.now();
    socket.write(run.request);
  };
  const timer = setTimeout(() => socket.destroy(), run.endMs - performance.now() + LAST_RESPONSE_MS);
  socket.on("connect", ask);
  socket.on("data", (chunk: Buffer) => {
    if (!begun) run.tally.firstByte(performance.now() - askedMs);
    begun = true;
    if (!reader.push(chunk)) return;
    fault = undefined;
    const inTime = performance.now() < run.endMs;
    run.tally.response(reader.status, inTime, compared ? reader.body() : undefined);
    if (inTime) ask();
    else socket.end();
  });
  socket.on("error", (error) => {
    fault = error.message;
  });
  socket.on("close", () => {
    clearTimeout(timer);
    if (fault !== undefined) run.tally.fault(fault);
    if (performance.now() < run.endMs) setTimeout(runConnection, REOPEN_MS, run, done);
    else done();
  });
}

type Tally = ReturnType<typeof createTally>;

function createTally(order: LoadOrder) {
  const comparable = order.translated ? sayingOf : (body: string): string => body;
  const expected = comparable(order.streamed ? STREAM_EVENTS.join("") : PLAIN_BODY);
  const latencies: number[] = [];
  const errorTexts = new Set<string>();
  let asked = 0;
  let answered = 0;
  let inTimeCount = 0;
  let errors = 0;
  let compared = 0;
  const fault = (text: string): void => {
    errors++;
    if (errorTexts.size < MAX_ERROR_TEXTS) errorTexts.add(text.slice(0, 200));
  };
  return {
    fault,
    compareNext: () => asked++ % COMPARED_ONE_IN === 0,
    firstByte: (afterMs: number) => void latencies.push(afterMs),
    response(status: number, inTime: boolean, body: string | undefined): void {
      if (status !== 200) {
        fault(`status ${status}`);
        return;
      }
      answered++;
      if (inTime) inTimeCount++;
      if (body === undefined) return;
      compared++;
      if (comparable(body) !== expected) fault(`an answer differs from the upstream's: ${body}`);
    },
    result(): LoadResult {
      latencies.sort((a, b) => a - b);
      return {
        answered,
        perSecond: inTimeCount / order.seconds,
        p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? Number.NaN,
        p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
        errors,
        errorTexts: [...errorTexts],
        compared,
      };
    },
  };
}

function requestBytes(order: LoadOrder): Buffer {
  const body = requestBody(order.streamed, order.model);
  const headers = {
    host: `127.0.0.1:${order.port}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...order.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST /v1/chat/completions HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}
