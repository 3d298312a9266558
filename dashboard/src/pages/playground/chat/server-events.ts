import { createParser } from "eventsource-parser";
import { unreachable } from "../../../api/api-error.ts";

/** The data of each server-sent event of a body, parsed; what is not JSON (`[DONE]`) is left out. Throws ApiError where the connection breaks. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events: unknown[] = [];
  const parser = createParser({
    onEvent({ data }) {
      try {
        events.push(JSON.parse(data));
      } catch {
        // `[DONE]`, and nothing else that an endpoint of this gateway sends.
      }
    },
  });
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        // Else it is told in the browser's own words, and language.
        throw unreachable();
      });
      // Some vendors omit the last blank line, and their streams may be forwarded as they are.
      parser.feed(done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true }));
      yield* events.splice(0);
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
