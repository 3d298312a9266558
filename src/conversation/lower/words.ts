import { createHash } from "node:crypto";

/** The form of a tool's name or a call's id: letters, digits, `_`, `-` and `also`. */
export interface WordRule {
  readonly maxLength: number;
  /** Further characters. "any" = every character. */
  readonly also: string;
  /** The first is a letter or `_`. */
  readonly beginsWithLetter?: boolean | undefined;
  /** Letters and digits alone, exactly `maxLength` of them. */
  readonly isCode?: boolean | undefined;
}

/**
 * The word where it fits the rule, else a deterministic word that does and that no other word becomes:
 * what is readable of it and a hash of the whole. A call and its result, or a name in two turns, thus
 * stay equal without any memory (rules 21 and 30).
 */
export function fitWord(word: string, rule: WordRule): string {
  if (word !== "" && word.length <= rule.maxLength && isAllowed(word, rule)) return word;
  const hash = createHash("sha256")
    .update(word)
    .digest("base64url")
    .replace(/[-_]/g, "0")
    .slice(0, rule.isCode ? rule.maxLength : HASH_LENGTH);
  if (rule.isCode) return hash;
  const plain = word.replace(NOT_PLAIN, "_");
  const begun = rule.beginsWithLetter && !LETTER.test(plain) ? `_${plain}` : plain;
  const readable = begun.slice(0, rule.maxLength - HASH_LENGTH - 1);
  return `${readable}_${hash}`;
}

function isAllowed(word: string, rule: WordRule): boolean {
  if (rule.isCode) return word.length === rule.maxLength && CODE.test(word);
  if (rule.beginsWithLetter && !LETTER.test(word)) return false;
  if (rule.also === "any") return true;
  for (const letter of word) if (!PLAIN.test(letter) && !rule.also.includes(letter)) return false;
  return true;
}

const PLAIN = /^[a-zA-Z0-9_-]$/;
const CODE = /^[a-zA-Z0-9]*$/;
const LETTER = /^[a-zA-Z_]/;
const NOT_PLAIN = /[^a-zA-Z0-9_-]/gu;

/** 12 of 62 letters: no two words of a conversation meet. */
const HASH_LENGTH = 12;
