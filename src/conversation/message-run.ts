import type { Message, Part } from "./request.ts";

/**
 * Messages one after the other, the last of which may grow. Its parts are copied once, not for every part that is added, and what
 * it is made of is known without looking at them all: a turn may have as many parts as a body has room for.
 */
export class MessageRun {
  readonly messages: Message[] = [];
  /** The parts of the last message, once it has grown. */
  private grown: Part[] | undefined;
  private holdsOnlyResults = true;

  get last(): Message | undefined {
    return this.messages.at(-1);
  }

  /** True if the last message has nothing but results of tools; also where it has nothing. */
  get endsInResults(): boolean {
    return this.holdsOnlyResults;
  }

  push(message: Message): void {
    this.messages.push(message);
    this.grown = undefined;
    this.holdsOnlyResults = message.parts.every(isResult);
  }

  /** Adds the parts to the last message, which takes that name where it has none. */
  grow(parts: readonly Part[], name?: string): void {
    const last = this.messages.pop();
    if (last === undefined) throw new Error("there is no message that could grow");
    this.grown ??= [...last.parts];
    for (const part of parts) this.grown.push(part);
    this.holdsOnlyResults &&= parts.every(isResult);
    this.messages.push({ ...last, name: last.name ?? name, parts: this.grown });
  }
}

function isResult({ kind }: Part): boolean {
  return kind === "tool-result";
}
