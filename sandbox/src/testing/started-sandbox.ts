import type { JournalEntry } from "../journal.ts";
import { type RunningSandbox, startServer } from "../server.ts";
import { createWorld, type WorldOptions } from "../world.ts";

export interface StartedSandbox extends RunningSandbox {
  /** Sends JSON and gives the status, headers and body as they came. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Entries so far, once nothing is running any more. */
  journal(): Promise<JournalEntry[]>;
  lastEntry(): Promise<JournalEntry>;
  /** Waits until this many requests are running. */
  opened(count: number): Promise<void>;
}

interface Response {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
  json: any;
}

/** A sandbox on a free port of this process. */
export async function startSandbox(options: WorldOptions = {}): Promise<StartedSandbox> {
  const running = await startServer(createWorld(options), "127.0.0.1", 0);
  const { url } = running;
  const journal = async (): Promise<JournalEntry[]> => {
    await untilOpen(url, 0);
    const text = await (await fetch(`${url}/_sandbox/journal`)).text();
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as JournalEntry]));
  };
  return {
    ...running,
    journal,
    opened: (count) => untilOpen(url, count),
    async post(path, body, headers = {}) {
      const sent = typeof body === "string" ? body : JSON.stringify(body);
      const response = await fetch(`${url}${path}`, { method: "POST", body: sent, headers });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: parsed(text) };
    },
    async lastEntry() {
      const entry = (await journal()).at(-1);
      if (entry === undefined) throw new Error("the journal is empty");
      return entry;
    },
  };
}

/** Waits until so many requests are running: none = all that arrived have been journaled. */
async function untilOpen(url: string, count: number): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const status = (await (await fetch(`${url}/_sandbox/status`)).json()) as { open: number };
    if (status.open === count) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`there were never ${count} requests running`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface SseEvent {
  event: string | undefined;
  data: string;
}

/** Frames of a whole SSE text. */
export function sseEvents(text: string): SseEvent[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame.trim() !== "")
    .map((frame) => {
      const lines = frame.split(/\r?\n/);
      const field = (name: string): string[] =>
        lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
      return { event: field("event")[0], data: field("data").join("\n") };
    });
}
