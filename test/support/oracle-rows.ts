import { readFileSync } from "node:fs";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import type { JsonObject } from "../../src/conversation/request.ts";
import { asObject, asObjects } from "../../src/protocols/json.ts";
import { fixture } from "./fixtures.ts";

/** The protocols of both sides, found by the form of the bodies and never by the row's labels. */
interface Way {
  /** Names the row in messages of failures only; nothing may depend on it. */
  readonly id: string;
  readonly caller: ChatProtocol;
  readonly upstream: ChatProtocol;
}

export interface PairRow extends Way {
  readonly request: JsonObject;
  readonly expectedRequest: JsonObject;
  /** The upstream's response; undefined if it refused the peer's own request. */
  readonly answer: { readonly given: JsonObject; readonly expected: JsonObject } | undefined;
}

export interface StreamRow extends Way {
  readonly given: readonly JsonObject[];
  readonly expected: string;
}

/** A row of the directory, and why it is not compared where that is so. */
export type Read<Row> = { readonly row: Row } | { readonly outside: string };

/** Another project's translations of one logical case each. */
export function readPairs(): Read<PairRow>[] {
  return lines("pairs.jsonl").map((line) => {
    const caller = requestProtocol(asObject(line["input_request"]));
    const upstream = requestProtocol(asObject(line["expected_request"]));
    if (caller === undefined || upstream === undefined) return { outside: "a protocol we do not speak" };
    const given = asObject(line["upstream_response"]);
    const expected = asObject(line["expected_response"]);
    const answered = responseProtocol(given) === upstream && responseProtocol(expected) === caller;
    return {
      row: {
        id: nameOf(line),
        caller,
        upstream,
        request: asObject(line["input_request"]) ?? {},
        expectedRequest: asObject(line["expected_request"]) ?? {},
        answer: answered ? { given: given ?? {}, expected: expected ?? {} } : undefined,
      },
    };
  });
}

export function readStreams(): Read<StreamRow>[] {
  return lines("stream_pairs.jsonl").map((line) => {
    const given = asObjects(line["upstream_chunks"]);
    const expected = String(line["expected_client_sse"]);
    const upstream = streamProtocol(given[0]);
    const caller = streamProtocol(asObject(JSON.parse(/^data: (.*)$/m.exec(expected)?.[1] ?? "null")));
    if (given[0]?.["type"] === "message") return { outside: "a whole plain answer in place of a stream" };
    if (caller === undefined || upstream === undefined) return { outside: "a protocol we do not speak" };
    return { row: { id: nameOf(line), caller, upstream, given, expected } };
  });
}

function lines(file: string): JsonObject[] {
  return readFileSync(fixture(`lingua/oracle/${file}`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function nameOf(line: JsonObject): string {
  return `${line["case"]} (${line["from"]} to ${line["to"]})`;
}

/** Chat completions and messages share most names, and need none of the others: the vendor's models tell them apart. */
function requestProtocol(body: JsonObject | undefined): ChatProtocol | undefined {
  if (body === undefined) return undefined;
  if ("contents" in body) return "generate-content";
  if ("input" in body) return "responses";
  if (!("messages" in body)) return undefined;
  return String(body["model"]).startsWith("claude") ? "messages" : "chat-completions";
}

function responseProtocol(body: JsonObject | undefined): ChatProtocol | undefined {
  if (body === undefined) return undefined;
  if ("candidates" in body) return "generate-content";
  if ("choices" in body) return "chat-completions";
  if (body["object"] === "response") return "responses";
  return body["type"] === "message" ? "messages" : undefined;
}

function streamProtocol(first: JsonObject | undefined): ChatProtocol | undefined {
  if (first === undefined) return undefined;
  if ("candidates" in first) return "generate-content";
  if ("choices" in first) return "chat-completions";
  const type = String(first["type"]);
  if (type.startsWith("response.")) return "responses";
  return type === "message_start" ? "messages" : undefined;
}
