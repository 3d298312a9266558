/**
 * What a chat completion says, plain or streamed, without the ids and further fields that a translation
 * writes anew: its text, why it ended and what it counted, as one comparable word. Where it is no whole
 * answer: the body itself, which then equals nothing.
 */
export function sayingOf(body: string): string {
  try {
    return JSON.stringify(body.startsWith("data: ") ? streamed(body) : plain(JSON.parse(body)));
  } catch {
    return body;
  }
}

interface Chunk {
  readonly choices: readonly {
    readonly message?: { readonly content?: string };
    readonly delta?: { readonly content?: string };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

function plain({ choices, usage }: Chunk) {
  return {
    text: choices[0]?.message?.content,
    finish: choices[0]?.finish_reason,
    tokens: [usage?.prompt_tokens, usage?.completion_tokens],
  };
}

function streamed(body: string) {
  const events = body.trimEnd().split("\n\n");
  if (events.pop() !== "data: [DONE]") throw new Error("the stream is not whole");
  const chunks = events.map((event) => JSON.parse(event.slice("data: ".length)) as Chunk);
  const usage = chunks.findLast((chunk) => chunk.usage)?.usage;
  return {
    text: chunks.map(({ choices }) => choices[0]?.delta?.content ?? "").join(""),
    finish: chunks.findLast(({ choices }) => choices[0]?.finish_reason)?.choices[0]?.finish_reason,
    tokens: [usage?.prompt_tokens, usage?.completion_tokens],
  };
}
