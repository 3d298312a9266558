import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../support/embedded.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger, postedRow, type UsageRow } from "../support/money-books.ts";
import { expectStreamErrorForm } from "../support/text-errors.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";
import { KEYS } from "../support/world.ts";

const N = 4;

/** One price per answer of the vendor's: 7 tokens in at $3 a million, 3 out at $15. */
const NANOS_EACH = 7n * 3_000n + 3n * 15_000n;

/** What the vendor does to the requests of a model, the nth of which it is. */
type Conduct = (call: VendorCall, nth: number) => void;

const opened = ({ protocol, model, response }: VendorCall): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(VENDOR_WIRES[protocol].opening(model) + VENDOR_WIRES[protocol].delta("Hel"));
};

const refused = ({ protocol, response }: VendorCall): void => {
  const words = { status: 529, type: "overloaded_error", code: "overloaded", message: "Busy." };
  response.writeHead(529, { "content-type": "application/json" }).end(VENDOR_WIRES[protocol].error(words));
};

/** By the name of the model at the first upstream; the second answers well whatever it is asked. */
const CONDUCT: Readonly<Record<string, Conduct>> = {
  // The third is refused while the others are at work.
  "one-refused": (call, nth) => {
    if (nth === 3) refused(call);
    else if (call.streamed) opened(call);
  },
  // All stream, then the third is cut amid its response.
  "one-cut": (call, nth) => {
    opened(call);
    if (nth === 3) setTimeout(() => call.response.destroy(), 300);
  },
  "one-cut-plain": (call, nth) => {
    // Amid its response: one that was cut before it is sent again where its connection may have been stale.
    if (nth === 3) {
      const { response } = call;
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"id":', () => response.destroy());
    } else if (nth === 4) serveWell(call);
  },
  endless: opened,
};

describe("several answers of which one fails", () => {
  const seen = new Map<string, number>();
  let first: VendorUpstream;
  let second: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    first = await vendorUpstream((call) => {
      const nth = (seen.get(call.model) ?? 0) + 1;
      seen.set(call.model, nth);
      CONDUCT[call.model]?.(call, nth);
    });
    second = await vendorUpstream();
    const models = Object.keys(CONDUCT);
    gateway = await startGateway({
      catalog: modelsFile({
        models: [...models, "narrow"],
        upstreams: [
          { name: "first", url: first.url, protocols: ["messages"], models },
          {
            name: "narrow",
            url: second.url,
            protocols: ["messages"],
            models: ["narrow"],
            maxConcurrency: N - 1,
          },
          { name: "second", url: second.url, protocols: ["messages"], models, priority: 1 },
        ],
      }),
    });
  });
  afterAll(async () => {
    await gateway?.clean();
    await first?.close();
    await second?.close();
  });

  /** Each request is a conversation of its own, which begins at the first upstream. */
  let asked = 0;
  const ask = async (
    model: string,
    streamed: boolean,
    signal?: AbortSignal,
  ): Promise<{ response: Response; id: string }> => {
    seen.clear();
    first.calls.length = 0;
    second.calls.length = 0;
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEYS.main}`, "content-type": "application/json" },
      body: JSON.stringify({
        model,
        n: N,
        stream: streamed,
        messages: [{ role: "user", content: `Hello ${asked++}` }],
      }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { response, id: response.headers.get("x-request-id") ?? "" };
  };
  const rowOf = async (id: string): Promise<UsageRow & { readonly attempts: number }> => {
    const row = await postedRow(gateway, id);
    const [counted] = await runSql(
      gateway.database?.url ?? "",
      `select attempts from usage where request_id = '${id}'`,
    );
    return { ...row, attempts: Number(counted?.["attempts"]) };
  };
  const allLeft = (): Promise<unknown> =>
    waitFor("the others to be cancelled", () =>
      first.calls.every(({ response }) => response.destroyed || response.writableFinished),
    );

  it.each([
    ["one-refused", false],
    ["one-refused", true],
    ["one-cut-plain", false],
  ])("all go to the next upstream, which alone is paid: %s, streamed: %s", async (model, streamed) => {
    const { response, id } = await ask(model, streamed);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    expect(text.match(/"finish_reason":"stop"/g)).toHaveLength(N);
    await allLeft();
    expect([first.calls.length, second.calls.length]).toEqual([N, N]);
    expect(await rowOf(id)).toMatchObject({
      reason: "completed",
      attempts: 2,
      chargeNanos: BigInt(N) * NANOS_EACH,
    });
  });

  it("are refused where the upstream has no room for all, with a word of when and what to try", async () => {
    const { response, id } = await ask("narrow", false);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("2");
    expect(await response.text()).toContain("request fewer choices");
    expect(await rowOf(id)).toMatchObject({ reason: "upstream_failed", chargeNanos: 0n });
  });

  it("ends a stream that one of them broke in the form of an error, and charges what all produced", async () => {
    const { response, id } = await ask("one-cut", true);
    const text = await response.text();
    expect(text.match(/"content":"Hel"/g)).toHaveLength(N);
    expectStreamErrorForm("chat-completions", text, { status: 502, code: "upstream_error" });
    expect(text).not.toContain('"finish_reason":"stop"');
    await allLeft();
    expect(second.calls).toHaveLength(0);
    const row = await rowOf(id);
    // The input as reported at the start of each, and of each the one token that had come.
    expect(row).toMatchObject({ reason: "upstream_failed_after_output", attempts: 1 });
    expect(row.chargeNanos).toBe(BigInt(N) * (7n * 3_000n + 1n * 15_000n));
  });

  it("cancels all of them when the caller leaves, and charges what they produced", async () => {
    const leaving = new AbortController();
    const { response, id } = await ask("endless", true, leaving.signal);
    const reader = response.body?.getReader();
    let text = "";
    while ((text.match(/"content":"Hel"/g)?.length ?? 0) < N) {
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
    }
    leaving.abort();
    await allLeft();
    expect(first.calls).toHaveLength(N);
    const row = await rowOf(id);
    expect(row).toMatchObject({ reason: "client_aborted", attempts: 1 });
    expect(row.chargeNanos).toBe(BigInt(N) * (7n * 3_000n + 1n * 15_000n));
  });

  it("leaves clean books", async () => {
    expect(await gateway.end()).toBe(0);
    await cleanLedger(gateway);
  });
});
