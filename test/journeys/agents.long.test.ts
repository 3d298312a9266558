import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { AGENTS, type AgentRun, type InstalledAgent, installAgent } from "../support/agent-programs.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { report } from "../support/report.ts";
import { type SigningUpstream, signingUpstream } from "../support/signing-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

const CHANGE = { before: "Hello", after: "Welcome" };
const RESPONSE = "The greeting is a welcome now.";
const REVOKED_KEY = "revoked-key-0123456789abcdef";

/** A model behind each protocol, by the kind of its upstream. */
const MODELS = {
  "gemini-by-chat": { kind: "openai-compatible", protocol: "chat-completions" },
  "gpt-5": { kind: "openai", protocol: "responses" },
  "claude-sonnet-4-5": { kind: "anthropic", protocol: "messages" },
  "gemini-3.1-pro-preview": { kind: "gemini", protocol: "generate-content" },
} as const;

/** Each agent with a model of its own vendor's, and with one that is translated. */
const WAYS: readonly { readonly agent: string; readonly model: keyof typeof MODELS }[] = [
  { agent: "Claude Code", model: "claude-sonnet-4-5" },
  { agent: "Claude Code", model: "gemini-3.1-pro-preview" },
  { agent: "Codex", model: "gpt-5" },
  { agent: "Codex", model: "claude-sonnet-4-5" },
  { agent: "Gemini CLI", model: "gemini-3.1-pro-preview" },
  { agent: "Gemini CLI", model: "gemini-by-chat" },
];

describe("a command-line agent as its vendor publishes it", () => {
  const agents = new Map<string, InstalledAgent>();
  let model: SigningUpstream;
  let gateway: TestGateway;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "faregate-agents-"));
    model = await signingUpstream({
      name: (body) => /edit-for-[\w-]+/.exec(JSON.stringify(body))?.[0] ?? "",
      images: [],
      calls(step, offered, name) {
        const [agent = ""] = Object.keys(AGENTS).filter((each) => name.includes(slug(each)));
        const call = AGENTS[agent]?.edit({ file: fileOf(name), ...CHANGE })[step];
        return call !== undefined && offered.includes(call.name) ? [call] : [];
      },
      response: RESPONSE,
    });
    gateway = await startGateway({ catalog: catalog(model.url) });
    const names = Object.keys(AGENTS);
    const installed = await Promise.all(names.map((name) => installAgent(name)));
    for (const [index, agent] of installed.entries()) agents.set(names[index] ?? "", agent);
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await model?.close();
    await Promise.all([...agents.values()].map((agent) => agent.remove()));
    await rm(folder, { recursive: true, force: true });
  });

  /** Each run's folder holds one file: agents tell their model what else lies there. */
  const fileOf = (name: string): string => join(folder, name, `${name}.txt`);

  /** Lets the agent change the greeting in a file. Skips the test, and prints why, where there is no such program. */
  async function edits(
    { agent, model }: { agent: string; model: string },
    name: string,
    key: string,
    { skip }: TestContext,
  ): Promise<AgentRun> {
    const program = agents.get(agent);
    if (program === undefined || program.missing !== "") {
      report(`${agent}: ${program?.missing}`);
      return skip(program?.missing);
    }
    await mkdir(join(folder, name));
    await writeFile(fileOf(name), `${CHANGE.before}, world`);
    const prompt = `Change the greeting in ${name}.txt.`;
    return program.run({ gateway: gateway.url, key, model, prompt }, join(folder, name));
  }

  for (const way of WAYS) {
    it(`edits a file by calls of its tools, and keeps what the model signed: ${way.agent}, ${way.model}`, async (test) => {
      const name = `edit-for-${slug(way.agent)}-${slug(way.model)}`;
      const before = model.kept();
      const ran = await edits(way, name, TEST_KEY, test);
      expect(await readFile(fileOf(name), "utf8"), ran.output).toBe(`${CHANGE.after}, world`);
      expect(ran.output).toContain(RESPONSE);
      expect(ran).toMatchObject({ code: 0, strangers: [] });
      expect(model.faults.filter((fault) => fault.startsWith(name))).toEqual([]);
      // The first call's signature comes back twice, the second's once.
      expect(model.kept() - before).toBeGreaterThanOrEqual(3);
    });
  }

  it("ends at once with a revoked key, which it is told not to try again: Claude Code", async (test) => {
    const file = join(gateway.dataDir, "without.yaml");
    await writeFile(file, catalog(model.url, `{ name: main, key: ${TEST_KEY} }`));
    expect(await gateway.run("apply", file, "--prune")).toMatchObject({ code: 0 });
    const statusNow = async () =>
      (await ask(gateway.url, "/v1/models", undefined, { key: REVOKED_KEY })).status;
    await waitFor("the key to be revoked", async () => (await statusNow()) === 401 || undefined);
    const way = { agent: "Claude Code", model: "claude-sonnet-4-5" };
    const ran = await edits(way, "edit-for-nobody", REVOKED_KEY, test);
    expect(ran.code).not.toBe(0);
    expect(ran.output).toMatch(/401|authenticat/i);
    const { text } = await ask(gateway.url, "/metrics", undefined, { key: null });
    expect(text).toContain('faregate_requests_total{endpoint="messages",model="",status="401"} 1\n');
  });
});

function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[ .]/g, "-");
}

const BOTH_KEYS = `{ name: main, key: ${TEST_KEY} }, { name: revoked, key: ${REVOKED_KEY} }`;

function catalog(url: string, keys = BOTH_KEYS): string {
  const rows = Object.entries(MODELS);
  return `version: 1
models:
${rows.map(([id]) => `  - { id: ${id}, context_tokens: 200000, max_output_tokens: 64000, price: { input: 3, output: 15 } }`).join("\n")}
upstreams:
${rows
  .map(([id, { kind, protocol }]) => {
    const base = kind.startsWith("openai") ? `${url}/v1` : url;
    return `  - { name: ${protocol}, kind: ${kind}, base_url: "${base}", api_key: good-key, protocols: [${protocol}], models: [${id}] }`;
  })
  .join("\n")}
accounts:
  - { name: acme, balance: 1000, keys: [${keys}] }
`;
}
