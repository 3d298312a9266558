/**
 * The grammar of JSON numbers as a table: a state is the index of its row, a row has one entry for each
 * class of byte. Kept as data because arrays of numbers (embedding inputs) are read byte by byte.
 */
export const NUMBER_START = 0;
export const NO_NUMBER = -1;

/** The state after one more byte, or NO_NUMBER where the byte does not continue the number. */
export function numberStep(state: number, byte: number): number {
  return STEPS[state + (CLASSES[byte] as number)] as number;
}

/** True if a number may end here. */
export function isWholeNumber(state: number): boolean {
  return state === ZERO || state === DIGITS || state === FRACTION || state === POWER;
}

// `MINUS` is "just after the minus", and so on; POWER are the digits of the exponent.
const MINUS = 8;
const ZERO = 16;
const DIGITS = 24;
const POINT = 32;
const FRACTION = 40;
const EXPONENT = 48;
const SIGN = 56;
const POWER = 64;
const no = NO_NUMBER;

// biome-ignore format: a table
const STEPS = Int8Array.from([
  // 0      1-9       .      e E       +     -      other
  ZERO,     DIGITS,   no,    no,       no,   MINUS, no, no, // at the start
  ZERO,     DIGITS,   no,    no,       no,   no,    no, no, // MINUS
  no,       no,       POINT, EXPONENT, no,   no,    no, no, // ZERO
  DIGITS,   DIGITS,   POINT, EXPONENT, no,   no,    no, no, // DIGITS
  FRACTION, FRACTION, no,    no,       no,   no,    no, no, // POINT
  FRACTION, FRACTION, no,    EXPONENT, no,   no,    no, no, // FRACTION
  POWER,    POWER,    no,    no,       SIGN, SIGN,  no, no, // EXPONENT
  POWER,    POWER,    no,    no,       no,   no,    no, no, // SIGN
  POWER,    POWER,    no,    no,       no,   no,    no, no, // POWER
]);

const CLASSES = new Uint8Array(256).fill(6);
CLASSES[0x30] = 0;
CLASSES.fill(1, 0x31, 0x3a);
CLASSES[0x2e] = 2;
CLASSES[0x65] = 3;
CLASSES[0x45] = 3;
CLASSES[0x2b] = 4;
CLASSES[0x2d] = 5;
