import { JsonFault, notAnObject, rawControl, unexpectedByte } from "./json-fault.ts";
import { isWholeNumber, NO_NUMBER, NUMBER_START, numberStep } from "./json-number.ts";
import { StringScan } from "./string-scan.ts";

export type JsonType = "string" | "number" | "boolean" | "object" | "array" | "null";

/**
 * The receiver of a body's tokens, in order. A token's text comes as bytes of its chunk, raw and without quotes; of a
 * token that a chunk's end cuts, only the first KEPT_BYTES are there.
 */
export interface JsonSink {
  /** True if the next scalar is to be told; the lexer skips over all others. */
  readonly wantsScalar: boolean;
  key(text: TokenText, start: number, end: number, commaBefore: number): void;
  /** `text` is absent for true, false and null. */
  scalar(type: JsonType, start: number, end: number, text: TokenText | undefined): void;
  open(type: "object" | "array", start: number): void;
  /** `items` are the elements or members of what closes. */
  close(end: number, items: number): void;
}

/** The lexer has one, which it fills anew for each token: it is valid during the call that hands it over. */
export interface TokenText {
  bytes: Buffer;
  start: number;
  end: number;
  /** Has backslashes. */
  escaped: boolean;
}

/** The deepest nesting that is accepted, the body's own object included: no real request comes near it. */
const MAX_DEPTH = 64;

/** The bytes that are kept of a token that a chunk's end cuts: enough for any text the gateway reads. */
const KEPT_BYTES = 1024;

/**
 * Checks the grammar of one JSON object that arrives in chunks cut anywhere (RFC 8259, as strict as
 * JSON.parse, but for UTF-8, which utf8.ts checks). Between chunks it keeps a few numbers and
 * at most KEPT_BYTES of one token, so a body of any size costs nothing but the reading.
 */
export class JsonLexer {
  private readonly sink: JsonSink;
  private readonly plainRun = new StringScan();
  private readonly token: TokenText = { bytes: NOTHING, start: 0, end: 0, escaped: false };
  private mode = TOP;
  /** Bytes of all chunks before this one. */
  private offset = 0;
  /** Values behind which a comma or the end of what they stand in has come, at any depth. */
  private passed = 0;
  private inObject = false;
  private commas = 0;
  private readonly outerInObject: boolean[] = [];
  private readonly outerCommas: number[] = [];
  private commaAt = -1;

  // The token that is being read: its first byte's offset, and what arrived of it in earlier chunks.
  private tokenStart = 0;
  private kept: Buffer = NOTHING;
  private isKey = false;
  private escaped = false;
  /** Inside an escape: BACKSLASH_SEEN, or the hexadecimal digits still to come. */
  private escapeLeft = 0;
  private numberState = 0;
  private literal: Literal = NULL;
  private literalLeft = 0;

  constructor(sink: JsonSink) {
    this.sink = sink;
  }

  write(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.mode === STRING) at = this.string(chunk, at);
      else if (this.mode === NUMBER) at = this.number(chunk, at);
      else if (this.mode === LITERAL) at = this.word(chunk, at);
      else at = this.punctuation(chunk, at);
    }
    if (this.mode === STRING || this.mode === NUMBER) this.keep(chunk);
    this.offset += chunk.length;
  }

  /** How many values have been read; of each container that is still open the last one is not counted yet. */
  get values(): number {
    return this.passed;
  }

  /** No more bytes. Unless it throws it keeps nothing of them, and the next body may follow. */
  end(): void {
    if (this.mode !== DONE) {
      const what =
        this.mode === TOP
          ? "The body is empty; send a JSON object."
          : "The body ends before its JSON is complete.";
      throw new JsonFault("syntax", this.offset, what);
    }
    this.mode = TOP;
    this.offset = 0;
    this.passed = 0;
    this.token.bytes = NOTHING;
    this.plainRun.forget();
  }

  /** Whitespace and the characters between tokens, up to the next string, number or word. */
  private punctuation(chunk: Buffer, at: number): number {
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      switch (this.mode) {
        case AFTER_VALUE:
          if (byte === COMMA) this.comma(at);
          else if (byte === (this.inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) this.close(at, this.commas + 1);
          else this.refuse(chunk, at, this.inObject ? 'a comma or "}"' : 'a comma or "]"');
          break;
        case COLON:
          if (byte !== 0x3a) this.refuse(chunk, at, "a colon");
          this.mode = VALUE;
          break;
        case KEY:
        case FIRST_KEY:
          if (byte === QUOTE) return this.openString(at, true);
          if (byte !== CLOSE_OBJECT || this.mode === KEY) this.refuse(chunk, at, "a key in double quotes");
          this.close(at, 0);
          break;
        case FIRST_VALUE:
          if (byte === CLOSE_ARRAY) this.close(at, 0);
          else if (this.value(chunk, at, byte)) return at + 1;
          break;
        case VALUE:
          if (this.value(chunk, at, byte)) return at + 1;
          break;
        case TOP:
          if (byte !== OPEN_OBJECT) throw notAnObject(byte, this.offset + at);
          this.open("object", at);
          break;
        default:
          this.refuse(chunk, at, "the end of the body");
      }
    }
    return at;
  }

  /** Begins a value; true where what follows is no longer punctuation. */
  private value(chunk: Buffer, at: number, byte: number): boolean {
    switch (byte) {
      case QUOTE:
        this.openString(at, false);
        return true;
      case OPEN_OBJECT:
        this.open("object", at);
        return false;
      case OPEN_ARRAY:
        this.open("array", at);
        return false;
      case 0x74:
        return this.openWord(TRUE, at);
      case 0x66:
        return this.openWord(FALSE, at);
      case 0x6e:
        return this.openWord(NULL, at);
      default: {
        const state = numberStep(NUMBER_START, byte);
        if (state === NO_NUMBER) this.refuse(chunk, at, "a value");
        this.tokenStart = this.offset + at;
        this.numberState = state;
        this.escaped = false;
        this.mode = NUMBER;
        return true;
      }
    }
  }

  private open(type: "object" | "array", at: number): void {
    if (this.outerInObject.length === MAX_DEPTH) {
      const message = `The body is nested deeper than ${MAX_DEPTH} levels.`;
      throw new JsonFault("depth", this.offset + at, message);
    }
    this.outerInObject.push(this.inObject);
    this.outerCommas.push(this.commas);
    this.inObject = type === "object";
    this.commas = 0;
    this.mode = this.inObject ? FIRST_KEY : FIRST_VALUE;
    this.commaAt = -1;
    this.sink.open(type, this.offset + at);
  }

  private close(at: number, items: number): void {
    this.inObject = this.outerInObject.pop() ?? false;
    this.commas = this.outerCommas.pop() ?? 0;
    this.mode = this.outerInObject.length === 0 ? DONE : AFTER_VALUE;
    if (items > 0) this.passed += 1;
    this.sink.close(this.offset + at + 1, items);
  }

  private comma(at: number): void {
    this.commas += 1;
    this.passed += 1;
    this.commaAt = this.offset + at;
    this.mode = this.inObject ? KEY : VALUE;
  }

  private openString(at: number, isKey: boolean): number {
    this.tokenStart = this.offset + at;
    this.isKey = isKey;
    this.escaped = false;
    this.mode = STRING;
    return at + 1;
  }

  private string(chunk: Buffer, at: number): number {
    if (this.escapeLeft !== 0) at = this.escape(chunk, at);
    for (;;) {
      at = this.plainRun.end(chunk, at);
      if (at === chunk.length) return at;
      const byte = chunk[at] as number;
      if (byte === QUOTE) {
        this.closeString(chunk, at);
        return at + 1;
      }
      if (byte !== BACKSLASH) throw rawControl(byte, this.offset + at, this.tokenStart);
      this.escaped = true;
      if (at + 1 < chunk.length && ESCAPES[chunk[at + 1] as number] === 1) {
        at += 2;
        continue;
      }
      this.escapeLeft = BACKSLASH_SEEN;
      at = this.escape(chunk, at + 1);
    }
  }

  /** The rest of an escape, as much of it as this chunk holds. */
  private escape(chunk: Buffer, at: number): number {
    for (; this.escapeLeft !== 0 && at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.escapeLeft !== BACKSLASH_SEEN) {
        if (!isHexDigit(byte)) this.refuse(chunk, at, "a hexadecimal digit");
        this.escapeLeft -= 1;
      } else if (byte === 0x75) {
        this.escapeLeft = 4;
      } else {
        if (ESCAPES[byte] !== 1) this.refuse(chunk, at, 'one of "\\/bfnrtu after a backslash');
        this.escapeLeft = 0;
      }
    }
    return at;
  }

  private closeString(chunk: Buffer, at: number): void {
    const end = this.offset + at + 1;
    if (this.isKey) {
      this.mode = COLON;
      this.sink.key(this.text(chunk, this.tokenStart + 1, at), this.tokenStart, end, this.commaAt);
    } else {
      this.mode = AFTER_VALUE;
      if (this.sink.wantsScalar) {
        this.sink.scalar("string", this.tokenStart, end, this.text(chunk, this.tokenStart + 1, at));
      }
    }
    this.kept = NOTHING;
  }

  private number(chunk: Buffer, at: number): number {
    let state = this.numberState;
    while (at < chunk.length) {
      const next = numberStep(state, chunk[at] as number);
      if (next === NO_NUMBER) {
        if (!isWholeNumber(state)) this.refuse(chunk, at, "a digit");
        this.closeNumber(chunk, at);
        return at;
      }
      state = next;
      at += 1;
    }
    this.numberState = state;
    return at;
  }

  private closeNumber(chunk: Buffer, at: number): void {
    this.mode = AFTER_VALUE;
    if (this.sink.wantsScalar) {
      this.sink.scalar("number", this.tokenStart, this.offset + at, this.text(chunk, this.tokenStart, at));
    }
    this.kept = NOTHING;
  }

  private openWord(literal: Literal, at: number): boolean {
    this.tokenStart = this.offset + at;
    this.literal = literal;
    this.literalLeft = literal.rest.length;
    this.mode = LITERAL;
    return true;
  }

  private word(chunk: Buffer, at: number): number {
    const { rest, type } = this.literal;
    for (; this.literalLeft > 0 && at < chunk.length; at += 1) {
      if (chunk[at] !== rest[rest.length - this.literalLeft]) this.refuse(chunk, at, "true, false or null");
      this.literalLeft -= 1;
    }
    if (this.literalLeft === 0) {
      this.mode = AFTER_VALUE;
      if (this.sink.wantsScalar) this.sink.scalar(type, this.tokenStart, this.offset + at, undefined);
    }
    return at;
  }

  /** The text of the token that began at `from` and ends before this chunk's `at`. */
  private text(chunk: Buffer, from: number, at: number): TokenText {
    const { token } = this;
    token.escaped = this.escaped;
    token.start = from - this.offset;
    token.end = at;
    token.bytes = chunk;
    if (token.start < 0) {
      token.bytes = Buffer.concat([
        this.kept,
        chunk.subarray(0, Math.min(at, KEPT_BYTES - this.kept.length)),
      ]);
      token.start = 0;
      token.end = token.bytes.length;
    }
    return token;
  }

  /** Keeps the start of a token whose text will be wanted when its end has come. */
  private keep(chunk: Buffer): void {
    if (this.kept.length >= KEPT_BYTES) return;
    const isString = this.mode === STRING;
    if (!(isString && this.isKey) && !this.sink.wantsScalar) return;
    const start = Math.max(0, this.tokenStart + (isString ? 1 : 0) - this.offset);
    const piece = chunk.subarray(start, start + KEPT_BYTES - this.kept.length);
    this.kept = Buffer.concat([this.kept, piece]);
  }

  private refuse(chunk: Buffer, at: number, expected: string): never {
    throw unexpectedByte(chunk[at] as number, this.offset + at, expected);
  }
}

const NOTHING = Buffer.alloc(0);

// Modes: what may come next, or the token that is being read.
const TOP = 0;
const VALUE = 1;
const FIRST_VALUE = 2;
const KEY = 3;
const FIRST_KEY = 4;
const COLON = 5;
const AFTER_VALUE = 6;
const DONE = 7;
const STRING = 8;
const NUMBER = 9;
const LITERAL = 10;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

const BACKSLASH_SEEN = 5;
/** 1 for what may follow a backslash on its own. */
const ESCAPES = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) ESCAPES[byte] = 1;

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

interface Literal {
  readonly type: JsonType;
  readonly rest: Uint8Array;
}

const TRUE: Literal = { type: "boolean", rest: Buffer.from("rue") };
const FALSE: Literal = { type: "boolean", rest: Buffer.from("alse") };
const NULL: Literal = { type: "null", rest: Buffer.from("ull") };
