import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SUPERVISED = fileURLToPath(new URL("../support/supervised.mjs", import.meta.url));

describe("the stop of several processes", () => {
  it("ends though their channels close after they have exited", async () => {
    expect(await supervised("held")).toEqual({ code: 0, output: "all stopped with 0" });
  });

  it("ends one that hears no signal, says so and exits with 1", async () => {
    const { code, output } = await supervised("deaf");
    expect(code).toBe(1);
    expect(output).toMatch(
      /^gateway process did not stop in time; killing it .*the next start.*\{"killed":\d+\}$/m,
    );
    expect(output).toMatch(/^all stopped with 1$/m);
    // One of two: the other has stopped in order.
    expect(output.split("\n")).toHaveLength(2);
  });
});

/** What the supervisor of two such processes said and ended with. */
async function supervised(kind: "held" | "deaf"): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [SUPERVISED, kind], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output: output.trim() };
}
