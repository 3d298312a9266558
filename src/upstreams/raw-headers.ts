/** Headers of an upstream's answer; names in lower case. */
export interface AnswerHeaders {
  /** The value of one; what comes several times is joined with commas, as HTTP reads it. */
  get(name: string): string | undefined;
  /** All of them, for whoever does not know which matter. */
  all(): Readonly<Record<string, string>>;
}

/**
 * Headers as the HTTP client has them: name, value, name, value. Vendors send some thirty of which one or two are
 * wanted, so each is read when it is asked for.
 */
export class RawHeaders implements AnswerHeaders {
  readonly #list: readonly Buffer[];

  constructor(list: readonly Buffer[]) {
    this.#list = list;
  }

  get(name: string): string | undefined {
    let value: string | undefined;
    for (let index = 0; index < this.#list.length; index += 2) {
      if (this.#list[index]?.length !== name.length || this.#nameAt(index) !== name) continue;
      value = value === undefined ? this.#valueAt(index) : `${value}, ${this.#valueAt(index)}`;
    }
    return value;
  }

  all(): Readonly<Record<string, string>> {
    const all = new Map<string, string>();
    for (let index = 0; index < this.#list.length; index += 2) {
      const name = this.#nameAt(index);
      const before = all.get(name);
      all.set(name, before === undefined ? this.#valueAt(index) : `${before}, ${this.#valueAt(index)}`);
    }
    return Object.fromEntries(all);
  }

  #nameAt(index: number): string {
    return (this.#list[index]?.toString("latin1") ?? "").toLowerCase();
  }

  #valueAt(index: number): string {
    return this.#list[index + 1]?.toString("latin1") ?? "";
  }
}
