import { expect, it } from "vitest";
import { messageForm } from "./message-form.ts";

it.each([
  ["Rate limit: used 29,113 of 30000. Try again in 3.2s.", "Rate limit: used # of #. Try again in #s."],
  ["Request req_011CSHoEeqs5C35K2UUqR7Fy failed", "Request # failed"],
  ["Id 0f8fad5b-d9cb-469f-a165-70867728950e", "Id #"],
  ["The model gpt-4o does not exist", "The model gpt-4o does not exist"],
  ["max_tokens: 128001 > 64000 for claude-3-5", "max_tokens: # > # for claude-3-5"],
  ["The moon is in the wrong house.", "The moon is in the wrong house."],
  ["", ""],
])("makes one of messages that differ in ids and numbers: %s", (message, form) => {
  expect(messageForm(message)).toBe(form);
});
