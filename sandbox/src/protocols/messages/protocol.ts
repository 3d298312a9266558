import type { TextProtocol } from "../../exchange.ts";
import { newId } from "../../ids.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeStream } from "./encode-stream.ts";
import { BAD_KEY, encodeError, NO_CREDIT, scriptedError } from "./errors.ts";

const newRequestId = (): string => newId("req_011C", 20);

export const messages: TextProtocol = {
  name: "messages",
  decodeRequest,
  newId: () => newId("msg_01", 22),
  encodeResponse,
  encodeStream,
  encodeStreamError: (_exchange, error) =>
    `event: error\ndata: ${JSON.stringify(encodeError(error, newRequestId()))}\n\n`,
  encodeError,
  scriptedError,
  badKey: BAD_KEY,
  noCredit: NO_CREDIT,
  requestIdHeader: "request-id",
  newRequestId,
};
