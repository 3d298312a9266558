import { unreachable } from "../../../api/api-error.ts";

/** The data of each server-sent event of a body, parsed; what is no JSON (`[DONE]`) is left out. Throws ApiError where it breaks. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        // Else it is told in the browser's own words, and language.
        throw unreachable();
      });
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A lone carriage return at the end may be half a line's end.
      const ended = done || !rest.endsWith("\r") ? rest : rest.slice(0, -1);
      const events = ended.split(/\r?\n\r?\n/);
      const open = done ? "" : (events.pop() ?? "") + rest.slice(ended.length);
      for (const event of events) yield* dataOf(event);
      rest = open;
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function* dataOf(event: string): Generator<unknown> {
  const data = event
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length).replace(/^ /, ""))
    .join("\n");
  try {
    if (data !== "") yield JSON.parse(data);
  } catch {
    // `[DONE]`, and nothing else that an endpoint of this gateway sends.
  }
}
