import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SUPERVISED = fileURLToPath(new URL("../support/supervised.mjs", import.meta.url));

it("the stop of several processes ends though their channels close after they have exited", async () => {
  const child = spawn(process.execPath, [SUPERVISED], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  const [code] = await once(child, "close");
  expect([output.trim(), code]).toEqual(["all stopped with 0", 0]);
});
