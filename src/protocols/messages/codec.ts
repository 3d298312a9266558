import type { Protocol } from "../protocol.ts";
import { translation } from "../translation.ts";
import { messagesCapabilities } from "./capabilities.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeStream } from "./encode-stream.ts";
import { decodeError, encodeError, encodeStreamError } from "./errors.ts";
import { messagesForward } from "./forward.ts";
import { messagesUsage } from "./usage.ts";

export const messages: Protocol = {
  name: "messages",
  endpoint: {
    path: "/v1/messages",
    count: { path: "/v1/messages/count_tokens", field: "input_tokens" },
    compactField: { path: "compaction.type", value: "summarize" },
    errorPaths: /^\/v1\/messages/,
    idHeader: "request-id",
    // The specification gives it to callers who name none.
    version: "2023-06-01",
    // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
    betaField: "anthropic_beta",
    betaLimits: [
      { beta: /^context-1m-/, context: 1_000_000 },
      { beta: /^output-128k-/, output: 128_000 },
      { beta: /^output-300k-/, output: 300_000 },
    ],
    sendsOverloaded: true,
    makes: "text",
  },
  forward: messagesForward,
  usage: messagesUsage,
  decodeError,
  encodeError,
  encodeStreamError,
  translation: translation({
    capabilities: messagesCapabilities,
    decodeRequest,
    encodeRequest,
    decodeResponse,
    encodeResponse,
    decodeStream,
    encodeStream,
  }),
};
