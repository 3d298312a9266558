import { Agent, type ClientRequest, type IncomingMessage, request as openRequest } from "node:http";
import { TEST_KEY } from "./gateway.ts";

export const TEXT_PROTOCOLS = ["chat-completions", "responses", "messages", "generate-content"] as const;
export type TextProtocol = (typeof TEXT_PROTOCOLS)[number];

/** A text request, said independently of the protocol that carries it. */
export interface Wish {
  readonly protocol: TextProtocol;
  readonly prompt: string;
  readonly streamed?: boolean;
  readonly system?: string;
  readonly thinking?: boolean;
  readonly maxTokens?: number;
  readonly model?: string;
}

export interface CallOptions {
  readonly key?: string;
  /** Resets the connection (RST) as soon as this holds for what has arrived. */
  readonly resetWhen?: (text: string) => boolean;
  /** Resets the connection when aborted. */
  readonly signal?: AbortSignal;
}

/** The response that a caller received. */
export interface Heard {
  /** 0 where the connection ended before any. */
  readonly status: number;
  readonly requestId: string | undefined;
  readonly text: string;
  /** The whole response is here, in a form that a client takes for finished. */
  readonly complete: boolean;
  /** The code of an error body, else "". */
  readonly code: string;
}

/** The same wish in the wire form of its protocol. */
export function wireForm(wish: Wish): { path: string; body: object } {
  const { model = "text", maxTokens = 2_000, streamed = false, prompt, system, thinking = false } = wish;
  const stream = streamed ? { stream: true } : {};
  switch (wish.protocol) {
    case "chat-completions": {
      const messages = [
        ...(system === undefined ? [] : [{ role: "system", content: system }]),
        { role: "user", content: prompt },
      ];
      const effort = thinking ? { reasoning_effort: "low" } : {};
      return {
        path: "/v1/chat/completions",
        body: { model, max_completion_tokens: maxTokens, messages, ...effort, ...stream },
      };
    }
    case "responses": {
      const instructions = system === undefined ? {} : { instructions: system };
      const reasoning = thinking ? { reasoning: { effort: "low" } } : {};
      return {
        path: "/v1/responses",
        body: {
          model,
          max_output_tokens: maxTokens,
          input: prompt,
          ...instructions,
          ...reasoning,
          ...stream,
        },
      };
    }
    case "messages": {
      const first = system === undefined ? {} : { system };
      const budget = thinking ? { thinking: { type: "enabled", budget_tokens: 1_024 } } : {};
      const messages = [{ role: "user", content: prompt }];
      return {
        path: "/v1/messages",
        body: { model, max_tokens: maxTokens, messages, ...first, ...budget, ...stream },
      };
    }
    case "generate-content": {
      const first = system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } };
      const generationConfig = {
        maxOutputTokens: maxTokens,
        ...(thinking ? { thinkingConfig: { thinkingBudget: 1_024 } } : {}),
      };
      const contents = [{ role: "user", parts: [{ text: prompt }] }];
      const action = streamed ? "streamGenerateContent?alt=sse" : "generateContent";
      return { path: `/v1beta/models/${model}:${action}`, body: { contents, generationConfig, ...first } };
    }
  }
}

// A connection of its own for each request: a kill then breaks what it should, and no retry hides it.
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

/** One exchange with a gateway. Never rejects: a broken connection is a response too. */
export function call(url: string, wish: Wish, options: CallOptions = {}): Promise<Heard> {
  const { path, body } = wireForm(wish);
  const bytes = Buffer.from(JSON.stringify(body));
  return new Promise((resolve) => {
    let answer: IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    const text = (): string => Buffer.concat(chunks).toString("utf8");
    const done = (): void => resolve(heardOf(wish, answer, text()));
    const request: ClientRequest = openRequest(
      `${url}${path}`,
      {
        agent,
        method: "POST",
        headers: {
          authorization: `Bearer ${options.key ?? TEST_KEY}`,
          "content-type": "application/json",
          "content-length": bytes.length,
        },
      },
      (response) => {
        answer = response;
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          if (options.resetWhen?.(text())) reset();
        });
        response.on("error", () => undefined);
        response.on("close", done);
      },
    );
    const reset = (): void => void request.socket?.resetAndDestroy();
    options.signal?.addEventListener("abort", reset);
    request.on("error", () => {
      if (answer === undefined) done();
    });
    request.end(bytes);
  });
}

function heardOf(wish: Wish, response: IncomingMessage | undefined, text: string): Heard {
  const status = response?.statusCode ?? 0;
  const id = response?.headers["x-request-id"];
  const whole = response?.complete === true;
  return {
    status,
    requestId: typeof id === "string" ? id : undefined,
    text,
    complete: whole && status === 200 && (!wish.streamed || FINISHED[wish.protocol].test(text)),
    code: status < 400 ? "" : (/"(?:code|reason)":\s*"([^"]*)"/.exec(text)?.[1] ?? ""),
  };
}

/** The ends at which a client of each protocol takes a stream for finished. */
const FINISHED: Readonly<Record<TextProtocol, RegExp>> = {
  "chat-completions": /^data: \[DONE\]$/m,
  responses: /^event: response\.(completed|incomplete)$/m,
  messages: /^event: message_stop$/m,
  "generate-content": /"finishReason"/,
};

const CONTENT: Readonly<Record<TextProtocol, RegExp>> = {
  "chat-completions": /^data: .*"delta":\{[^}]*"(content|reasoning_content)":"[^"]/gm,
  responses: /^event: response\.(output_text|reasoning_summary_text|reasoning_text)\.delta$/gm,
  messages: /^data: .*"(text_delta|thinking_delta)"/gm,
  "generate-content": /^data: .*"text":"[^"]/gm,
};

/** Frames of a stream that carry text or thoughts: what the sandbox counts as chunks. */
export function contentChunks(protocol: TextProtocol, text: string): number {
  return text.match(CONTENT[protocol])?.length ?? 0;
}
