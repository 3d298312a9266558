import { vi } from "vitest";
import { runCommandLine } from "../../src/cli/command-line.ts";
import { readConfig } from "../../src/config.ts";
import type { CommandResult } from "./gateway.ts";

/**
 * Runs `faregate ...` in this process, which costs a hundredth of a new one: for commands that end before they open
 * anything. Each command is also run as its users run it, by `runFaregate`.
 */
export async function runShort(
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<CommandResult> {
  const printed = { log: "", error: "" };
  const spies = (["log", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((line) => {
      printed[name] += `${line}\n`;
    }),
  );
  try {
    const code = await runCommandLine(args, () => readConfig(env));
    return { code, stdout: printed.log, stderr: printed.error };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
