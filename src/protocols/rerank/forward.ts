import { textsHold } from "../body-features.ts";
import { NO_CARRIED_STATE } from "../carried-state.ts";
import type { RequestFields } from "../fields.ts";
import type { ForwardTable } from "../protocol.ts";
import { NO_REFERENCES } from "../reference.ts";

/** Top-level fields of a request. */
export const rerankFields = {
  listed: {
    model: ["string"],
    query: ["string", "object"],
    documents: ["array"],
    top_n: ["number"],
    return_documents: ["boolean"],
  },
  decoded: [],
  meaning: [],
  passed: [],
} as const satisfies RequestFields;

/** The parts of a rerank body that forwarding reads. */
export const rerankForward: ForwardTable = {
  modelInBody: true,
  fields: rerankFields.listed,
  required: ["query", "documents"],
  content: { field: "documents", alternatives: [] },
  maxItems: {},
  outputLimits: [],
  ownLimit: null,
  keepAliveFrame: "",
  clientsAcceptComments: true,
  streamsArrays: false,
  references: NO_REFERENCES,
  responseCounts: [],
  // A reranker reads the query again with every document.
  hold: textsHold({ list: "documents", beside: "query" }),
  opening: null,
  state: NO_CARRIED_STATE,
};
