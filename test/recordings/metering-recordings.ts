import { readFileSync } from "node:fs";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { fixture } from "../support/fixtures.ts";

const SOURCES = ["lingua", "fantasy", "pydantic-ai", "vercel-ai"];

export interface Recording {
  readonly id: string;
  readonly protocol: ChatProtocol;
  readonly stream: boolean;
  readonly status: number;
  readonly path: string;
  readonly responses: number;
  readonly body: string;
}

/** Every recorded answer that succeeded, in no order that matters. */
export function successfulRecordings(): Recording[] {
  return SOURCES.flatMap((source) =>
    readFileSync(fixture(`${source}/records.jsonl`), "utf8")
      .trim()
      .split("\n")
      .map(readRecording),
  ).filter((recording) => recording.status < 400 && recording.body !== "");
}

/** What is wrong with these recordings themselves, so that they prove nothing here. */
export const NOT_CHAT_RESPONSES: ReadonlyMap<string, string> = new Map([
  ["test_text_response.yaml#0", "the vendor answered with plain text, no JSON"],
  ["groq-transcription-text.json#0", "a transcription, no chat answer"],
  ["mistral-transcription.json#0", "a transcription, no chat answer"],
  ["google-vertex-embedding.json#0", "an embedding, no chat answer"],
  ["multimodalRequest/responses/followup-response-streaming.json#0", "an invented event format"],
  ["parallel-tool-call-wrapper.1.chunks.txt#0", "recorded without its terminal event"],
]);

export function isChatResponse(recording: Recording): boolean {
  return ![...NOT_CHAT_RESPONSES.keys()].some((name) => recording.id.endsWith(name));
}

const PROTOCOLS: Readonly<Record<string, ChatProtocol>> = {
  oa: "chat-completions",
  "oa-response": "responses",
  an: "messages",
  ge: "generate-content",
};

function readRecording(line: string): Recording {
  const record = JSON.parse(line);
  const protocol = PROTOCOLS[record.protocol];
  if (protocol === undefined) throw new Error(`${record.id} has an unknown protocol`);
  return {
    id: record.id,
    protocol,
    stream: record.stream,
    status: record.status ?? 200,
    path: record.path,
    responses: record.request?.n ?? 1,
    body: record.body ?? "",
  };
}
