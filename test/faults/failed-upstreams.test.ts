import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runSql } from "../support/embedded.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger } from "../support/money-books.ts";
import { call, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import {
  answerWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";

const statusOf: Record<string, number> = {};

describe("the usage log of a request", () => {
  let first: VendorUpstream;
  let second: VendorUpstream;
  let gateway: TestGateway;
  beforeEach(async () => {
    first = await vendorUpstream((each) => answer("first", each));
    second = await vendorUpstream((each) => answer("second", each));
    const upstreams = [
      { name: "first", url: first.url },
      { name: "second", url: second.url, priority: 1 },
    ];
    const models = TEXT_PROTOCOLS.map((protocol) => `text-${protocol}`);
    gateway = await startGateway({ catalog: modelsFile({ models, upstreams }) });
  });
  afterEach(async () => {
    await gateway?.end();
    await gateway?.clean();
    await first?.close();
    await second?.close();
  });

  it.each([
    { first: 500, second: 500, upstream: "second", reason: "upstream_failed", attempts: 2 },
    { first: 400, second: 200, upstream: "first", reason: "rejected", attempts: 1 },
    { first: 500, second: 200, upstream: "second", reason: "completed", attempts: 2 },
  ])("names the upstream that was asked last: %o", async ({ first, second, ...told }) => {
    Object.assign(statusOf, { first, second });
    for (const protocol of TEXT_PROTOCOLS)
      await call(gateway.url, { protocol, streamed: false, model: `text-${protocol}`, prompt: "Hello" });
    await gateway.end();
    await cleanLedger(gateway);
    const rows = await runSql(
      gateway.database?.url ?? "",
      "select upstream, reason, attempts, charge_nanos > 0 as charged from usage",
    );
    expect(rows).toEqual(TEXT_PROTOCOLS.map(() => ({ ...told, charged: told.reason === "completed" })));
  });
});

function answer(name: string, each: VendorCall): void {
  const status = statusOf[name] ?? 200;
  const body = '{"error":{"type":"invalid_request_error","message":"No."}}';
  if (status === 200) answerWell(each);
  else each.response.writeHead(status, { "content-type": "application/json" }).end(body);
}
