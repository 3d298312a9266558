import { type ReferenceRow, type ReferenceTable, rowsBelow } from "../reference.ts";
import { snakeCase } from "./spelling.ts";

/** Both spellings that the vendor reads: `fileUri` and `file_uri`. */
function inBothSpellings({ path, ...row }: ReferenceRow): ReferenceRow[] {
  const keys = path.split(".");
  const spelled = keys.reduce<string[]>(
    (paths, key) => {
      return paths.flatMap((before) =>
        [...new Set([key, snakeCase(key)])].map((one) => [before, one].join(".")),
      );
    },
    [""],
  );
  return spelled.map((each) => ({ ...row, path: each.slice(1) }));
}

/**
 * The fields of a generateContent body that refer to state of the vendor: https://ai.google.dev/api/generate-content
 */
export const generateContentReferences: ReferenceTable = {
  rows: [
    { path: "cachedContent" },
    ...rowsBelow(
      ["contents[].parts[]", "contents[].parts[].functionResponse.parts[]", "systemInstruction.parts[]"],
      [{ path: "fileData.fileUri", isAddress: true }],
    ),
    ...rowsBelow(
      ["tools[]"],
      [
        { path: "fileSearch.fileSearchStoreNames[]" },
        { path: "retrieval.vertexAiSearch.datastore" },
        { path: "retrieval.vertexAiSearch.engine" },
        { path: "retrieval.vertexAiSearch.dataStoreSpecs[].dataStore" },
        { path: "retrieval.vertexRagStore.ragCorpora[]" },
        { path: "retrieval.vertexRagStore.ragResources[].ragCorpus" },
        { path: "retrieval.vertexRagStore.ragResources[].ragFileIds[]" },
      ],
    ),
  ].flatMap(inBothSpellings),
};
