import type { Protocol } from "../protocol.ts";
import { translation } from "../translation.ts";
import { chatCompletionsCapabilities } from "./capabilities.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeStream } from "./encode-stream.ts";
import { decodeError, encodeError, encodeStreamError } from "./errors.ts";
import { chatCompletionsForward } from "./forward.ts";
import { ChatRewrite } from "./forward-rewrite.ts";
import { copyReasoningOfResponse } from "./forwarded-chunk.ts";
import { chatCompletionsUsage } from "./usage.ts";

export const chatCompletions: Protocol = {
  name: "chat-completions",
  endpoint: {
    path: "/v1/chat/completions",
    legacyPath: "/v1/completions",
    errorPaths: null,
    makes: "text",
  },
  forward: chatCompletionsForward,
  usage: chatCompletionsUsage,
  decodeError,
  encodeError,
  encodeStreamError,
  rewrite: { open: (request, quirks) => new ChatRewrite(request, quirks), whole: copyReasoningOfResponse },
  translation: translation({
    capabilities: chatCompletionsCapabilities,
    decodeRequest,
    encodeRequest,
    decodeResponse,
    encodeResponse,
    decodeStream,
    encodeStream,
  }),
};
