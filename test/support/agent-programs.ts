import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../src/protocols/json.ts";

/** The folder and settings of an agent's work. */
export interface AgentTask {
  readonly gateway: string;
  readonly key: string;
  readonly model: string;
  readonly prompt: string;
}

/** A command-line agent as its vendor publishes it. */
export interface AgentProgram {
  /** On npm, of the version that is pinned here. */
  readonly packageName: string;
  readonly version: string;
  /** The file that Node runs, below the package's folder. */
  readonly entry: string;
  /** The files that it reads from its home folder. */
  settings(task: AgentTask): Readonly<Record<string, string>>;
  environment(task: AgentTask, home: string): Readonly<Record<string, string>>;
  command(task: AgentTask): readonly string[];
  /** The calls that turn `before` in `file` into `after`, one a turn. */
  edit(change: FileChange): readonly ToolCall[];
}

export interface FileChange {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

interface ToolCall {
  readonly name: string;
  readonly args: JsonObject;
}

export const AGENTS: Readonly<Record<string, AgentProgram>> = {
  "Claude Code": {
    packageName: "@anthropic-ai/claude-code",
    version: "2.1.332",
    entry: "cli-wrapper.cjs",
    settings: () => ({}),
    environment: ({ gateway, key, model }, home) => ({
      ANTHROPIC_BASE_URL: gateway,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
    }),
    command: ({ model, prompt }) => [
      ...["-p", prompt, "--model", model, "--output-format", "json", "--permission-mode", "acceptEdits"],
    ],
    edit: ({ file, before, after }) => [
      { name: "Read", args: { file_path: file } },
      { name: "Edit", args: { file_path: file, old_string: before, new_string: after } },
    ],
  },
  Codex: {
    packageName: "@openai/codex",
    version: "0.171.0",
    entry: "bin/codex.js",
    settings: ({ gateway, model }) => ({
      ".codex/config.toml": `model = "${model}"
model_provider = "faregate"
web_search = "disabled"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false
apps = false

[model_providers.faregate]
name = "Faregate"
base_url = "${gateway}/v1"
env_key = "FAREGATE_API_KEY"
wire_api = "responses"
`,
    }),
    environment: ({ key }, home) => ({ FAREGATE_API_KEY: key, CODEX_HOME: join(home, ".codex") }),
    // Its own sandbox needs rights that a container does not give; what it runs stands here.
    command: ({ prompt }) => [
      ...["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
    ],
    edit: ({ file, before, after }) => [
      { name: "exec_command", args: { cmd: `cat ${file}` } },
      { name: "exec_command", args: { cmd: `printf %s "$(sed 's/${before}/${after}/' ${file})" > ${file}` } },
    ],
  },
  "Gemini CLI": {
    packageName: "@google/gemini-cli",
    version: "0.61.0",
    entry: "bundle/gemini.js",
    settings: () => ({
      ".gemini/settings.json": JSON.stringify({
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "gemini-api-key" } },
      }),
    }),
    environment: ({ gateway, key }, home) => ({
      GOOGLE_GEMINI_BASE_URL: gateway,
      GEMINI_API_KEY: key,
      GEMINI_CLI_HOME: home,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_TELEMETRY_ENABLED: "false",
    }),
    command: ({ model, prompt }) => [
      ...["-m", model, "-p", prompt, "--approval-mode", "auto_edit", "--output-format", "json"],
    ],
    edit: ({ file, before, after }) => [
      { name: "read_file", args: { file_path: file } },
      {
        name: "replace",
        args: { file_path: file, instruction: "Greet.", old_string: before, new_string: after },
      },
    ],
  },
};

/** The output of a program that has ended, and the hosts beside the gateway that it tried to reach. */
export interface AgentRun {
  readonly code: number | null;
  readonly output: string;
  readonly strangers: readonly string[];
  readonly tookMs: number;
}

/** An agent that is installed in a folder of its own. */
export interface InstalledAgent {
  /** Why it cannot be run here; "" = it can. */
  readonly missing: string;
  /** Runs it in a new folder that holds `files`, with a new home folder; it reaches nobody but the gateway. */
  run(task: AgentTask, folder: string): Promise<AgentRun>;
  remove(): Promise<void>;
}

/** Longer than any download or run takes that comes to an end. */
const LIMIT_MS = 150_000;

/** Installs the pinned version from npm, without running scripts of the package's. */
export async function installAgent(name: string): Promise<InstalledAgent> {
  const agent = AGENTS[name];
  if (agent === undefined) throw new Error(`no agent ${name}`);
  const root = await mkdtemp(join(tmpdir(), "faregate-agent-"));
  const wanted = `${agent.packageName}@${agent.version}`;
  const entry = join(root, "node_modules", agent.packageName, agent.entry);
  const quiet = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--fetch-retries",
    "0",
    "--fetch-timeout",
    "60000",
  ];
  // The package's Node version does not matter if its program brings its own.
  const npm = ["install", "--prefix", root, "--engine-strict=false", ...quiet, wanted];
  const installed = await run("npm", npm, root, process.env);
  const said =
    installed.code === 0
      ? await run(process.execPath, [entry, "--version"], root, await sealed(root))
      : undefined;
  const missing =
    said === undefined
      ? `${wanted} cannot be had from the npm registry: ${reasonIn(installed.output)}`
      : said.code === 0 && said.output.includes(agent.version)
        ? ""
        : `${wanted} does not run here: ${reasonIn(said.output)}`;
  return {
    missing,
    async run(task, folder) {
      const home = await mkdtemp(join(root, "home-"));
      for (const [file, text] of Object.entries(agent.settings(task))) {
        await mkdir(join(home, file, ".."), { recursive: true });
        await writeFile(join(home, file), text);
      }
      const wall = await startWall();
      try {
        const env = { ...(await sealed(home)), ...wall.environment, ...agent.environment(task, home) };
        const command = [entry, ...agent.command(task)];
        const startedMs = performance.now();
        const ended = await run(process.execPath, command, folder, env);
        return { ...ended, strangers: wall.strangers, tookMs: performance.now() - startedMs };
      } finally {
        wall.close();
      }
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** An environment that knows nothing of this machine but where its programs are. */
async function sealed(home: string): Promise<Record<string, string>> {
  const temporary = join(home, "tmp");
  await mkdir(temporary, { recursive: true });
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    USERPROFILE: home,
    TMPDIR: temporary,
    LANG: "C.UTF-8",
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_CACHE_HOME: join(home, "cache"),
    XDG_DATA_HOME: join(home, "data"),
    XDG_STATE_HOME: join(home, "state"),
    DO_NOT_TRACK: "1",
    NO_COLOR: "1",
    CI: "1",
  };
}

/** A proxy for all but this machine, which lets nothing pass. */
async function startWall(): Promise<{
  readonly environment: Record<string, string>;
  readonly strangers: string[];
  close(): void;
}> {
  const strangers: string[] = [];
  const server = createServer((request, response) => {
    strangers.push(request.url ?? "");
    response.writeHead(403).end();
  });
  server.on("connect", (request, socket) => {
    strangers.push(request.url ?? "");
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  const here = "127.0.0.1,localhost";
  return {
    environment: {
      ...Object.fromEntries(names.map((name) => [name, proxy])),
      NO_PROXY: here,
      no_proxy: here,
    },
    strangers,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    // A group of its own, so that what it started ends with it.
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    const hear = (chunk: Buffer): void => {
      output += chunk;
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    const limit = setTimeout(() => {
      output += `\nended after ${LIMIT_MS} ms`;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, LIMIT_MS);
    child.on("error", (error) => {
      output += error.message;
      clearTimeout(limit);
      resolve({ code: null, output });
    });
    child.on("close", (code) => {
      clearTimeout(limit);
      resolve({ code, output });
    });
  });
}

/** The line of a failed command's output that says most. */
function reasonIn(output: string): string {
  const lines = output.trim().split("\n");
  return lines.find((line) => /^npm error (?!code |errno |A complete)/.test(line)) ?? lines.at(-1) ?? "";
}
