import { type ReferenceRow, type ReferenceTable, rowsBelow } from "../reference.ts";

/** An address that some vendors take as a string and others in an object. */
const linked = (field: string): ReferenceRow[] =>
  ["", ".url"].map((end) => ({ path: `${field}${end}`, isAddress: true }));

/** The fields of a chat completions body that refer to state of the vendor. */
export const chatCompletionsReferences: ReferenceTable = {
  rows: [
    // https://developers.openai.com/api/reference/resources/chat
    { path: "messages[].audio.id" },
    ...rowsBelow(
      ["messages[].content[]"],
      [
        { path: "file.file_id" },
        { path: "file_id" },
        // ms://... (Moonshot), gs://... (Vertex)
        ...["image_url", "video_url", "audio_url", "file_url", "document_url"].flatMap(linked),
      ],
    ),
    // Vendors that took over the interface: knowledge bases (Zhipu), collections (xAI), libraries (Mistral).
    { path: "tools[].vector_store_ids[]" },
    { path: "tools[].file_search.vector_store_ids[]" },
    { path: "tools[].retrieval.knowledge_id" },
    { path: "tools[].collection_ids[]" },
    { path: "tools[].library_ids[]" },
  ],
};
