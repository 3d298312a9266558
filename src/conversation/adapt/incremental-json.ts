/**
 * JSON text that comes in pieces. Each letter is looked at once: to ask of the whole text after each piece whether it is
 * complete would cost the square of its length.
 */
export class IncrementalJson {
  text = "";
  #depth = 0;
  #quoted = false;
  #escaped = false;
  /** `before` its first letter; `within` it; `behind` its end, where blanks alone may stand; `astray` there is more. */
  #phase: "before" | "within" | "behind" | "astray" = "before";
  #isObject: boolean | undefined;

  add(piece: string): void {
    this.text += piece;
    for (let at = 0; at < piece.length && this.#phase !== "astray"; at += 1)
      this.#readLetter(piece.charCodeAt(at));
  }

  /** True if it is an object from its first brace to its last, and so nothing can follow. */
  isWholeObject(): boolean {
    if (this.#phase !== "behind") return false;
    this.#isObject ??= isJson(this.text);
    return this.#isObject;
  }

  #readLetter(letter: number): void {
    if (this.#quoted) {
      if (this.#escaped) this.#escaped = false;
      else if (letter === BACKSLASH) this.#escaped = true;
      else if (letter === QUOTE) this.#quoted = false;
    } else if (letter <= SPACE) return;
    else if (this.#phase !== "within") {
      this.#phase = this.#phase === "before" && letter === OPENING_BRACE ? "within" : "astray";
      this.#depth = 1;
    } else if (letter === QUOTE) this.#quoted = true;
    else if (letter === OPENING_BRACE || letter === OPENING_BRACKET) this.#depth += 1;
    else if (letter === CLOSING_BRACE || letter === CLOSING_BRACKET) {
      this.#depth -= 1;
      if (this.#depth === 0) this.#phase = "behind";
    }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
