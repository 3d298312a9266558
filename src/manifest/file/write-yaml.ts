import { Document, isScalar, visit } from "yaml";
import type { FileRecord } from "./file-value.ts";

/** A catalog file as text: lists of names on one line, `heading` as comments at the top. */
export function writeYaml(file: FileRecord, heading: readonly string[]): string {
  const document = new Document(file, { version: "1.2", schema: "core", aliasDuplicateObjects: false });
  document.commentBefore = heading.map((line) => (line ? ` ${line}` : "")).join("\n");
  visit(document, {
    Seq: (_, list) => {
      list.flow = list.items.every((item) => isScalar(item));
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
