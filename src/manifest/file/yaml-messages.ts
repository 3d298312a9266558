import type { ErrorCode } from "yaml";

/** Our own words, since the parser's may quote the file, and the file may hold secrets. */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias (*name) takes no anchor or tag of its own",
  BAD_ALIAS: "an alias (*name) must stand after its anchor (&name) and be spelt like it",
  BAD_COLLECTION_TYPE: "this tag doesn't fit its value; remove the tag",
  BAD_DIRECTIVE: "directives (lines that begin with %) are not used here; remove it",
  BAD_DQ_ESCAPE: 'unknown escape inside "..."; double the backslash, or use single quotes',
  BAD_INDENT: "the indentation does not fit the lines around it",
  BAD_SCALAR_START: 'a value that begins with this character must be put in quotes ("...")',
  BLOCK_AS_IMPLICIT_KEY: "a nested list or mapping must begin on its own line, indented",
  BLOCK_IN_FLOW: "inside [...] and {...}, write values as [a, b] and {a: b}",
  DUPLICATE_KEY: "duplicate key in the same mapping; remove one of them",
  KEY_OVER_1024_CHARS: "this key is too long; is a quote or a bracket missing?",
  MISSING_CHAR: "a closing quote, bracket, brace, comma or a space after ':' is missing here",
  MULTILINE_IMPLICIT_KEY: "a key must stand on one line; is a ':' or a quote missing?",
  MULTIPLE_ANCHORS: "a value takes one anchor only",
  MULTIPLE_DOCS: "only one document per file; remove the '---'",
  MULTIPLE_TAGS: "a value takes one tag only",
  NON_STRING_KEY: "a key must be plain text",
  TAB_AS_INDENT: "tabs cannot indent YAML; use spaces",
  TAG_RESOLVE_FAILED: "unknown tag; put a value that begins with ! in quotes",
  UNEXPECTED_TOKEN: "this is out of place here; is a quote, a bracket or indentation missing?",
};

export function syntaxMessage(code: ErrorCode): string {
  return MESSAGES[code] ?? "this is not valid YAML";
}
