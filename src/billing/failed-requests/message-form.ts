/**
 * A vendor's message without what differs between requests that fail alike: ids and numbers. "Used 29,113, try again in
 * 3.2s" and the same with other numbers are one error.
 */
export function messageForm(message: string): string {
  return message.replace(IDS, "#").replace(NUMBERS, "#");
}

/** Long words with digits in them: request ids, organizations, digests. */
const IDS = /\b(?=[\w-]*\d)[\w-]{16,}\b/g;

/** Numbers that stand alone or before a unit; those within names, such as gpt-4o, stay. */
const NUMBERS = /(?<![\w.-])\d+(?:[.,:]\d+)*(?=(?:ms|s|m|h|kb|mb|gb|k)?(?![\w-]))/gi;
