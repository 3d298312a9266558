import type { TextProtocol } from "../exchange.ts";
import { isObject, parseJson } from "../json.ts";
import { messages } from "../protocols/messages/protocol.ts";
import { inputTotal } from "../usage.ts";
import { chunkFrame } from "./aws-frames.ts";
import { BEDROCK_ERRORS } from "./bedrock-errors.ts";

/** Claude by `invoke` and `invoke-with-response-stream`: the model vendor's own bodies in AWS's framing, with AWS's errors. */
export const bedrockMessages: TextProtocol = {
  ...messages,
  ...BEDROCK_ERRORS,
  *encodeStream(exchange) {
    for (const frame of messages.encodeStream(exchange)) {
      const events = String(frame.bytes)
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .map((line) => line.slice("data: ".length));
      const bytes = Buffer.concat(events.map((json) => chunkFrame(withMetrics(json, exchange))));
      yield { ...frame, bytes };
    }
  },
};

/** The same where only its tokens are counted. */
export const bedrockCount: TextProtocol = {
  ...bedrockMessages,
  encodeResponse: ({ usage }) => ({ inputTokens: inputTotal(usage) }),
};

type Exchange = Parameters<TextProtocol["encodeStream"]>[0];

/** The last event says what the request took. */
function withMetrics(json: string, exchange: Exchange): string {
  const event = parseJson(json);
  if (!isObject(event) || event["type"] !== "message_stop") return json;
  const { usage } = exchange;
  return JSON.stringify({
    ...event,
    "amazon-bedrock-invocationMetrics": {
      inputTokenCount: inputTotal(usage),
      outputTokenCount: usage.outputVisible + usage.outputReasoning,
      invocationLatency: 1_000,
      firstByteLatency: 200,
    },
  });
}
