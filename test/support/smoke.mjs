// A smoke run in plain JavaScript, for an installation without development packages: starts a gateway in
// a data folder of its own on the embedded database, asks once on each protocol, and stops it in order.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const KEY = "smoke-key-0123456789abcdef";
const dataDir = await mkdtemp(join(tmpdir(), "faregate-smoke-"));
const child = spawn(process.execPath, ["bin/faregate.js", "start"], {
  env: { ...process.env, PORT: "0", FAREGATE_DATA_DIR: dataDir, FAREGATE_BOOTSTRAP_KEY: KEY },
  stdio: ["ignore", "pipe", "inherit"],
});
const exit = once(child, "exit");
try {
  const url = await new Promise((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
      const found = /Base URL +(\S+)/.exec(output)?.[1];
      if (found) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`ended with ${code}:\n${output}`)));
  });
  const message = { role: "user", content: "Hello" };
  await ask(url, "/v1/chat/completions", { model: "text-large", messages: [message] });
  await ask(url, "/v1/responses", { model: "text-large", input: "Hello" });
  await ask(url, "/v1/messages", { model: "text-large", max_tokens: 50, messages: [message] });
  await ask(url, "/v1beta/models/text-large:generateContent", { contents: [{ parts: [{ text: "Hello" }] }] });
  child.kill("SIGTERM");
  const [code] = await exit;
  if (code !== 0) throw new Error(`stopped with exit code ${code}`);
  console.log("smoke: four protocols answered, stopped in order");
} finally {
  if (child.exitCode === null) child.kill("SIGKILL");
  await rm(dataDir, { recursive: true, force: true });
}

async function ask(url, path, body) {
  const answer = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}` },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
}
