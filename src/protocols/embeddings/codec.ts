import type { Protocol } from "../protocol.ts";
import { decodeError, encodeError, encodeStreamError } from "./errors.ts";
import { embeddingsForward } from "./forward.ts";
import { embeddingsUsage } from "./usage.ts";

export const embeddings: Protocol = {
  name: "embeddings",
  forward: embeddingsForward,
  usage: embeddingsUsage,
  decodeError,
  encodeError,
  encodeStreamError,
};
