import type { Protocol } from "../protocol.ts";
import { decodeError, encodeError, encodeStreamError } from "./errors.ts";
import { rerankForward } from "./forward.ts";
import { rerankUsage } from "./usage.ts";

export const rerank: Protocol = {
  name: "rerank",
  endpoint: { path: "/v1/rerank", errorPaths: null, makes: "rerank" },
  forward: rerankForward,
  usage: rerankUsage,
  decodeError,
  encodeError,
  encodeStreamError,
};
