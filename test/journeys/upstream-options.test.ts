import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Route } from "../../src/console/routing/contract.ts";
import type { Upstream } from "../../src/console/upstreams/contract.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BOOTSTRAP_PASSWORD, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { posted, postedReceipt } from "../support/posted-receipt.ts";
import { httpProxy, PROXY_PASSWORD, PROXY_USER, socksProxy, type TestProxy } from "../support/proxies.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";
import { call } from "../support/text-caller.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";

const TEAM = "team-secret-0123456789";
const CA_FILE = join(import.meta.dirname, "../support/certificates/ca.pem");
const pem = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, `../support/certificates/${name}.pem`));

let vendor: ScriptedUpstream;
let respond: (request: WireRequest) => void;
let tunnels: TestProxy;
let socks: TestProxy;
let secured = 0;
const secure = createServer({ key: pem("key"), cert: pem("sound") }, (request, response) => {
  secured += 1;
  request.resume();
  response.setHeader("content-type", "application/json");
  response.end(VENDOR_WIRES["chat-completions"].plain("text"));
});
let gateway: TestGateway;
let file: string;

/** Models, each of an upstream of its own name. */
const MODELS = ["headed", "tunneled", "secured", "socksed", "wrong", "trusting", "changed", "betas", "named"];
const ENV = { TEAM, PROXY_PASSWORD, FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD };

beforeAll(async () => {
  vendor = await scriptedUpstream((request) => respond(request));
  respond = answer;
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
  const address = secure.address();
  const secureUrl = `https://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  // A name that nothing but the proxy can resolve.
  const names = { "vendor.internal": Number(new URL(vendor.url).port) };
  [tunnels, socks] = await Promise.all([httpProxy(names), socksProxy(names)]);
  const through = (scheme: string, port: number, password = `\${PROXY_PASSWORD}`): string =>
    `proxy: "${scheme}://${PROXY_USER}:${password}@127.0.0.1:${port}"`;
  const upstream = (model: string, url: string, ...more: string[]) => ({
    name: model,
    url,
    models: [model],
    protocols: ["chat-completions"],
    more,
  });
  file = catalogFile({
    likeText: MODELS,
    upstreams: [
      upstream("headed", vendor.url, `headers: { X-Team: "\${TEAM}", openai-organization: org-1 }`),
      upstream("tunneled", "http://vendor.internal", through("http", tunnels.port)),
      upstream("secured", secureUrl, through("http", tunnels.port), `ca_file: ${CA_FILE}`),
      upstream("socksed", "http://vendor.internal", through("socks5", socks.port)),
      upstream("wrong", vendor.url, through("http", tunnels.port, "wrong-password-99")),
      upstream(
        "changed",
        vendor.url,
        "body: { set: { store: false, user: ours }, default: { seed: 7 }, remove: [logit_bias] }",
      ),
      upstream("named", vendor.url, "end_user: account"),
      { ...upstream("betas", vendor.url, "betas: { drop: [old-2025-01-01] }"), protocols: ["messages"] },
      upstream("trusting", secureUrl, `ca_file: ${CA_FILE}`),
    ],
  });
  gateway = await startGateway({ catalog: file, env: ENV });
});

afterAll(async () => {
  await gateway?.clean();
  await Promise.all([vendor?.close(), tunnels?.close(), socks?.close()]);
  secure.close();
});

function answer({ line, socket }: WireRequest): void {
  const protocol = line.includes("/v1/messages") ? "messages" : "chat-completions";
  const text = line.startsWith("GET")
    ? JSON.stringify({ data: [{ id: "headed" }] })
    : VENDOR_WIRES[protocol].plain("text");
  send(socket, 200, text);
}

function send(socket: WireRequest["socket"], status: number, text: string): void {
  const length = Buffer.byteLength(text);
  socket.write(
    `HTTP/1.1 ${status} OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`,
  );
}

const ask = (model: string, protocol: "chat-completions" | "messages" = "chat-completions") =>
  call(gateway.url, { protocol, model, prompt: "Hello" });

/** What the log says of a request. */
function logOf(requestId: string | undefined): Promise<string> {
  return waitFor("its line", () =>
    gateway
      .output()
      .split("\n")
      .find((line) => requestId !== undefined && line.includes(requestId)),
  );
}

describe("headers of an upstream", () => {
  const sent = () => Object.fromEntries(vendor.requests.at(-1)?.headers ?? []);
  const own = { "x-team": TEAM, "openai-organization": "org-1" };

  it.each(["chat-completions", "messages"] as const)("go with requests that come as %s", async (protocol) => {
    expect(await ask("headed", protocol)).toMatchObject({ status: 200 });
    expect(sent()).toMatchObject(own);
  });

  it("go with the requests that try a credential and list models", async () => {
    expect((await gateway.run("doctor")).stdout).toContain("headed");
    const listed = vendor.requests
      .filter(({ line }) => line.startsWith("GET"))
      .map(({ headers }) => Object.fromEntries(headers));
    expect(listed).toContainEqual(expect.objectContaining(own));
  });

  it("come back to no caller, whatever the vendor says", async () => {
    respond = ({ socket }) => send(socket, 400, JSON.stringify({ error: { message: `no team ${TEAM}` } }));
    const heard = await ask("headed");
    respond = answer;
    expect(heard.status).toBe(400);
    expect(heard.text).not.toContain(TEAM);
    expect(gateway.output()).not.toContain(TEAM);
  });
});

describe("the proxy of an upstream", () => {
  it("tunnels http, https in its own trust, and SOCKS5, and resolves names itself", async () => {
    for (const model of ["tunneled", "secured", "socksed"])
      expect(await ask(model), model).toMatchObject({ status: 200 });
    expect(tunnels.asked).toContain("vendor.internal:80");
    expect(tunnels.asked).toContainEqual(expect.stringMatching(/^127\.0\.0\.1:\d+$/));
    expect(socks.asked).toContain("vendor.internal:80");
  });

  it("that refuses the password is named, and nothing goes past it", async () => {
    const before = vendor.accepted();
    const heard = await ask("wrong");
    expect(heard).toMatchObject({ status: 502, code: "upstream_error" });
    expect(await logOf(heard.requestId)).toContain(
      "The proxy of wrong refused the user or password (status 407)",
    );
    expect(vendor.accepted()).toBe(before);
  });
});

it("names the option that would cure a vendor's refusal in the log", async () => {
  const message = "Unsupported parameter: 'seed' is not supported with this model.";
  respond = ({ socket }) => send(socket, 400, JSON.stringify({ error: { message } }));
  const heard = await ask("changed");
  respond = answer;
  expect(heard).toMatchObject({ status: 400 });
  expect(heard.text).toContain(message);
  const told = await waitFor("its line", () =>
    gateway
      .output()
      .split("\n")
      .find((line) => line.includes(String(heard.requestId)) && line.includes("upstream option available")),
  );
  expect(told).toContain("body: { remove: [seed] }");
});

it("trusts the authorities in ca_file beside the public ones", async () => {
  expect(await ask("trusting")).toMatchObject({ status: 200 });
});

describe("changes of the body", () => {
  const last = () => vendor.requests.at(-1)?.body.toString("utf8") ?? "";

  it("are spliced into a caller's bytes", async () => {
    const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
    const body =
      '{ "logit_bias": {"1": 2}, "model":"changed", "user":"theirs",  "messages":[{"role":"user","content":"Hi"}], "top_k" : 5.0}';
    const url = `${gateway.url}/v1/chat/completions`;
    expect((await fetch(url, { method: "POST", headers, body })).status).toBe(200);
    expect(last()).toContain(
      '"model":"changed", "user":"ours",  "messages":[{"role":"user","content":"Hi"}]',
    );
    expect(last()).toContain('"top_k" : 5.0');
    expect(JSON.parse(last())).toMatchObject({ store: false, user: "ours", seed: 7, top_k: 5 });
    expect(last()).not.toContain("logit_bias");
  });

  it("are told: what the caller loses on the receipt, and all of them in the routing view", async () => {
    const { reply, receipt } = await posted(gateway.url, "v1/chat/completions", {
      model: "changed",
      user: "theirs",
      logit_bias: { 1: 2 },
      messages: [{ role: "user", content: "Hi" }],
    });
    expect(reply.headers.get("x-faregate-dropped")).toBe("logit_bias, user");
    expect(receipt["losses"]).toEqual(["logit_bias (upstream-option)", "user (upstream-option)"]);
    const operator = await signIn(gateway);
    const changesOf = async (model: string): Promise<unknown> => {
      const { body } = await operator.get(`/operator/routing?model=${model}`);
      return (body as Route).targets.map(({ changes }) => changes);
    };
    const own = ["set store", "set user", "default seed", "remove logit_bias"];
    expect(await changesOf("changed")).toEqual([own]);
    expect(await changesOf("headed")).toEqual([["header x-team", "header openai-organization"]]);
    expect(await changesOf("betas")).toEqual([["drop old-2025-01-01"]]);
    expect(await changesOf("named")).toEqual([["end user account"]]);
  });

  it("are made in a translated body, and leave alone what the caller says where they are defaults", async () => {
    expect(await ask("changed", "messages")).toMatchObject({ status: 200 });
    expect(JSON.parse(last())).toMatchObject({ store: false, user: "ours", seed: 7 });
  });

  it("are refused where they would change what a request costs or says", async () => {
    const told = async (body: string) => applied(file.replace(/body: .*/, `body: ${body}`));
    for (const body of ["{ set: { max_tokens: 1 } }", "{ default: { n: 2 } }", "{ remove: [messages] }"])
      expect(await told(body), body).toContain("the gateway relies on it for cost or access");
    expect(await told("{ default: { service_tier: flex } }")).toContain("must be a tier in unasked_tiers");
    const held = "{ default: { service_tier: flex } }\n    unasked_tiers: [flex]";
    expect(await told(held)).toContain("body.default.service_tier (unset) -> flex");
  });
});

describe("betas that are left out", () => {
  const asked = "new-2025-02-02, old-2025-01-01";
  const askFor = async (path: string, fields: object) => {
    const body = { model: "betas", max_tokens: 9, messages: [{ role: "user", content: "Hi" }], ...fields };
    const { reply, receipt } = await posted(gateway.url, path, body, { "anthropic-beta": asked });
    return { dropped: reply.headers.get("x-faregate-dropped"), receipt };
  };
  const sentBetas = () => Object.fromEntries(vendor.requests.at(-1)?.headers ?? [])["anthropic-beta"];

  it("are in neither header nor body, and are named to the caller and on the receipt", async () => {
    const heard = await askFor("v1/messages", { anthropic_beta: ["old-2025-01-01", "new-2025-02-02"] });
    expect(heard).toMatchObject({
      dropped: "anthropic-beta:old-2025-01-01",
      receipt: { losses: ["anthropic-beta:old-2025-01-01 (upstream-option)"] },
    });
    expect(sentBetas()).toBe("new-2025-02-02");
    const { body } = vendor.requests.at(-1) as WireRequest;
    expect(JSON.parse(body.toString("utf8"))).toMatchObject({ anthropic_beta: ["new-2025-02-02"] });
  });

  it("are left out of translated requests too", async () => {
    expect(await askFor("v1/chat/completions", {})).toMatchObject({
      dropped: "anthropic-beta:old-2025-01-01",
    });
    expect(sentBetas()).toBe("new-2025-02-02");
  });
});

describe("an account that is named to the vendor", () => {
  const last = () => JSON.parse(vendor.requests.at(-1)?.body.toString("utf8") ?? "{}") as { user?: string };

  it("has one opaque id in forwarded and translated requests", async () => {
    expect(await ask("named")).toMatchObject({ status: 200 });
    const { user } = last();
    expect(user).toMatch(/^[0-9a-f]{32}$/);
    expect(await ask("named", "messages")).toMatchObject({ status: 200 });
    expect(last().user).toBe(user);
  });

  it("is named only where the caller names nobody", async () => {
    await postedReceipt(gateway.url, "v1/messages", {
      model: "named",
      max_tokens: 9,
      metadata: { user_id: "theirs" },
      messages: [{ role: "user", content: "Hi" }],
    });
    expect(last().user).toBe("theirs");
  });
});

describe("what a file says of options", () => {
  it("is applied once, and exported with variables in place of secrets", async () => {
    const { stdout } = await gateway.run("export");
    expect(stdout).toContain(`x-team: \${TEAM}`);
    expect(stdout).toContain(`openai-organization: \${UPSTREAM_HEADED_HEADERS_OPENAI_ORGANIZATION}`);
    expect(stdout).toContain(`proxy: \${UPSTREAM_TUNNELED_PROXY}`);
    expect(stdout).toContain(`ca_file: ${CA_FILE}`);
    for (const secret of [TEAM, PROXY_PASSWORD]) expect(stdout).not.toContain(secret);
    expect(await applied(stdout)).toContain("no changes");
    expect(await applied(file)).toContain("no changes");
    expect(await applied(file.replace("org-1", "org-2"))).toContain("headers.openai-organization (changed)");
    expect(await applied(file.replace(CA_FILE, "/no/such/file.pem"))).toContain("no file /no/such/file.pem");
    expect(await applied(file.replace("X-Team", "X-Api-Key"))).toContain("is sent by the gateway itself");
  });

  it("shows operators names, and keeps what they leave as it is", async () => {
    const operator = await signIn(gateway);
    const { data } = (await operator.get("/operator/upstreams")).body as { data: Upstream[] };
    const find = (name: string) => data.find((each) => each.name === name);
    const headed = find("headed");
    const tunneled = find("tunneled");
    const masked = { "x-team": "***", "openai-organization": "***" };
    expect(headed).toMatchObject({ headers: masked, proxy: null });
    expect(tunneled?.proxy).toBe(`http://${PROXY_USER}:***@127.0.0.1:${tunnels.port}`);
    expect(JSON.stringify(data)).not.toMatch(new RegExp(`${TEAM}|${PROXY_PASSWORD}`));

    const put = ({ id, kind, base_url, models, protocols, headers, proxy }: Upstream, changes: object) =>
      operator.put(`/operator/upstreams/${id}`, {
        kind,
        base_url,
        models,
        protocols,
        headers,
        proxy,
        ...changes,
      });
    if (headed === undefined || tunneled === undefined) throw new Error("no upstreams");
    expect((await put(tunneled, { weight: 2 })).status).toBe(200);
    expect(await ask("tunneled")).toMatchObject({ status: 200 });
    expect((await put(headed, { headers: { ...masked, "x-new": "1" } })).status).toBe(200);
    expect(await ask("headed")).toMatchObject({ status: 200 });
    const sent = Object.fromEntries(vendor.requests.at(-1)?.headers ?? []);
    expect(sent).toMatchObject({ "x-team": TEAM, "x-new": "1" });
    // A stored secret goes only where it went before.
    const moved = await put(headed, { proxy: "http://127.0.0.1:9" });
    expect(moved.body.error.param).toBe("api_keys");
    const unknown = await put(headed, { headers: { "x-other": "***" } });
    expect(unknown.body.error.param).toBe("headers.x-other");
  });
});

it("sends nothing to the vendor while the proxy is down", async () => {
  await tunnels.close();
  await socks.close();
  const before = vendor.accepted();
  const beforeSecured = secured;
  for (const model of ["tunneled", "secured", "socksed"]) {
    const heard = await ask(model);
    expect(heard.status, model).toBe(502);
    expect(await logOf(heard.requestId)).toContain(`The proxy of ${model} is unreachable`);
  }
  expect([vendor.accepted(), secured]).toEqual([before, beforeSecured]);
  expect((await gateway.run("doctor")).stdout).toContain("The proxy of tunneled is unreachable");
  expect(gateway.output()).not.toContain(PROXY_PASSWORD);
});

it("leaves books that agree", async () => {
  await cleanLedger(gateway);
});

/** What applying a file would do. */
async function applied(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "faregate-test-"));
  const path = join(folder, "catalog.yaml");
  await writeFile(path, text);
  const { stdout, stderr } = await gateway.run("apply", path, "--dry-run");
  await rm(folder, { recursive: true });
  return stdout + stderr;
}
