/** Says what is wrong with the value of a field, and what to do, without quoting it; undefined = it can be used. */
export type FieldCheck = (value: string) => string | undefined;

/** Headers and signatures carry it: a line break or a blank in it is always a mistake of pasting. */
const KEY = /^[\x21-\x7e]+$/;
export const KEY_ALONE = /^[\x21-\x7e]{1,4096}$/;
/** Characters of a line, blanks at its ends apart. */
const LINE = /^(?!\s)[^\p{Cc}\u2028\u2029]+(?<!\s)$/u;

const COPY_AGAIN = "copy it again, without line breaks, blanks and marks around it";

export const KEY_PROBLEM = `must be 1 to 4096 visible ASCII characters without spaces; ${COPY_AGAIN}`;

/** One key and nothing else, as it is sent. */
export const keyAlone: FieldCheck = (value) => (KEY_ALONE.test(value) ? undefined : KEY_PROBLEM);

/** An id, a secret or a token of any length. */
export const keyText: FieldCheck = (value) =>
  KEY.test(value) ? undefined : `must be visible ASCII characters without spaces; ${COPY_AGAIN}`;

/** A name or a path, in any language. */
export const lineText: FieldCheck = (value) =>
  LINE.test(value) ? undefined : `must be one line; ${COPY_AGAIN}`;
