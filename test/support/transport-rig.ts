import { type Clock, systemClock } from "../../src/base/clock.ts";
import type { Timeouts, Upstream } from "../../src/catalog/catalog.ts";
import { silentLog } from "../../src/observe/log.ts";
import type {
  Transport,
  UpstreamCall,
  UpstreamFailure,
  UpstreamRequest,
  UpstreamResponse,
} from "../../src/upstreams/call.ts";
import { createTransport } from "../../src/upstreams/transport/transport.ts";
import { bareUpstream } from "./bare-upstream.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "./scripted-upstream.ts";

export const OK = "HTTP/1.1 200 OK\r\n";

/** Limits that no test runs into by chance. */
export const PATIENT: Timeouts = {
  connectMs: 5_000,
  firstByteStreamMs: 10_000,
  firstBytePlainMs: 10_000,
  idleMs: 10_000,
  totalMs: 20_000,
};

/** A transport and at most one scripted upstream, fresh for each test: call `reset` after each. */
export interface TransportRig {
  readonly transport: Transport;
  readonly server: ScriptedUpstream;
  serve(script: (request: WireRequest) => void, over?: Partial<Upstream>): Promise<Upstream>;
  /** Sends and records what comes back. */
  open(call: UpstreamRequest, also?: Partial<UpstreamResponse>): Run;
  /** The same, awaited to its end. */
  responseOf(call: UpstreamRequest, also?: Partial<UpstreamResponse>): Promise<Run>;
  /** Ends the upstream, so that nothing listens at its address. */
  stopServer(): Promise<void>;
  reset(): Promise<void>;
}

export function transportRig(clock: Clock = systemClock): TransportRig {
  let transport = createTransport({ clock, log: silentLog });
  let server: ScriptedUpstream | undefined;
  const rig: TransportRig = {
    get transport() {
      return transport;
    },
    get server() {
      if (server === undefined) throw new Error("no upstream is served");
      return server;
    },
    async serve(script, over = {}) {
      server = await scriptedUpstream(script);
      return upstreamOf(server.url, over);
    },
    open: (call, also = {}) => openRun(transport, call, also),
    async responseOf(call, also = {}) {
      const run = openRun(transport, call, also);
      await until(() => run.ended || run.failures > 0);
      return run;
    },
    async stopServer() {
      await server?.close();
      server = undefined;
    },
    async reset() {
      await transport.close();
      await rig.stopServer();
      transport = createTransport({ clock, log: silentLog });
    },
  };
  return rig;
}

export interface Run {
  flight: UpstreamCall;
  heads: number;
  status: number;
  text: string;
  ended: boolean;
  failure: UpstreamFailure | undefined;
  failures: number;
}

function openRun(transport: Transport, call: UpstreamRequest, also: Partial<UpstreamResponse>): Run {
  const run: Run = {
    flight: {
      sentMs: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
      rest: () => undefined,
      abort: () => undefined,
    },
    heads: 0,
    status: 0,
    text: "",
    ended: false,
    failure: undefined,
    failures: 0,
  };
  run.flight = transport.send(call, {
    head(status) {
      run.heads += 1;
      run.status = status;
    },
    data(chunk) {
      if (run.text.length < 1_000) run.text += chunk.toString("latin1", 0, 1_000);
      also.data?.(chunk);
    },
    ended() {
      run.ended = true;
    },
    failed(failure) {
      run.failure = failure;
      run.failures += 1;
    },
  });
  return run;
}

/** A receiver that ignores everything. */
export const deaf: UpstreamResponse = {
  head: () => undefined,
  data: () => undefined,
  ended: () => undefined,
  failed: () => undefined,
};

export function upstreamOf(baseUrl: string, over: Partial<Upstream> = {}): Upstream {
  return bareUpstream({
    name: "upstream-1",
    baseUrl,
    protocols: ["messages"] as const,
    models: new Map([["ours", "theirs"]]),
    timeouts: PATIENT,
    ...over,
  });
}

export function callOf(
  upstream: Upstream,
  over: Partial<UpstreamRequest> & { secret?: string } = {},
): UpstreamRequest {
  const { secret = "their-key", ...rest } = over;
  return {
    candidate: {
      upstream,
      model: "theirs",
      protocol: "messages",
      credential: { id: 1n, name: "main", secret },
    },
    requestId: "request-1",
    streamed: false,
    query: {},
    headers: {},
    body: [Buffer.from("{}")],
    ...rest,
  };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits for something that must come true; a test that hangs fails by its own time limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5);
}
