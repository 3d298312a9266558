import { describe, expect, it } from "vitest";
import { readQuirks } from "../../src/conversation/lower/quirks.ts";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { decodeRequest, encodeRequest } from "../../src/relay/mode/translate-request.ts";

const CHAT_PROTOCOLS = ["chat-completions", "responses", "messages", "generate-content"] as const;

const user = (content: unknown): object => ({ messages: [{ role: "user", content }] });
const item = (more: object): object => ({ input: [{ role: "user", content: "x" }, more] });
const part = (more: object): object => ({ input: [{ role: "user", content: [more] }] });
const native = (more: object): object => ({ contents: [{ role: "user", parts: [{ text: "x" }, more] }] });

/** Whole requests as clients send them, each with a reference that only its own vendor can honour. */
const REQUESTS: readonly (readonly [ChatProtocol, name: RegExp, body: object])[] = [
  ["responses", /previous_response_id/, { input: "x", previous_response_id: "resp_1" }],
  ["responses", /conversation/, { input: "x", conversation: "conv_1" }],
  ["responses", /conversation/, { input: "x", conversation: { id: "conv_1" } }],
  ["responses", /prompt/, { input: "x", prompt: { id: "pmpt_1", variables: { a: { file_id: "file-1" } } } }],
  ["responses", /input/, item({ type: "item_reference", id: "msg_1" })],
  ["responses", /input/, item({ id: "msg_1" })],
  ["responses", /input/, item({ type: "reasoning", id: "rs_1", summary: [] })],
  ["responses", /input/, item({ type: "image_generation_call", id: "ig_1" })],
  [
    "responses",
    /input/,
    item({ type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1", code: "1" }),
  ],
  ["responses", /input/, part({ type: "input_file", file_id: "file-1" })],
  ["responses", /input/, part({ type: "input_image", file_id: "file-1" })],
  ["responses", /tools/, { input: "x", tools: [{ type: "code_interpreter", container: "cntr_1" }] }],
  ["responses", /tools/, { input: "x", tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }],
  ["responses", /tools/, { input: "x", tools: [{ type: "mcp", server_label: "a", tunnel_id: "t_1" }] }],
  ["chat-completions", /messages/, user([{ type: "file", file: { file_id: "file-1" } }])],
  [
    "chat-completions",
    /messages/,
    {
      messages: [
        { role: "user", content: "x" },
        { role: "assistant", audio: { id: "audio_1" } },
        { role: "user", content: "y" },
      ],
    },
  ],
  ["messages", /messages/, user([{ type: "document", source: { type: "file", file_id: "file_1" } }])],
  ["messages", /messages/, user([{ type: "image", source: { type: "file", file_id: "file_1" } }])],
  ["messages", /messages/, user([{ type: "container_upload", file_id: "file_1" }])],
  ["messages", /container/, { ...user("x"), container: "container_1" }],
  ["messages", /container/, { ...user("x"), container: { id: "container_1" } }],
  ["messages", /thread/, { ...user("x"), thread: { type: "continue", previous_message_id: "msg_1" } }],
  ["messages", /diagnostics/, { ...user("x"), diagnostics: { previous_message_id: "msg_1" } }],
  ["generate-content", /cachedContent/, { ...native({ text: "y" }), cachedContent: "cachedContents/1" }],
  [
    "generate-content",
    /contents/,
    native({ fileData: { fileUri: "gs://bucket/a.pdf", mimeType: "application/pdf" } }),
  ],
  [
    "generate-content",
    /contents/,
    native({
      file_data: {
        file_uri: "https://generativelanguage.googleapis.com/v1beta/files/1",
        mime_type: "image/png",
      },
    }),
  ],
  [
    "generate-content",
    /tools/,
    { ...native({ text: "y" }), tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/1"] } }] },
  ],
];

const CASES = REQUESTS.flatMap(([from, name, body]) =>
  CHAT_PROTOCOLS.filter((to) => to !== from).map((to) => ({
    from,
    to,
    name,
    body,
    text: JSON.stringify(body),
  })),
);

describe("a reference that another protocol cannot carry", () => {
  it.each(CASES)(
    "is refused or named, never dropped in silence: $from to $to, $text",
    ({ from, to, name, body }) => {
      const sent = { model: "m", max_tokens: 10, ...body };
      const decoded = decodeRequest({
        protocol: from,
        model: "m",
        streamed: false,
        body: Buffer.from(JSON.stringify(sent)),
      });
      if ("refused" in decoded) {
        expect(decoded.refused.path).toMatch(name);
        return;
      }
      const encoded = encodeRequest(decoded.value, {
        model: "m",
        quirks: readQuirks({}),
        maxOutputTokens: 100,
        seed: "s",
        origin: { protocol: to, upstream: "u", model: "m" },
      });
      if ("refused" in encoded) expect(encoded.refused.path).toMatch(name);
      else expect(encoded.value.losses.map(({ path }) => path).join(" ")).toMatch(name);
    },
  );
});
