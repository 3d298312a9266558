import { expect } from "vitest";
import type { TextProtocol } from "./text-caller.ts";

export interface ExpectedError {
  readonly status: number;
  readonly code: string;
  /** The vendor's own type, if the error keeps it. */
  readonly type?: string;
  /** The id under which a stream of responses began; by default the one of the vendor in these tests. */
  readonly responseId?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
type Wire = any;

/** The body is a plain error of the protocol, with everything that its clients read. */
export function expectErrorForm(protocol: TextProtocol, text: string, expected: ExpectedError): Wire {
  const body: Wire = JSON.parse(text);
  const isNative = protocol === "generate-content";
  expect(body.error, text).toMatchObject({
    type: expected.type ?? "gateway_error",
    ...(isNative ? { code: expected.status, reason: expected.code } : { code: expected.code }),
    param: expect.any(String),
    message: expect.stringMatching(/\(request id: req_\w+\)$/),
  });
  if (protocol === "messages") {
    expect(body).toMatchObject({ type: "error", request_id: expect.stringMatching(/^req_/) });
  }
  if (isNative) expect(body.error.status).toMatch(/^[A-Z_]+$/);
  return body;
}

/** The stream ends with the protocol's own mid-stream error and nothing that looks like its end. */
export function expectStreamErrorForm(protocol: TextProtocol, text: string, expected: ExpectedError): void {
  const events = readEvents(text);
  const last = events.at(-1);
  const message = expect.stringMatching(/\(request id: req_\w+\)$/);
  const { code, status, responseId = "resp_1" } = expected;
  switch (protocol) {
    case "chat-completions":
      expect(last?.data, text).toMatchObject({ error: { code, message, type: "gateway_error" } });
      expect(text).not.toContain("[DONE]");
      break;
    case "responses":
      expect(last?.name, text).toBe("response.failed");
      expect(last?.data).toMatchObject({
        type: "response.failed",
        response: { id: responseId, status: "failed", error: { code, message } },
      });
      expect(text).not.toContain("response.completed");
      break;
    case "messages":
      expect(last?.name, text).toBe("error");
      expect(last?.data).toMatchObject({ type: "error", error: { code, message, type: "gateway_error" } });
      expect(text).not.toContain("message_stop");
      break;
    case "generate-content":
      expect(last?.data, text).toMatchObject({
        error: { code: status, reason: code, message, status: expect.stringMatching(/^[A-Z_]+$/) },
      });
      expect(text).not.toContain("finishReason");
  }
}

interface ReadEvent {
  readonly name: string | undefined;
  readonly data: unknown;
}

/** The frames of an event stream as a strict client reads them: the last one must be whole, too. */
export function readEvents(text: string): ReadEvent[] {
  expect(text.endsWith("\n\n"), `the last frame is not closed: ${JSON.stringify(text.slice(-200))}`).toBe(
    true,
  );
  return text
    .split(/\n\n+/)
    .filter((frame) => frame.trim() !== "")
    .map((frame) => ({
      name: /^event: (.*)$/m.exec(frame)?.[1],
      data: tolerantly(/^data: (.*)$/m.exec(frame)?.[1] ?? ""),
    }));
}

function tolerantly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
