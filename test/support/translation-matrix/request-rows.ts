import { CONVERSATION_ROWS, THOUGHT_ROWS } from "./conversation-rows.ts";
import { HINT_ROWS } from "./hint-rows.ts";
import { MEDIA_ROWS } from "./media-rows.ts";
import type { RequestRow, Section } from "./row.ts";
import { SETTING_ROWS } from "./setting-rows.ts";
import { TOOL_ROWS } from "./tool-rows.ts";

/** Everything that callers can ask or say. */
export const REQUEST_SECTIONS: readonly Section<RequestRow>[] = [
  { title: "The conversation", rows: CONVERSATION_ROWS },
  { title: "Reasoning of earlier turns", rows: THOUGHT_ROWS },
  { title: "Media", rows: MEDIA_ROWS },
  { title: "Tools", rows: TOOL_ROWS },
  { title: "Settings", rows: SETTING_ROWS },
  { title: "Hints and other fields", rows: HINT_ROWS },
];
