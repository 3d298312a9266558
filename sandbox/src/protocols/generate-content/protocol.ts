import type { TextProtocol } from "../../exchange.ts";
import { newHexId, newId } from "../../ids.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeStream, encodeStreamError } from "./encode-stream.ts";
import { BAD_KEY, encodeError, NO_CREDIT, scriptedError } from "./errors.ts";

export const generateContent: TextProtocol = {
  name: "generate-content",
  decodeRequest,
  newId: () => newId("", 23),
  encodeResponse,
  encodeStream,
  encodeStreamError,
  encodeError,
  scriptedError,
  badKey: BAD_KEY,
  noCredit: NO_CREDIT,
  requestIdHeader: "x-request-id",
  newRequestId: () => newHexId("", 32),
};
