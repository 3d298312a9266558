import { appendAll } from "../../base/append-all.ts";
/**
 * Headers of an upstream's response as the HTTP client has them: name, value, name, value. Vendors send some thirty of
 * which one or two are wanted, so each is read when it is asked for.
 */
export class RawHeaders {
  readonly #list: readonly Buffer[];

  constructor(list: readonly Buffer[]) {
    this.#list = list;
  }

  /** The value of one, by its name in lower case; what comes several times is joined with commas, as HTTP reads it. */
  get(name: string): string | undefined {
    let value: string | undefined;
    for (let index = 0; index < this.#list.length; index += 2) {
      if (this.#list[index]?.length !== name.length || this.#nameAt(index) !== name) continue;
      value = this.#joined(value, index);
    }
    return value;
  }

  /** All of them, for whoever does not know which matter. */
  all(): Readonly<Record<string, string>> {
    const all = new Map<string, string>();
    for (let index = 0; index < this.#list.length; index += 2) {
      const name = this.#nameAt(index);
      all.set(name, this.#joined(all.get(name), index));
    }
    return Object.fromEntries(all);
  }

  /** The same but for one header. */
  with(name: string, value: string): RawHeaders {
    const list: Buffer[] = [];
    for (let index = 0; index < this.#list.length; index += 2) {
      if (this.#nameAt(index) !== name) appendAll(list, this.#list.slice(index, index + 2));
    }
    return new RawHeaders([...list, Buffer.from(name), Buffer.from(value)]);
  }

  #nameAt(index: number): string {
    return (this.#list[index]?.toString("latin1") ?? "").toLowerCase();
  }

  #joined(before: string | undefined, index: number): string {
    const value = this.#list[index + 1]?.toString("latin1") ?? "";
    return before === undefined ? value : `${before}, ${value}`;
  }
}
