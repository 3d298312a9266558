import type { TextProtocol } from "../../exchange.ts";
import { newHexId, newId } from "../../ids.ts";
import {
  encodeOpenaiError,
  OPENAI_BAD_KEY,
  OPENAI_NO_CREDIT,
  scriptedOpenaiError,
} from "../openai-errors.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeStream } from "./encode-stream.ts";

export const chatCompletions: TextProtocol = {
  name: "chat-completions",
  decodeRequest,
  newId: () => newId("chatcmpl-", 29),
  encodeResponse,
  encodeStream,
  // An error frame, and no [DONE] after it.
  encodeStreamError: (_exchange, error) => `data: ${JSON.stringify(encodeOpenaiError(error))}\n\n`,
  encodeError: encodeOpenaiError,
  scriptedError: scriptedOpenaiError,
  badKey: OPENAI_BAD_KEY,
  noCredit: OPENAI_NO_CREDIT,
  requestIdHeader: "x-request-id",
  newRequestId: () => newHexId("req_", 32),
};
