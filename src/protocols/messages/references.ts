import { isUploadedSkill, type ReferenceRow, type ReferenceTable, rowsBelow } from "../reference.ts";

/** Sources of images and documents, and uploads: https://platform.claude.com/docs/en/build-with-claude/files */
const BLOCKS: readonly ReferenceRow[] = [
  { path: "file_id" },
  { path: "source.file_id" },
  { path: "source.url", isAddress: true },
  // A document that is made of blocks.
  { path: "source.content[].source.file_id" },
  { path: "source.content[].source.url", isAddress: true },
];

/** The fields of a messages body that refer to state of the vendor. */
export const messagesReferences: ReferenceTable = {
  rows: [
    { path: "container" },
    { path: "container.id" },
    // https://platform.claude.com/docs/en/build-with-claude/skills-guide
    { path: "container.skills[].skill_id", isId: isUploadedSkill },
    { path: "thread.previous_message_id" },
    // Only compared with, to tell why a cache was missed.
    { path: "diagnostics.previous_message_id", addsNothing: true },
    ...rowsBelow(
      [
        "messages[].content[]",
        // Results of the caller's tools, and instructions amid the conversation.
        "messages[].content[].content[]",
      ],
      BLOCKS,
    ),
  ],
  keepsResponse: {
    fields: ["thread", "diagnostics"],
    of: (scan) => scan.count("thread") + scan.count("diagnostics") > 0,
  },
};
