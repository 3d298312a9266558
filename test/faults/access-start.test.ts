import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import module from "node:module";
import { createServer, type Server } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { complaints } from "../support/complaints.ts";
import { removeDataDir, serverPid } from "../support/embedded.ts";
import { runFaregate, startGateway, type TestGateway } from "../support/gateway.ts";
import { isRunning } from "../support/proc.ts";
import { runShort } from "../support/short-command.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

const COMMANDS = [
  ...[
    "start",
    "apply",
    "export",
    "migrate",
    "ledger verify",
    "keys create",
    "sandbox",
    "rotate-master-key",
    "doctor",
  ],
];

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "faregate-start-"));
});
afterEach(() => removeDataDir(dataDir));

const run = (env: Record<string, string>, ...args: string[]) =>
  runFaregate({ FAREGATE_DATA_DIR: dataDir, PORT: "0", ...env }, ...args);
const short = (env: Record<string, string>, ...args: string[]) =>
  runShort({ FAREGATE_DATA_DIR: dataDir, PORT: "0", ...env }, ...args);

describe("the command line", () => {
  it.each(COMMANDS)("%s --help shows its usage and an example, whatever the environment", async (command) => {
    const result = await (command === "start" ? run : short)(
      { PORT: "nonsense" },
      ...command.split(" "),
      "--help",
    );
    expect([result.code, result.stderr]).toEqual([0, ""]);
    expect(result.stdout).toMatch(new RegExp(`Usage: (faregate|node \\S+) ${command}`));
    expect(result.stdout).toMatch(/Examples?:\n {2}\S/);
  });

  it("helps with a command however it is asked, and with the first word of several", async () => {
    const usage = /Usage: (faregate|node \S+) start/;
    for (const [args, shown] of [
      [["help", "start"], usage],
      [["start", "-h"], usage],
      [["help", "ledger", "verify"], /Usage: (faregate|node \S+) ledger verify/],
      [["keys", "--help"], /Usage: (faregate|node \S+) keys create/],
      [["help", "keys"], /Usage: (faregate|node \S+) keys create/],
      [["help"], /COMMAND --help shows .*--version/],
    ] as const) {
      const result = await short({}, ...args);
      expect([args, result.code, result.stderr]).toEqual([args, 0, ""]);
      expect(result.stdout).toMatch(shown);
    }
    expect(complaints(await short({}, "help", "strat"))).toEqual([
      expect.stringContaining('unknown command "help strat"'),
    ]);
  });

  it("shows command lines as they can be typed where it was started", async () => {
    const { stdout } = await run({}, "apply", "--help");
    expect(stdout).toMatch(/Usage: node \S*bin\/faregate\.js apply FILE/);
    expect(stdout).toMatch(/node \S*bin\/faregate\.js export \| node \S*bin\/faregate\.js apply -/);
  });

  it("tells books that have a fault from books that it could not look at", async () => {
    const nowhere = await run({}, "ledger", "verify");
    expect([nowhere.code, nowhere.stdout]).toEqual([3, ""]);
    expect(nowhere.stderr).toMatch(/^faregate: there is no database in /);
    const misused = await short({}, "ledger", "verify", "--jason");
    expect(misused.code).toBe(2);
  });

  it.each(COMMANDS)("%s refuses an unknown option with exit code 2 and one sentence", async (command) => {
    const result = await short({}, ...command.split(" "), "--no-such-option");
    expect([result.code, result.stdout]).toEqual([2, ""]);
    expect(complaints(result)).toEqual([expect.stringContaining("--no-such-option")]);
    expect(await readdir(dataDir)).toEqual([]);
  });

  it("refuses an unknown command, a missing or surplus argument and a value out of range", async () => {
    for (const [args, code, sentence] of [
      [["strat"], 2, /unknown command "strat"/],
      [["apply"], 2, /missing argument FILE/],
      [["apply", "a", "b"], 2, /unexpected argument "b"/],
      [["start", "--processes", "0"], 2, /--processes must be a whole number from 1 to 64, not "0"/],
      [["start", "--processes", "many"], 2, /--processes/],
      [["start", "--role", "cook"], 2, /--role takes all, gateway, worker.*"cook"/],
      [["apply", "does-not-exist.yaml"], 1, /does-not-exist\.yaml/],
    ] as const) {
      const result = await (args[0] === "apply" && code === 1 ? run : short)({}, ...args);
      expect([args, result.code, complaints(result)]).toEqual([
        args,
        code,
        [expect.stringMatching(sentence)],
      ]);
    }
  });
});

describe("the entry point", () => {
  const file = (path: string) => join(dataDir, path);
  const begin = async () =>
    promisify(execFile)(process.execPath, [file("bin/faregate.js")]).then(
      ({ stdout }) => stdout.trim(),
      ({ stderr }) => String(stderr).trim(),
    );

  it("runs the bundle, or the modules where only those were built since, or says what to do", async () => {
    for (const folder of ["bin", "dist/bundle"]) await mkdir(file(folder), { recursive: true });
    await cp(new URL("../../bin/faregate.js", import.meta.url), file("bin/faregate.js"));
    await writeFile(file("package.json"), '{ "type": "module" }');
    expect(await begin()).toContain("run `npm run build` first");
    const built: [path: string, text: string, at: number][] = [
      ["dist/main.js", "console.log('modules')", 10],
      ["dist/.tsbuildinfo", "", 11],
      ["dist/bundle/main.js", "console.log('bundle')", 12],
    ];
    for (const [path, text, at] of built) {
      await writeFile(file(path), text);
      await utimes(file(path), at, at);
    }
    expect(await begin()).toBe("bundle");
    await utimes(file("dist/.tsbuildinfo"), 13, 13);
    expect(await begin()).toBe("modules");
    // As in the package, which has no modules.
    for (const path of ["dist/main.js", "dist/.tsbuildinfo"]) await rm(file(path));
    expect(await begin()).toBe("bundle");
    expect(existsSync(file("dist/compile-cache"))).toBe("enableCompileCache" in module);
  });
});

describe("variables under our prefix that are no settings", () => {
  it("lets be the secrets of further identity providers, which the catalog file names", async () => {
    const result = await run({ FAREGATE_WORK_OIDC_CLIENT_SECRET: "a secret" }, "migrate");
    expect([result.code, complaints(result)]).toEqual([0, []]);
  });

  it("lets be the callers' key of the snippets, and what Kubernetes tells of Services named after us", async () => {
    const result = await run(
      {
        FAREGATE_API_KEY: "sk-as-the-readme-says",
        FAREGATE_SERVICE_HOST: "10.0.171.239",
        FAREGATE_SERVICE_PORT: "8080",
        FAREGATE_SERVICE_PORT_HTTP: "8080",
        FAREGATE_PORT: "tcp://10.0.171.239:8080",
        FAREGATE_PORT_8080_TCP: "tcp://10.0.171.239:8080",
        FAREGATE_PORT_8080_TCP_ADDR: "10.0.171.239",
        FAREGATE_WORKERS_SERVICE_HOST: "10.0.171.240",
        FAREGATE_WORKERS_PORT_9090_TCP_PROTO: "tcp",
      },
      "migrate",
    );
    expect([result.code, complaints(result)]).toEqual([0, []]);
  });
});

describe("a start that cannot succeed", () => {
  it.each([
    { name: "an unknown variable", env: { FAREGATE_PROT: "1" }, sentence: /FAREGATE_PROT is not a setting/ },
    { name: "a misplaced port", env: { FAREGATE_PORT: "9000" }, sentence: /FAREGATE_PORT is not a setting/ },
    { name: "a port that is no number", env: { PORT: "eighty" }, sentence: /PORT.*"eighty"/ },
    { name: "a port out of range", env: { PORT: "65536" }, sentence: /PORT.*"65536"/ },
    { name: "an unknown level", env: { LOG_LEVEL: "loud" }, sentence: /LOG_LEVEL.*"loud"/ },
    { name: "a short master key", env: { FAREGATE_MASTER_KEY: "short" }, sentence: /FAREGATE_MASTER_KEY/ },
    {
      name: "a short first key",
      env: { FAREGATE_BOOTSTRAP_KEY: "short" },
      sentence: /FAREGATE_BOOTSTRAP_KEY/,
    },
    { name: "a database of another kind", env: { DATABASE_URL: "mysql://a/b" }, sentence: /DATABASE_URL/ },
    {
      name: "a server without a master key",
      env: { DATABASE_URL: "postgres://a/b" },
      sentence: /FAREGATE_MASTER_KEY/,
    },
    {
      name: "an unknown vocabulary",
      env: { FAREGATE_VOCABULARY: "both" },
      sentence: /FAREGATE_VOCABULARY.*"both"/,
    },
    ...[
      "https://",
      "https://ai example.com",
      "https://ai.example.com:https",
      "https://ai.example.com/?a=b",
      "https://ai.example.com/gateway",
      "https://me:secret@ai.example.com",
    ].map((url) => ({
      name: `a public address like ${url}`,
      env: { FAREGATE_PUBLIC_URL: url },
      sentence: /FAREGATE_PUBLIC_URL must be a URL/,
    })),
    {
      name: "a time that is no number",
      env: { FAREGATE_DATABASE_TIMEOUT_MS: "1s" },
      sentence: /FAREGATE_DATABASE_TIMEOUT_MS must be a whole number from 100 to 30000, not "1s"/,
    },
    { name: "a store that is no address", env: { REDIS_URL: "redis://[" }, sentence: /REDIS_URL must be/ },
  ])(
    "says in one sentence that $name is the matter, and leaves nothing behind",
    async ({ env, sentence }) => {
      const result = await short(env, "start");
      expect([result.code, complaints(result)]).toEqual([1, [expect.stringMatching(sentence)]]);
      expect(await readdir(dataDir)).toEqual([]);
    },
  );

  it.each(["start", "ledger verify", "rotate-master-key", "doctor"])(
    "says in one sentence why %s cannot use the data folder, and what to do",
    async (command) => {
      await writeFile(join(dataDir, "file"), "");
      for (const [folder, begin] of [
        [join(dataDir, "file"), run],
        [join(dataDir, "file", "x", "y"), short],
        // Whoever makes no folder looks for none that could be made.
        ...(command === "start" ? [["/proc/faregate", short] as const] : []),
      ] as const) {
        const result = await begin({ FAREGATE_DATA_DIR: folder }, ...command.split(" "));
        const said = command === "doctor" ? result.stdout.split("FAIL").slice(1) : complaints(result);
        expect([result.code, said.length]).toEqual([
          command === "ledger verify" ? 3 : 1,
          command === "doctor" ? 2 : 1,
        ]);
        expect(said[0]).toMatch(/The data folder \S+ can't be used: [^.]+\. Set FAREGATE_DATA_DIR to/);
        expect(said[0]).toContain(folder);
      }
    },
  );

  it("says in one sentence what is wrong with the address to listen on", async () => {
    for (const [host, sentence] of [
      ["192.0.2.1", /192\.0\.2\.1 isn't an address of this machine\. Set HOST/],
      ["no-such-host.invalid", /no-such-host\.invalid doesn't resolve to an address\. Set HOST/],
    ] as const) {
      const result = await run({ HOST: host }, "start");
      expect([result.code, complaints(result)]).toEqual([1, [expect.stringMatching(sentence)]]);
    }
  });

  it("says which server cannot be reached, without its password", async () => {
    const url = "postgres://me:very-secret-password@127.0.0.1:1/nothing";
    const result = await run(
      {
        DATABASE_URL: url,
        FAREGATE_MASTER_KEY: "a master key for tests only",
        FAREGATE_DATABASE_WAIT_SECONDS: "0",
      },
      "start",
    );
    expect(result.code).toBe(1);
    expect(complaints(result)).toEqual([
      expect.stringContaining(
        "The database is unreachable: nothing listens at 127.0.0.1:1. Check DATABASE_URL",
      ),
    ]);
    expect(result.stdout + result.stderr).not.toContain("very-secret-password");
  });

  it("names the port that is taken and leaves no database and no sandbox running", async () => {
    const holder: Server = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const address = holder.address();
    const port = String(typeof address === "object" ? address?.port : "");
    try {
      const result = await run({ PORT: port }, "start");
      expect([result.code, complaints(result)]).toEqual([1, [expect.stringContaining(port)]]);
      expect(complaints(result)[0]).toMatch(/in use|taken|occupied/);
      expect(result.stdout).not.toContain('"level":"warn"');
      expect(await readdir(dataDir)).toEqual([]);
      const several = await run({ PORT: port }, "start", "--processes", "2");
      expect([several.code, several.stderr]).toEqual([1, expect.stringContaining(port)]);
      expect(several.stdout).not.toContain("starting a replacement");
      expect(await serverPid(dataDir)).toBeUndefined();
    } finally {
      holder.close();
    }
  });

  it("shows every error of the catalog file with file, line and column, and keeps its secrets", async () => {
    const file = join(dataDir, "bad.yaml");
    await writeFile(
      file,
      `version: 1
models:
  - { id: text, context_tokens: many, max_output_tokens: 100, price: { input: 3, output: 15 } }
  - { id: text2, colour: red }
upstreams:
  - { name: a, kind: opneai, base_url: "http://127.0.0.1:1", api_key: sk-very-secret, models: [text3] }
accounts:
  - { name: acme, balance: -1, keys: [{ name: k, key: "\${NO_SUCH_VARIABLE}" }] }
`,
    );
    const result = await run({ FAREGATE_CONFIG: file }, "start");
    expect(result.code).toBe(1);
    for (const line of [3, 4, 6, 8]) expect(result.stderr).toMatch(new RegExp(`bad\\.yaml:${line}:\\d+: `));
    expect(result.stderr).toContain("NO_SUCH_VARIABLE");
    expect(result.stdout + result.stderr).not.toContain("sk-very-secret");
    expect(await serverPid(dataDir)).toBeUndefined();
  });
});

describe("the embedded start", { timeout: 180_000 }, () => {
  let gateway: TestGateway | undefined;
  afterEach(async () => {
    await gateway?.clean();
    gateway = undefined;
  });

  it("needs nothing: prints addresses, a key and a curl line that work, and keeps them over a restart", async () => {
    gateway = await startGateway({ embedded: true, dataDir });
    const said = gateway.output();
    const [key = ""] = /sk-[0-9A-Za-z]{48}/.exec(said) ?? [];
    expect(said).toMatch(/Base URL +http:\/\/127\.0\.0\.1:\d+/);
    expect(said).toMatch(/Dashboard +http:\/\/127\.0\.0\.1:\d+\//);
    expect(said).toContain(`Authorization: Bearer ${key}`);
    const [, body = ""] = /-d '([^']+)'/.exec(said) ?? [];
    const reply = await ask(gateway.url, "/v1/chat/completions", body, { key });
    expect([reply.status, reply.json.choices[0].finish_reason]).toEqual([200, "stop"]);
    expect((await stat(join(dataDir, "master.key"))).mode & 0o777).toBe(0o600);

    // While it runs, commands attach to its database and a second gateway is refused.
    const verify = await gateway.run("ledger", "verify", "--json");
    expect([verify.code, JSON.parse(verify.stdout).ok]).toEqual([0, true]);
    const rival = await run({}, "start");
    expect([rival.code, complaints(rival)]).toEqual([1, [expect.stringContaining(dataDir)]]);

    const server = await serverPid(dataDir);
    expect(await gateway.end()).toBe(0);
    expect(server !== undefined && (await isRunning(server))).toBe(false);

    gateway = await startGateway({ embedded: true, dataDir });
    expect(gateway.output()).not.toContain(key);
    expect((await ask(gateway.url, "/v1/models", undefined, { key })).status).toBe(200);
    expect(await gateway.end()).toBe(0);
    const again = await run({}, "ledger", "verify", "--json");
    expect([again.code, JSON.parse(again.stdout).ok]).toEqual([0, true]);
    expect(await serverPid(dataDir)).toBeUndefined();
  });

  it("takes the first key from the environment and never prints it", async () => {
    const key = "my-own-first-key-0123456789";
    gateway = await startGateway({ embedded: true, dataDir, env: { FAREGATE_BOOTSTRAP_KEY: key } });
    expect((await ask(gateway.url, "/v1/models", undefined, { key })).status).toBe(200);
    expect(await gateway.end()).toBe(0);
    expect(gateway.output()).not.toContain(key);
  });

  it("warns of links that nobody can open where it listens everywhere and knows no address of its callers", async () => {
    const everywhere = { HOST: "0.0.0.0" };
    gateway = await startGateway({ embedded: true, dataDir, env: everywhere });
    const warning = gateway.output().match(/.*"level":"warn".*FAREGATE_PUBLIC_URL.*/g);
    expect(warning).toEqual([expect.stringContaining("http://0.0.0.0:")]);
    expect(await gateway.end()).toBe(0);
    const known = { ...everywhere, FAREGATE_PUBLIC_URL: "https://gateway.example" };
    gateway = await startGateway({ embedded: true, dataDir, env: known });
    expect(gateway.output()).not.toContain('"level":"warn"');
    expect(await gateway.end()).toBe(0);
  });

  const loopback6 = Object.values(networkInterfaces())
    .flat()
    .some((each) => each?.address === "::1");
  it.runIf(loopback6)("prints an address of IPv6 as callers write it, of several processes too", async () => {
    gateway = await startGateway({
      embedded: true,
      dataDir,
      args: ["--processes", "2"],
      env: { HOST: "::1" },
    });
    expect(gateway.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect(await gateway.end()).toBe(0);
  });

  it("ends its sandbox and its database's next user finds all well after a kill", async () => {
    gateway = await startGateway({ embedded: true, dataDir });
    const sandboxUrl = /Sandbox +(\S+)/.exec(gateway.output())?.[1] ?? "";
    expect((await fetch(`${sandboxUrl}/v1/models`)).ok).toBe(true);
    await gateway.end("SIGKILL");
    await waitFor("the sandbox to end", () =>
      fetch(`${sandboxUrl}/v1/models`).then(
        () => false,
        () => true,
      ),
    );
    gateway = await startGateway({ embedded: true, dataDir });
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    expect(await gateway.end()).toBe(0);
  });
});
