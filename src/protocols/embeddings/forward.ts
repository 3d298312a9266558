import { textsHold } from "../body-features.ts";
import { NO_CARRIED_STATE } from "../carried-state.ts";
import type { RequestFields } from "../fields.ts";
import type { ForwardTable } from "../protocol.ts";
import { NO_REFERENCES } from "../reference.ts";

/** Top-level fields of a request. */
export const embeddingsFields = {
  listed: {
    model: ["string"],
    input: ["string", "array"],
    encoding_format: ["string"],
    dimensions: ["number"],
    user: ["string"],
  },
  decoded: [],
  meaning: [],
  passed: [],
} as const satisfies RequestFields;

/** The parts of an embeddings body that forwarding reads. */
export const embeddingsForward: ForwardTable = {
  modelInBody: true,
  fields: embeddingsFields.listed,
  required: ["input"],
  content: { field: "input", alternatives: [] },
  maxItems: {},
  // A field of native calls that this protocol lacks.
  watched: ["faregate_task_type"],
  outputLimits: [],
  ownLimit: null,
  keepAliveFrame: "",
  clientsAcceptComments: true,
  streamsArrays: false,
  references: NO_REFERENCES,
  endUser: ["user"],
  responseCounts: [],
  hold: textsHold({ list: "input" }),
  opening: null,
  state: NO_CARRIED_STATE,
};
