import { describe, expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createBodyScan } from "../base/json/json-scan.ts";
import type { Outcome } from "../billing/billing.ts";
import type { GatewayError } from "../errors.ts";
import { silentLog } from "../observe/log.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import { ConversationKeys } from "./admit/conversation-key.ts";
import { watchOf } from "./admit/watch.ts";
import { EndUsers } from "./mode/end-users.ts";
import { createRelay, type RelayDeps } from "./relay.ts";
import type { TextRequest } from "./text-request.ts";

/** A relay whose hold is taken at once and whose begin line is written when the test says so. */
function open(routed: object = {}) {
  const sent: unknown[] = [];
  const outcomes: Outcome[] = [];
  let write = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    write = resolve;
  });
  const model = {
    id: "m",
    quirks: {},
    contextTokens: 1_000,
    maxOutputTokens: 100,
    price: { id: 1n, rates: { input: 1n, output: 1n } },
  };
  const catalog = {
    callable: () => model,
    endpointsOf: () => ["chat-completions"],
    serving: () => [],
    groups: new Map(),
    settings: { maxPasses: 100, holdCalls: 1 },
    allUpstreams: [],
  };
  const candidate = { protocol: "chat-completions", model: "m", upstream: { name: "u" }, credential: {} };
  const relay = createRelay({
    catalog: { current: () => catalog },
    routing: {
      candidates: () =>
        Object.assign([candidate], {
          waitForCapacity: () => undefined,
          preferredCandidate: () => undefined,
          reason: () => "first_choice",
          ...routed,
        }),
      report: () => undefined,
    },
    billing: {
      refused: () => undefined,
      take: () => ({
        begun,
        chargeNanos: () => 0n,
        writtenOffNanos: () => 0n,
        unpriced: () => [],
        settle: async (outcome: Outcome) => void outcomes.push(outcome),
      }),
    },
    transport: { send: (call: unknown) => sent.push(call) },
    failedRequests: { record: () => undefined },
    metrics: { requestEnded: () => undefined, attemptEnded: () => undefined },
    clock: systemClock,
    log: silentLog,
    tokenCounts: { ended: () => undefined },
    upstreamLimits: { take: () => undefined },
    moves: { find: () => undefined, findLate: async () => undefined, note: () => undefined },
    endUsers: new EndUsers(Buffer.from("secret")),
    conversationKeys: new ConversationKeys(Buffer.from("secret")),
  } as unknown as RelayDeps);
  const body = Buffer.from('{"model":"m","messages":[]}');
  const scanner = createBodyScan(watchOf("chat-completions"));
  scanner.write(body);
  const request = {
    id: "req_1",
    model: "m",
    streamed: false,
    responses: 1,
    body: [body],
    scan: scanner.end(),
    protocol: PROTOCOLS["chat-completions"],
    caller: { group: "g" },
    startedMs: 0,
    response: { open: true },
    headers: {},
    memory: { release: () => undefined },
  } as unknown as TextRequest;
  return { relay, request, sent, outcomes, write: () => write() };
}

describe("a request that a shutdown cuts before its begin line is written", () => {
  it("is not sent, costs nothing, and its caller is told to try again", async () => {
    const { relay, request, sent, outcomes, write } = open();
    const admitted = await relay.admit(request);
    const carried = admitted.run().catch((error: GatewayError) => error);
    expect(relay.running()).toBe(1);
    const cut = relay.abortAll();
    write();
    await cut;
    expect(await carried).toMatchObject({ code: "service_unavailable", status: 503 });
    expect(sent).toEqual([]);
    expect(outcomes).toMatchObject([{ reason: "drained", usage: {}, status: 503, attempts: 0 }]);
    expect(relay.running()).toBe(0);
  });
});

describe("a request that a bug of the gateway's ends", () => {
  it("is settled all the same, for nothing", async () => {
    const bug = new TypeError("undefined is not a function");
    const { relay, request, outcomes, write } = open({
      waitForCapacity: () => {
        throw bug;
      },
    });
    const admitted = await relay.admit(request);
    write();
    await expect(admitted.run()).rejects.toBe(bug);
    expect(outcomes).toMatchObject([{ reason: "no_upstream", usage: {}, status: 500 }]);
    expect(relay.running()).toBe(0);
  });
});
