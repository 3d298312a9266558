import { startServer } from "../../sandbox/src/server.ts";
import { createWorld, type WorldOptions } from "../../sandbox/src/world.ts";

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

/**
 * Starts a sandbox upstream on a free port of this process: a process of its own costs as much as two thirds of a
 * gateway's start. `sandbox/src/main.test.ts` runs the program, and so does every gateway on the demo catalog.
 */
export async function startSandbox(options: WorldOptions = {}): Promise<TestSandbox> {
  const { url, close } = await startServer(createWorld(options), "127.0.0.1", 0);
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
    stop: close,
  };
}
