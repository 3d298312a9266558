import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../support/embedded.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { call, contentChunks, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import { waitFor } from "../support/wait.ts";

/** Each stands nowhere but where it was given; parts are looked for too, since a log might cut a value. */
const CALLER_KEY = "canary-caller-QmVyZ2FtbwHn3x8Kp2Lv9";
const UNKNOWN_KEY = "canary-unknown-T3JhbmdlVr7w4Jd6Ts1";
const UPSTREAM_KEY = "canary-upstream-R3JhbmFkYXq5m2Zc8Yb4";
const REFUSED_UPSTREAM_KEY = "bad-canary-upstream-UGFkdWFk9f3Gh7Wn2";
const MASTER_KEY = "canary master TGl2b3Jub2 Xk6r9 Qe1u5";
const PROMPT = "canary prompt: the violet otter hides a brass key under Foxglove Street 88";
const RESPONSE = "canary answer: nineteen paper lanterns over Quillback Harbour";

const SECRETS = [CALLER_KEY, UNKNOWN_KEY, UPSTREAM_KEY, REFUSED_UPSTREAM_KEY, MASTER_KEY];
const WORDS = ["violet otter", "Foxglove Street", "paper lanterns", "Quillback Harbour"];

describe("K1, no secret leaks", () => {
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  const bodies: string[] = [];
  beforeAll(async () => {
    sandbox = await startSandbox();
    gateway = await startGateway({
      catalog: catalog(sandbox.url),
      env: {
        FAREGATE_MASTER_KEY: MASTER_KEY,
        CALLER_KEY,
        UPSTREAM_KEY,
        REFUSED_UPSTREAM_KEY,
        LOG_LEVEL: "trace",
      },
    });
    for (const protocol of TEXT_PROTOCOLS) {
      for (const streamed of [false, true]) {
        const ask = async (directive: string, key = CALLER_KEY, model = "text"): Promise<void> => {
          const heard = await call(
            gateway.url,
            { protocol, streamed, model, prompt: `${PROMPT} [[sandbox: text="${RESPONSE}" ${directive}]]` },
            { key },
          );
          // What the upstream said is the caller's; every error body is the gateway's.
          if (heard.status !== 200) bodies.push(heard.text);
        };
        await ask("");
        await ask("error=500");
        await ask("error=429");
        await ask("error=400");
        await ask("html=1");
        await ask("cut=1");
        await ask("usage=omit");
        await ask("", UNKNOWN_KEY);
        await ask("", CALLER_KEY, "refused");
        await ask("", CALLER_KEY, "unreachable");
        await ask("", CALLER_KEY, "no-such-model");
        await ask("");
      }
      await call(
        gateway.url,
        { protocol, streamed: true, prompt: `${PROMPT} [[sandbox: chunks=9 stall=3]]` },
        { key: CALLER_KEY, resetWhen: (text) => contentChunks(protocol, text) >= 3 },
      );
    }
    for (const path of [
      `/v1/models?key=${CALLER_KEY}`,
      `/v1beta/models?key=${CALLER_KEY}`,
      `/no/such?key=${CALLER_KEY}`,
    ]) {
      await fetch(gateway.url + path).then((response) => response.text());
    }
    for (const body of [
      `{"model":"text","messages":[{"role":"user","content":"${PROMPT}`,
      PROMPT,
      `{"${PROMPT}":1}`,
    ]) {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${CALLER_KEY}` },
        body,
      });
      bodies.push(await response.text());
    }
    for (const input of [PROMPT, `${PROMPT} [[sandbox: error=500]]`]) {
      const response = await fetch(`${gateway.url}/v1/embeddings`, {
        method: "POST",
        headers: { "x-api-key": CALLER_KEY },
        body: JSON.stringify({ model: "embed", input }),
      });
      bodies.push(await response.text());
    }
  });
  afterAll(async () => {
    await gateway.clean();
    await sandbox.stop();
  });

  it("would find a canary", () => {
    expect(found(`key=${CALLER_KEY.slice(-14)}, ${PROMPT}`)).toHaveLength(3);
  });

  it("was asked in earnest: answers, and errors of the gateway and of upstreams", async () => {
    expect(bodies.length).toBeGreaterThan(40);
    const told = new Set((await sandbox.journal()).map(({ outcome }) => outcome));
    expect([...told]).toEqual(expect.arrayContaining(["completed", "refused:401", "faulted:error-500"]));
  });

  it("keeps keys and prompts out of error bodies", () => {
    expect(found(bodies.join("\n"))).toEqual([]);
  });

  it("keeps them out of the metrics and the public pages", async () => {
    for (const path of ["/metrics", "/openapi.json", "/readyz", "/docs"]) {
      const response = await fetch(gateway.url + path);
      expect(response.status, path).toBe(200);
      expect(found(await response.text()), path).toEqual([]);
    }
  });

  it("keeps them out of the journal and everything else on the data folder while it runs", async () => {
    await waitFor(
      "lines in the journal",
      async () => (await filesUnder(join(gateway.dataDir, "journal"))).length > 0,
    );
    for (const file of await filesUnder(gateway.dataDir)) {
      if (file.endsWith("catalog.yaml")) continue; // the test's own, and even that has references only
      expect(found(await readFile(file, "latin1")), file).toEqual([]);
    }
  });

  it("keeps them out of every table of the database", async () => {
    const url = gateway.database?.url ?? "";
    const tables = await runSql(
      url,
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const rows = await runSql(url, `select t::text as row from ${name} as t`);
      const text = rows.map(({ row }) => String(row)).join("\n");
      expect(found(text), String(name)).toEqual([]);
      // Bytes are printed in hex.
      const bytes = [...text.matchAll(/\\x([0-9a-f]+)/g)].map(([, hex]) =>
        Buffer.from(hex ?? "", "hex").toString("latin1"),
      );
      expect(found(bytes.join("\n")), String(name)).toEqual([]);
    }
    expect(await runSql(url, "select count(*)::int as n from usage")).toEqual([{ n: expect.any(Number) }]);
  });

  it("keeps them out of its logs, at the most talkative level and through a stop", async () => {
    expect(await gateway.end()).toBe(0);
    const { stdout, stderr } = await gateway.run("export");
    expect(stdout).toContain("api_key");
    for (const text of [gateway.output(), stdout, stderr]) expect(found(text)).toEqual([]);
  });
});

/** The canaries in a text, whole or by a third of their letters. */
function found(text: string): string[] {
  const parts = SECRETS.flatMap((secret) => [secret, secret.slice(-12)]);
  return [...parts, ...WORDS].filter((word) => text.includes(word));
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function catalog(url: string): string {
  const limits = "context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 }";
  return `version: 1
groups: [{ name: default, factor: 1 }]
models:
  - { id: text, ${limits} }
  - { id: embed, endpoints: [embeddings], context_tokens: 100000, price: { input: 0.02 } }
  - { id: refused, ${limits} }
  - { id: unreachable, ${limits} }
upstreams:
  - { name: main, kind: sandbox, base_url: "${url}", api_key: "\${UPSTREAM_KEY}", models: [text, embed] }
  - { name: refusing, kind: sandbox, base_url: "${url}", api_key: "\${REFUSED_UPSTREAM_KEY}", models: [refused] }
  - { name: nowhere, kind: sandbox, base_url: "http://127.0.0.1:1", api_key: "\${UPSTREAM_KEY}", models: [unreachable] }
accounts:
  - name: acme
    group: default
    balance: 1000
    keys: [{ name: canary, key: "\${CALLER_KEY}" }]
`;
}
