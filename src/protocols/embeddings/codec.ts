import type { Protocol } from "../protocol.ts";
import { decodeError, encodeError, encodeStreamError } from "./errors.ts";
import { embeddingsForward } from "./forward.ts";
import { embeddingsUsage } from "./usage.ts";

export const embeddings: Protocol = {
  name: "embeddings",
  endpoint: {
    path: "/v1/embeddings",
    adaptedActions: { one: "embedContent", several: "batchEmbedContents" },
    errorPaths: null,
    makes: "embedding",
  },
  forward: embeddingsForward,
  usage: embeddingsUsage,
  decodeError,
  encodeError,
  encodeStreamError,
};
