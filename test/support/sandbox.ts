import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ENTRY = fileURLToPath(new URL("../../sandbox/dist/main.js", import.meta.url));

/** One line of the sandbox's journal; its README lists all fields. */
export interface JournalLine {
  readonly n: number;
  readonly protocol: string;
  readonly outcome: string;
  readonly status: number;
  readonly usage: Readonly<Record<string, number>>;
  readonly produced: { readonly tokens: number; readonly chunks: number };
  readonly [field: string]: unknown;
}

export interface TestSandbox {
  readonly url: string;
  journal(after?: number): Promise<JournalLine[]>;
  /** Applies a directive to requests that match, beside those in prompts. */
  script(script: object): Promise<void>;
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a sandbox upstream in its own process on a free port. */
export async function startSandbox(...args: string[]): Promise<TestSandbox> {
  const child = spawn(process.execPath, [ENTRY, "--port", "0", "--exit-with-parent", ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { sandbox: url } = JSON.parse(line.toString()) as { sandbox: string };
  const control = async (method: string, path: string, body?: object): Promise<string> => {
    const response = await fetch(`${url}/_sandbox/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`sandbox ${method} ${path}: ${response.status} ${text}`);
    return text;
  };
  return {
    url,
    async journal(after = 0) {
      const text = await control("GET", `journal?after=${after}`);
      return text
        .split("\n")
        .filter(Boolean)
        .map((each) => JSON.parse(each) as JournalLine);
    },
    script: async (script) => void (await control("POST", "script", script)),
    reset: async () => void (await control("POST", "reset")),
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
