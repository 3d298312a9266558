import { isUploadedSkill, type ReferenceRow, type ReferenceTable, rowsBelow } from "../reference.ts";

/** Content parts, wherever they stand: https://developers.openai.com/api/reference/resources/responses */
const PARTS: readonly ReferenceRow[] = [
  { path: "file_id" },
  { path: "file_url", isAddress: true },
  { path: "image_url", isAddress: true },
];

/** The fields that name containers, files and stores of hosted tools. */
const TOOLS: readonly ReferenceRow[] = [
  // file_search
  { path: "vector_store_ids[]" },
  // code_interpreter: an id, or how a container is to be made
  { path: "container" },
  { path: "container.id" },
  { path: "container.container_id" },
  { path: "container.file_ids[]" },
  { path: "container.skills[].skill_id", isId: isUploadedSkill },
  // shell
  { path: "environment.container_id" },
  { path: "environment.file_ids[]" },
  { path: "environment.skills[].skill_id", isId: isUploadedSkill },
  // mcp: a way into the operator's own network
  { path: "tunnel_id" },
  // image_generation
  ...rowsBelow(["input_image_mask"], PARTS),
];

/** The fields of a responses body that refer to state of the vendor. */
export const responsesReferences: ReferenceTable = {
  rows: [
    { path: "previous_response_id" },
    { path: "conversation" },
    { path: "conversation.id" },
    { path: "prompt" },
    { path: "prompt.id" },
    ...rowsBelow(["prompt.variables.*"], PARTS),
    // Thoughts of another vendor's model come back under an id of the gateway's own, which is nobody's state.
    { path: "input[].id", isId: (id) => !id.startsWith("rs_gw") },
    ...rowsBelow(["input[].content[]", "input[].output[]"], PARTS),
    // Results of a computer are one object.
    { path: "input[].container_id" },
    { path: "input[].environment.container_id" },
    ...rowsBelow(["tools[]", "tools[].tools[]", "input[].tools[]", "input[].tools[].tools[]"], TOOLS),
  ],
  keepsResponse: { fields: ["store"], of: (scan) => scan.last("store")?.value !== false },
  bare: {
    id: "input.id",
    kind: "type",
    empty: ["status", "created_by"],
    content: {
      "": ["content"],
      message: ["content", "role"],
      item_reference: [],
      // Without either it is looked up by its id, whatever its summary says.
      reasoning: ["encrypted_content", "content"],
      image_generation_call: ["result"],
      compaction: ["encrypted_content"],
    },
  },
};
