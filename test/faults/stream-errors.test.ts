import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { askBySdk } from "../support/sdk-caller.ts";
import { call, type Heard, TEXT_PROTOCOLS, type TextProtocol, wireForm } from "../support/text-caller.ts";
import { expectErrorForm, expectStreamErrorForm, readEvents } from "../support/text-errors.ts";
import {
  CALLERS_FAULT,
  DISGUISED,
  FAULT_CASES,
  FAULTS,
  type Fault,
  type FaultCase,
  failByModel,
  faultModel,
  RETRY_AFTER_SECONDS,
  VENDOR_SECRET,
} from "../support/vendor-faults.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";

/** Faults that another upstream may make good. */
const PASSING: readonly Fault[] = FAULTS.filter((fault) => fault !== "callers-fault");

/** Retries are rationed by upstream, so each fault has an upstream of its own. */
const SDK = "sdk-";
const SECOND = "second-";

/** What the caller is told as a failure of ours is one that the operator has to find. */
const TOLD_IN_LOG = FAULT_CASES.filter(({ fault }) => fault !== "callers-fault" && fault !== "rate-limit");

const WORDED: readonly Fault[] = ["status-500", "status-529", "our-key"];

const CELLS = FAULT_CASES.flatMap((each) => TEXT_PROTOCOLS.map((protocol) => ({ ...each, protocol })));
const title = "$protocol, $fault $when the first byte, streamed: $streamed";

describe("S5, an upstream's faults in each protocol's form", () => {
  let vendor: VendorUpstream;
  let healthy: VendorUpstream;
  let gateway: TestGateway;
  /** Asked so seldom that its log leaves no line out. */
  let quiet: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(failByModel);
    healthy = await vendorUpstream();
    const cells = FAULT_CASES.flatMap((each) => [faultModel(each), faultModel(each, SDK)]);
    const alone = [...cells, DISGUISED];
    const backed = FAULT_CASES.map((each) => faultModel(each, SECOND));
    const catalog = modelsFile({
      models: [...alone, ...backed],
      upstreams: [
        { name: "faulty", url: vendor.url, models: alone },
        ...backed.map((model) => ({ name: `faulty-${model}`, url: vendor.url, models: [model] })),
        { name: "healthy", url: healthy.url, models: backed, priority: 1 },
      ],
    });
    gateway = await startGateway({ catalog });
    quiet = await startGateway({ catalog });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await quiet?.end();
    await quiet?.clean();
    await vendor?.close();
    await healthy?.close();
  });

  it.each(CELLS)(`an error that cannot be taken for an answer: ${title}`, async ({ protocol, ...each }) => {
    const { streamed, fault, when } = each;
    const heard = await call(gateway.url, { protocol, streamed, model: faultModel(each), prompt: "Hello" });
    expect(heard.complete).toBe(false);
    expect(heard.text).not.toContain("<html>");
    if (streamed && when === "after") expectBrokenStream(protocol, each, heard);
    else expectPlainError(protocol, each, heard);
    if (fault !== "callers-fault" && !(streamed && when === "after" && fault !== "our-key")) {
      expect(heard.text).not.toContain(VENDOR_SECRET);
    }
  });

  it.each(CELLS)(`the official SDK raises an error: ${title}`, async ({ protocol, ...each }) => {
    const ask = { protocol, streamed: each.streamed, model: faultModel(each, SDK) };
    await expect(askBySdk(gateway.url, ask)).rejects.toThrow();
  });

  it("reads an error under a success status as what it is", async () => {
    for (const protocol of TEXT_PROTOCOLS) {
      const heard = await call(gateway.url, { protocol, model: DISGUISED, prompt: "Hello" });
      expect(heard.status).toBe(400);
      expect(heard.text).toContain(CALLERS_FAULT?.message);
    }
  });

  it("keeps the vendor's Retry-After and none of its other headers", async () => {
    for (const protocol of TEXT_PROTOCOLS) {
      const model = faultModel({ fault: "rate-limit", when: "before", streamed: false }, SDK);
      const { path, body } = wireForm({ protocol, model, prompt: "Hello" });
      const response = await fetch(`${gateway.url}${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "x-api-key": TEST_KEY },
      });
      expect(response.status).toBe(429);
      expect(response.headers.get("retry-after")).toBe(String(RETRY_AFTER_SECONDS));
      expect(response.headers.get("x-vendor-organization")).toBeNull();
    }
  });

  it.each(FAULT_CASES.filter(({ fault }) => PASSING.includes(fault)))(
    "a second upstream answers in its place until the first byte, and never after: $fault $when, streamed: $streamed",
    async (each) => {
      const { streamed, when } = each;
      const model = faultModel(each, SECOND);
      for (const protocol of TEXT_PROTOCOLS) {
        const heard = await call(gateway.url, { protocol, streamed, model, prompt: "Hello" });
        const served = healthy.calls.filter((one) => one.model === model && one.protocol === protocol).length;
        const begun = streamed && when === "after";
        expect([protocol, heard.status, heard.complete, served]).toEqual([
          ...[protocol, 200, !begun],
          begun ? 0 : 1,
        ]);
      }
    },
  );

  it.each(TOLD_IN_LOG)(
    "names the upstream that failed in the log, with its words on its own failure alone: $fault $when, streamed: $streamed",
    async (each) => {
      const { streamed, fault, when } = each;
      const heard = await call(quiet.url, {
        protocol: "messages",
        streamed,
        model: faultModel(each),
        prompt: "Hello",
      });
      expect(heard.complete).toBe(false);
      const isTold = (line: string): boolean =>
        /\bfaulty\b/.test(line) && line.includes(heard.requestId ?? "-");
      const line = await waitFor("the line", () => quiet.output().split("\n").find(isTold));
      // A status or an error stands for words; a connection that was cut and a page have none.
      if (when === "before" && WORDED.includes(fault)) expect(line).toContain(VENDOR_SECRET);
      expect(quiet.output()).not.toContain(CALLERS_FAULT?.message);
      expect(quiet.output()).not.toContain("our-key-at-the-vendor");
    },
  );

  it("never asks a second upstream about a request that is itself at fault", async () => {
    for (const streamed of [false, true]) {
      const model = faultModel({ fault: "callers-fault", when: "before", streamed }, SECOND);
      for (const protocol of TEXT_PROTOCOLS) {
        expect((await call(gateway.url, { protocol, streamed, model, prompt: "Hello" })).status).toBe(400);
      }
      expect(healthy.calls.filter((one) => one.model === model)).toHaveLength(0);
    }
  });
});

function expectPlainError(protocol: TextProtocol, { fault }: FaultCase, heard: Heard): void {
  const told = toldOf(protocol, fault);
  expect(heard.status).toBe(told.status);
  const body = expectErrorForm(protocol, heard.text, told);
  if (fault === "callers-fault") expect(body.error.message).toContain(CALLERS_FAULT?.message);
}

function toldOf(
  protocol: TextProtocol,
  fault: FaultCase["fault"],
): { status: number; code: string; type?: string } {
  switch (fault) {
    case "rate-limit":
      return { status: 429, code: "upstream_rate_limited" };
    case "status-529":
      if (protocol === "messages") return { status: 529, code: "upstream_overloaded" };
      break;
    case "callers-fault": {
      const native = protocol === "generate-content";
      const words = { type: CALLERS_FAULT?.type ?? "", code: CALLERS_FAULT?.code ?? "" };
      if (native) return { status: 400, code: "400", type: words.code };
      return { status: 400, code: protocol === "messages" ? "" : words.code, type: words.type };
    }
    default:
  }
  return { status: 502, code: "upstream_error" };
}

/** The vendor's own error event passes as it came unless it is about our account; anything else is ours. */
function expectBrokenStream(protocol: TextProtocol, { fault }: FaultCase, heard: Heard): void {
  expect(heard.status).toBe(200);
  if (fault === "cut" || fault === "garbage" || fault === "our-key") {
    expectStreamErrorForm(protocol, heard.text, { status: 502, code: "upstream_error" });
    return;
  }
  const last = readEvents(heard.text).at(-1);
  const text = JSON.stringify(last?.data);
  expect(text).toContain(fault === "callers-fault" ? CALLERS_FAULT?.message : VENDOR_SECRET);
}
