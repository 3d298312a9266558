import type { Protocol } from "../protocol.ts";
import { translation } from "../translation.ts";
import { responsesCapabilities } from "./capabilities.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeStream } from "./encode-stream.ts";
import { decodeError, encodeError, encodeStreamError } from "./errors.ts";
import { responsesForward } from "./forward.ts";
import { responsesUsage } from "./usage.ts";

export const responses: Protocol = {
  name: "responses",
  endpoint: {
    path: "/v1/responses",
    count: {
      path: "/v1/responses/input_tokens",
      field: "input_tokens",
      beside: { object: "response.input_tokens" },
    },
    compactPath: "/v1/responses/compact",
    keepsResponses: true,
    errorPaths: /^\/v1\/responses/,
    makes: "text",
  },
  forward: responsesForward,
  usage: responsesUsage,
  decodeError,
  encodeError,
  encodeStreamError,
  translation: translation({
    capabilities: responsesCapabilities,
    decodeRequest,
    encodeRequest,
    decodeResponse,
    encodeResponse,
    decodeStream,
    encodeStream,
  }),
};
