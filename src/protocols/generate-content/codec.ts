import type { Protocol } from "../protocol.ts";
import { translation } from "../translation.ts";
import { generateContentCapabilities } from "./capabilities.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeStream } from "./encode-stream.ts";
import { decodeError, encodeError, encodeStreamError } from "./errors.ts";
import { generateContentForward } from "./forward.ts";
import { generateContentUsage } from "./usage.ts";

export const generateContent: Protocol = {
  name: "generate-content",
  endpoint: {
    path: "/v1beta/models/{model}:{action}",
    actions: { plain: "generateContent", streamed: "streamGenerateContent" },
    eventQuery: "alt=sse",
    count: {
      path: "/v1beta/models/{model}:countTokens",
      field: "totalTokens",
      nested: "generateContentRequest",
    },
    // An action on a model, as the native protocol's clients ask for it under `/v1` too.
    errorPaths: /^\/v1beta\/|^\/v1\/models\/[^?]+:[a-zA-Z]+(Contents?|Tokens)(\?|$)/,
    makes: "text",
  },
  forward: generateContentForward,
  usage: generateContentUsage,
  // https://ai.google.dev/gemini-api/docs/priority-inference
  tierHeader: "x-gemini-service-tier",
  decodeError,
  encodeError,
  encodeStreamError,
  translation: translation({
    capabilities: generateContentCapabilities,
    decodeRequest,
    encodeRequest,
    decodeResponse,
    encodeResponse,
    decodeStream,
    encodeStream,
  }),
};
