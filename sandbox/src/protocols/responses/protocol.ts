import type { TextProtocol } from "../../exchange.ts";
import { newHexId } from "../../ids.ts";
import {
  encodeOpenaiError,
  OPENAI_BAD_KEY,
  OPENAI_NO_CREDIT,
  scriptedOpenaiError,
} from "../openai-errors.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeStream, encodeStreamError } from "./encode-stream.ts";

export const responses: TextProtocol = {
  name: "responses",
  decodeRequest,
  newId: () => newHexId("resp_", 50),
  encodeResponse,
  encodeStream,
  encodeStreamError,
  encodeError: encodeOpenaiError,
  scriptedError: scriptedOpenaiError,
  badKey: OPENAI_BAD_KEY,
  noCredit: OPENAI_NO_CREDIT,
  requestIdHeader: "x-request-id",
  newRequestId: () => newHexId("req_", 32),
};
