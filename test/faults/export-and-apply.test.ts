import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { vendorUpstream } from "../support/vendor-upstream.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/faregate.js", import.meta.url));
const MASTER_KEY = "the master key of one test";

/** `faregate apply -` beside the gateway, with nothing of the file's secrets in its environment. */
async function applyText(gateway: TestGateway, text: string, ...options: string[]) {
  const env = {
    PATH: process.env["PATH"],
    FAREGATE_DATA_DIR: gateway.dataDir,
    DATABASE_URL: gateway.database?.url,
    FAREGATE_MASTER_KEY: MASTER_KEY,
  };
  const child = spawn(process.execPath, [PROGRAM, "apply", "-", ...options], { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  child.stdin.end(text);
  const [code] = (await once(child, "close")) as [number];
  // The tests' database runs without fsync, and every command says so.
  return { code, output: output.replace(/^\{.*"fsync is off.*\n/gm, "") };
}

it("an export is applied where it was made, with keys and credentials that only their holders know", async () => {
  const vendor = await vendorUpstream();
  const gateway = await startGateway({
    catalog: modelsFile({ models: ["text"], upstreams: [{ name: "vendor", url: vendor.url }] }),
    env: { FAREGATE_MASTER_KEY: MASTER_KEY },
  });
  try {
    const made = (
      await gateway.run("keys", "create", "--account", "acme", "--name", "by hand")
    ).stdout.trim();
    const ask = async (prompt: string) => {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${made}` },
        body: JSON.stringify({ model: "text", messages: [{ role: "user", content: prompt }] }),
      });
      await response.text();
      return [response.status, vendor.calls.at(-1)?.request.headers["authorization"]];
    };
    expect(await ask("before")).toEqual([200, "Bearer our-key-at-the-vendor"]);
    const { stdout: exported } = await gateway.run("export");
    expect(exported).not.toMatch(/our-key-at-the-vendor|KEY_ACME/);

    const applied = await applyText(gateway, exported, "--prune");
    expect(applied).toEqual({
      code: 0,
      output: "no changes\nnote: UPSTREAM_VENDOR_API_KEY is not set; the stored secret is unchanged\n",
    });
    expect(await ask("after")).toEqual([200, "Bearer our-key-at-the-vendor"]);

    const broken = await applyText(gateway, exported.replace("{UPSTREAM_VENDOR_API_KEY}", "{NOBODYS}"));
    expect(broken.code).toBe(1);
    expect(broken.output).toMatch(
      /^faregate: standard input:\d+:\d+: upstreams\[0\]\.api_key: the environment variable NOBODYS is not set/,
    );
    const empty = await applyText(gateway, "");
    expect(empty).toEqual({
      code: 1,
      output: "faregate: standard input: the file is empty; begin with `version: 1`\n",
    });
  } finally {
    await gateway.end();
    await gateway.clean();
    await vendor.close();
  }
});
