import { afterEach, describe, expect, it } from "vitest";
import type { Margins } from "../../src/console/margins/contract.ts";
import type { Traffic } from "../../src/console/traffic/contract.ts";
import type { Upstream, UpstreamReport } from "../../src/console/upstreams/contract.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { balanceOf, cleanLedger } from "../support/money-books.ts";
import { call, type TextProtocol } from "../support/text-caller.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";

type Serve = (call: VendorCall) => void;

describe("a text request that fails for good", () => {
  const vendors: VendorUpstream[] = [];
  let gateway: TestGateway;
  let operator: SignedIn;
  afterEach(async () => {
    await gateway?.end();
    await gateway?.clean();
    for (const vendor of vendors.splice(0)) await vendor.close();
  });

  /** A gateway whose upstreams `first`, `second` ... are asked in this order. */
  const start = (...serving: readonly Serve[]): Promise<void> => startAt("chat-completions", ...serving);
  const startAt = async (protocol: TextProtocol, ...serving: readonly Serve[]): Promise<void> => {
    for (const serve of serving) vendors.push(await vendorUpstream(serve));
    const upstreams = vendors.map(({ url }, priority) => ({
      name: ["first", "second", "third"][priority] ?? "",
      url,
      priority,
      protocols: [protocol],
    }));
    gateway = await startGateway({
      catalog: modelsFile({ models: ["text"], upstreams }),
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
    operator = await signIn(gateway);
  };
  const send = (protocol: TextProtocol = "chat-completions", streamed = false) =>
    call(gateway.url, { protocol, streamed, model: "text", prompt: "Hello" });
  const logged = (requests: number) =>
    waitFor("the requests in the log", async () => {
      const { data } = (await operator.get("/accounts/1/requests")).body;
      return data.length === requests ? data : undefined;
    });
  const linesWith = (message: string): unknown[] =>
    gateway
      .output()
      .split("\n")
      .flatMap((line) => (line.includes(`"msg":"${message}"`) ? [JSON.parse(line)] : []));
  const reportOf = async (name: string): Promise<UpstreamReport> => {
    const { data } = (await operator.get("/operator/upstreams")).body as { data: Upstream[] };
    const id = data.find((each) => each.name === name)?.id;
    return (await operator.get(`/operator/upstreams/${id}/report`)).body as UpstreamReport;
  };

  it("stands at its upstream: in the log, the traffic and the upstream's report, at no charge", async () => {
    await start(fail);
    expect((await send("chat-completions")).status).toBe(502);
    expect((await send("messages", true)).status).toBe(502);
    const rows = await logged(2);
    for (const row of rows)
      expect(row).toMatchObject({ reason: "upstream_failed", upstream: "first", charge_nanos: "0" });
    const { upstream_model } = (await operator.get(`/accounts/1/requests/${rows[0].request_id}`)).body;
    expect(upstream_model).toBe("text");
    const { days, failures } = await reportOf("first");
    expect(days).toMatchObject([{ requests: 2, errors: 2, charge_nanos: "0", reported: null }]);
    for (const failure of failures) expect(failure).toMatchObject({ status: 502, attempts: 1 });
    expect(new Set(failures.map(({ request_id }) => request_id))).toEqual(
      new Set(rows.map(({ request_id }: { request_id: string }) => request_id)),
    );
    const { upstreams } = (await operator.get("/operator/traffic")).body as Traffic;
    expect(upstreams).toMatchObject([
      { name: "first", requests: 2, errors: 2, input_tokens: 0, first_byte_p50_ms: null },
    ]);
    expect((await operator.get("/operator/ledger/vendor-costs")).body).toEqual({ text: [], tasks: [] });
    expect(balanceOf(await cleanLedger(gateway))).toBe(1_000n * 1_000_000_000n);
  });

  it("stands at the one that was asked last", async () => {
    await start(fail, fail);
    expect((await send()).status).toBe(502);
    expect(await logged(1)).toMatchObject([{ upstream: "second", attempts: 2 }]);
    expect((await reportOf("second")).failures).toHaveLength(1);
    expect(await reportOf("first")).toEqual({ days: [], failures: [] });
  });

  it("stands at none that another rescued", async () => {
    await start(fail, serveWell);
    expect((await send()).status).toBe(200);
    expect(await logged(1)).toMatchObject([{ upstream: "second", attempts: 2, failed: false }]);
    for (const name of ["first", "second"]) expect((await reportOf(name)).failures).toEqual([]);
    expect(linesWith("failover: another upstream responded")).toMatchObject([
      { level: "warn", failed: "first", upstream: "second", attempts: 2, account: "acme", model: "text" },
    ]);
  });

  it.each(["responses", "chat-completions"] as const)(
    "is none where the first has no path for it, and another answers (%s)",
    async (protocol) => {
      await startAt("responses", noPath, serveWell);
      expect((await send(protocol)).status).toBe(200);
      expect(await logged(1)).toMatchObject([{ upstream: "second", attempts: 2, failed: false }]);
      expect(vendors[0]?.calls.map(({ path }) => path)).toEqual(["/v1/responses"]);
    },
  );

  it("costs what each of its upstreams may bill, in sums that equal its attempts'", async () => {
    // Before its first output, though its usage is known: nobody is charged, and the vendor bills it.
    const begun: Serve = ({ response }) => {
      const usage = { prompt_tokens: 40, completion_tokens: 0, total_tokens: 40 };
      const chunk = {
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model: "text",
        choices: [],
        usage,
      };
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    await start(begun, serveWell);
    expect((await send("chat-completions", true)).status).toBe(200);
    const [{ request_id }] = await logged(1);
    const { cost, receipt } = (await operator.get(`/accounts/1/requests/${request_id}`)).body;
    // The group has no factor and the upstreams no prices of their own: what is charged is what it costs.
    expect(cost.attempts).toMatchObject([
      { upstream: "first", used: "billed", cost_nanos: String(40n * 3_000n) },
      { upstream: "second", used: "billed", cost_nanos: receipt.charge_nanos },
    ]);
    expect(cost.margin_nanos).toBe(String(-40n * 3_000n));
    const margins = (await operator.get("/operator/margins")).body as Margins;
    expect(margins.totals).toMatchObject({ attempts: 2, unknown: 0, cost_nanos: cost.cost_nanos });
    expect(margins.data.map(({ id, charge_nanos }) => [id, charge_nanos]).sort()).toEqual([
      ["first", "0"],
      ["second", receipt.charge_nanos],
    ]);
    for (const by of ["model", "account", "month"]) {
      const { totals, data } = (await operator.get(`/operator/margins?by=${by}`)).body as Margins;
      expect(data).toMatchObject([totals]);
    }
    const csv = String((await operator.get("/operator/margins.csv")).body);
    const [header = "", ...lines] = csv.trim().split("\r\n");
    expect(lines).toHaveLength(2);
    // In US dollars, as every file: three places of the charge, the cost and the margin.
    const at = header.split(",").indexOf("charge_usd");
    const charged = lines.map((line) => Math.round(Number(line.split(",")[at]) * 1e9));
    expect(charged.sort()).toEqual([0, Number(receipt.charge_nanos)].sort());
    await cleanLedger(gateway);
  });

  it("costs nothing at a vendor that refused it, and what nobody knows at one that fell silent", async () => {
    await start(fail, ({ request }) => request.socket.destroy(), serveWell);
    expect((await send()).status).toBe(200);
    const [{ request_id }] = await logged(1);
    const { cost, receipt } = (await operator.get(`/accounts/1/requests/${request_id}`)).body;
    expect(cost.attempts).toMatchObject([
      { upstream: "first", used: "nothing", cost_nanos: "0" },
      { upstream: "second", used: "unknown", cost_nanos: "0" },
      { upstream: "third", used: "billed", cost_nanos: receipt.charge_nanos },
    ]);
    expect((await operator.get("/operator/margins")).body.totals).toMatchObject({ attempts: 3, unknown: 1 });
  });

  it("costs what the vendor reports and states for an empty response that nobody is charged for", async () => {
    await start(({ response }) => {
      const message = { role: "assistant", content: "" };
      const usage = { prompt_tokens: 40, completion_tokens: 0, total_tokens: 40, cost: 0.0001 };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      const body = { id: "c", object: "chat.completion", created: 1, model: "text", choices, usage };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    expect((await send()).status).toBe(200);
    const [{ request_id, reason, charge_nanos }] = await logged(1);
    expect([reason, charge_nanos]).toEqual(["empty_answer", "0"]);
    const { cost } = (await operator.get(`/accounts/1/requests/${request_id}`)).body;
    expect(cost.attempts).toMatchObject([
      { used: "billed", cost_nanos: String(40n * 3_000n), stated_nanos: "100000" },
    ]);
    expect(cost.margin_nanos).toBe(String(-40n * 3_000n));
  });

  it("leaves one line in the log where it was refused, by us or by its upstream, without its key", async () => {
    await start(refuse);
    expect((await send()).status).toBe(400);
    const nobodys = `nobodys-${TEST_KEY}`;
    const options = { protocol: "chat-completions", model: "text", prompt: "Hello" } as const;
    expect((await call(gateway.url, options, { key: nobodys })).status).toBe(401);
    expect((await call(gateway.url, { ...options, model: "unknown" })).status).toBe(404);
    const lines = await waitFor("the lines", async () => {
      const found = linesWith("request refused");
      return found.length === 3 ? found : undefined;
    });
    expect(lines).toMatchObject([
      {
        level: "info",
        status: 400,
        reason: "rejected",
        route: "POST /v1/chat/completions",
        upstream: "first",
        account: "acme",
        model: "text",
      },
      { level: "info", status: 401, errorCode: "invalid_api_key", model: null },
      { level: "info", status: 404, errorCode: "model_not_found", account: "acme", model: null },
    ]);
    expect(gateway.output()).not.toContain(TEST_KEY);
  });

  it("is told in the log by its error's code and its receipt's reason, without a stack where an upstream failed", async () => {
    await start(fail);
    expect((await send()).status).toBe(502);
    const [line] = await waitFor("the line", async () => {
      const found = linesWith("request failed");
      return found.length > 0 ? found : undefined;
    });
    expect(line).toMatchObject({ level: "warn", errorCode: "upstream_error", reason: "upstream_failed" });
    expect(line).toMatchObject({
      route: "POST /v1/chat/completions",
      model: "text",
      upstream: "first",
      attempts: 1,
    });
    expect(line).toHaveProperty("err.message", expect.stringContaining("first"));
    expect(JSON.stringify(line)).not.toContain('"stack"');
  });

  it("stands at the upstream that refused it, and at none where it could not be sent there", async () => {
    await start(refuse);
    expect((await send()).status).toBe(400);
    expect(await logged(1)).toMatchObject([{ reason: "rejected", upstream: "first", attempts: 1 }]);
    const video = { inlineData: { mimeType: "video/mp4", data: "AAAA" } };
    const unsent = await fetch(`${gateway.url}/v1beta/models/text:generateContent`, {
      method: "POST",
      headers: { "x-goog-api-key": TEST_KEY, "content-type": "application/json" },
      body: JSON.stringify({ contents: [{ role: "user", parts: [video] }] }),
    });
    expect(unsent.status).toBe(400);
    const [newest] = await logged(2);
    expect(newest).toMatchObject({ reason: "rejected", upstream: null, attempts: 0 });
    expect((await reportOf("first")).failures).toMatchObject([{ reason: "rejected", status: 400 }]);
  });

  it("stands at none while its upstream is left alone", async () => {
    await start(fail);
    for (let failures = 0; failures < 5; failures += 1) expect((await send()).status).toBe(502);
    expect((await send()).status).toBe(503);
    const rows = (await logged(6)) as { reason: string; upstream: string | null; attempts: number }[];
    expect(rows.filter(({ attempts }) => attempts === 0)).toMatchObject([
      { reason: "no_upstream", upstream: null },
    ]);
    expect(rows.filter(({ upstream }) => upstream === "first")).toHaveLength(5);
  });
});

const ERROR = { type: "server_error", code: "INTERNAL", message: "Oops" };

function fail({ protocol, response }: VendorCall): void {
  response.writeHead(500, { "content-type": "application/json" });
  response.end(VENDOR_WIRES[protocol].error({ ...ERROR, status: 500 }));
}

function noPath({ path, response }: VendorCall): void {
  const error = { message: `Invalid URL (POST ${path})`, type: "invalid_request_error" };
  response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ error }));
}

function refuse({ protocol, response }: VendorCall): void {
  const words = {
    status: 400,
    type: "invalid_request_error",
    code: "INVALID_ARGUMENT",
    message: "Too long.",
  };
  response.writeHead(400, { "content-type": "application/json" });
  response.end(VENDOR_WIRES[protocol].error(words));
}
