import { readdirSync, readFileSync } from "node:fs";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { fixture } from "./fixtures.ts";

const SOURCES = ["lingua", "fantasy", "pydantic-ai", "vercel-ai"];
const PROTOCOLS: Readonly<Record<string, ChatProtocol>> = {
  oa: "chat-completions",
  "oa-response": "responses",
  an: "messages",
  ge: "generate-content",
};

/** One exchange as it was recorded. */
export interface Recording {
  readonly id: string;
  readonly protocol: ChatProtocol;
  readonly model: string;
  readonly stream: boolean;
  /** Undefined where only the response was recorded. */
  readonly request: Readonly<Record<string, unknown>> | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Every recorded exchange with a real vendor. */
export function readRecordings(): Recording[] {
  return SOURCES.flatMap((source) =>
    readFileSync(fixture(`${source}/records.jsonl`), "utf8")
      .trim()
      .split("\n")
      .map(readRecording),
  );
}

/** Streams of messages that the vendor's own SDK is tested with: answers without requests. */
export function readSdkStreams(): Recording[] {
  const folder = fixture("anthropic-sdk-python/raw/");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(sse|txt)$/.test(name))
    .map((name) => ({
      id: name,
      protocol: "messages",
      model: "unnamed",
      stream: true,
      request: undefined,
      status: 200,
      headers: {},
      body: readFileSync(`${folder}${name}`, "utf8"),
    }));
}

function readRecording(line: string): Recording {
  const record = JSON.parse(line);
  const protocol = PROTOCOLS[record.protocol];
  if (protocol === undefined) throw new Error(`${record.id} has an unknown protocol`);
  return {
    id: record.id,
    protocol,
    model: record.model ?? "unnamed",
    stream: record.stream,
    request: record.request ?? undefined,
    status: record.status,
    headers: record.res_headers,
    body: record.body ?? "",
  };
}
