import { losesPrecision, writeExact } from "../../base/json/exact-json.ts";
import { asObject, asObjects, type JsonObject, parseLoosely, parseWhole } from "../json.ts";

/**
 * JSON text of an upstream that several readers look at: it is parsed once for all of them, when the first asks. They
 * share the values, and so must not change them.
 */
export class JsonText {
  readonly data: string;
  #value: unknown;
  #exact: unknown;
  #isParsed = false;
  #isExact = false;

  constructor(data: string) {
    this.data = data;
  }

  /** For counting; undefined where it is no JSON. */
  get value(): unknown {
    if (!this.#isParsed) {
      this.#value = parseLoosely(this.data);
      this.#isParsed = true;
    }
    return this.#value;
  }

  /** For what is written again: numbers have all their digits. Parsed anew only where there are too many for a double. */
  get exact(): unknown {
    if (!this.#isExact) {
      this.#exact = losesPrecision(this.data) ? parseWhole(this.data) : this.value;
      this.#isExact = true;
    }
    return this.#exact;
  }
}

/** One event of a stream, cut and parsed once for its meter and its decoder. */
export class StreamEvent extends JsonText {
  /** The value of its `event:` line; "" if it has none. */
  readonly name: string;
  #parts: readonly StreamEvent[] | undefined;

  constructor({ name = "", data }: { readonly name?: string | undefined; readonly data: string }) {
    super(data);
    this.name = name;
  }

  /**
   * The events that it is, which meters and decoders read: itself, or those of a list that its data is. Servers that stream a JSON
   * array may put several of its items into one event.
   */
  get parts(): readonly StreamEvent[] {
    this.#parts ??= this.#isList() ? this.#readParts() : [this];
    return this.#parts;
  }

  #isList(): boolean {
    return LIST.test(this.data) && Array.isArray(this.value);
  }

  #readParts(): readonly StreamEvent[] {
    const { name } = this;
    return asObjects(this.exact).map((item) => new StreamEvent({ name, data: writeExact(item) }));
  }

  /** The JSON object for counting: alone or at the head of an array; undefined if there is none. */
  get body(): JsonObject | undefined {
    const { value } = this;
    return asObject(Array.isArray(value) ? value[0] : value);
  }
}

const LIST = /^\s*\[/;
