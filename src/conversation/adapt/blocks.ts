import type { ChatEvent } from "../event.ts";
import type { Citation, ForeignPart, JsonObject, MediaPart } from "../request.ts";
import type { Opaque } from "../state/opaque.ts";

/** The blocks of a stream that is being decoded. A machine keeps it in its state, and its writers change it. */
export interface BlockState {
  /** The number of the next block. */
  next: number;
  /** The open blocks by their identity on the wire, e.g. the index there; in the order of their starts. */
  readonly open: Map<string, OpenBlock>;
}

interface OpenBlock {
  readonly kind: "text" | "reasoning" | "tool-call";
  readonly block: number;
  readonly choice: number;
}

export function noBlocks(): BlockState {
  return { next: 0, open: new Map() };
}

/**
 * Writes the events of one step. Each block is started once and ended once, whatever the wire does:
 * what comes for a block that is not open starts it, what comes for a closed key starts a new one.
 */
export interface BlockWriter {
  /** An error is the last event of a stream: what the rest of the step would tell is dropped. */
  emit(event: ChatEvent): void;
  /** A piece of text; starts the block where it must, even for "". */
  text(at: BlockKey, text: string, refusal?: boolean): void;
  reasoning(at: BlockKey, text: string): void;
  /** Starts a call, or does nothing where it is open. */
  toolCall(at: BlockKey, call: CallStart): void;
  /** A piece of arguments for an open call; false where there is none. */
  arguments(key: string, text: string): boolean;
  /** A citation of the open text; dropped where there is none. */
  citation(key: string, citation: Citation): void;
  whole(choice: number, part: MediaPart | ForeignPart): void;
  close(key: string, end?: BlockEnd): void;
  /** Closes every open block of a choice, or of all, in the order of their starts. */
  closeAll(choice?: number): void;
  isOpen(key: string): boolean;
  readonly state: BlockState;
  readonly events: readonly ChatEvent[];
}

export interface BlockKey {
  readonly key: string;
  readonly choice: number;
}

export interface CallStart {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly custom?: true | undefined;
  readonly byCode?: JsonObject | undefined;
  readonly opaque?: Opaque | undefined;
}

export interface BlockEnd {
  readonly opaque?: Opaque | undefined;
  readonly redacted?: true | undefined;
}

export function writeBlocks(state: BlockState): BlockWriter {
  return new StepWriter(state);
}

/** A class, because one is made for each event of a stream: closures cost more than all it does. */
class StepWriter implements BlockWriter {
  readonly events: ChatEvent[] = [];
  readonly state: BlockState;
  #hasFailed = false;

  constructor(state: BlockState) {
    this.state = state;
  }

  emit(event: ChatEvent): void {
    this.#emit(event);
    if (event.type === "error") this.#hasFailed = true;
  }

  text(at: BlockKey, text: string, refusal = false): void {
    const { choice } = at;
    const block = this.#reach(at, "text", (block) =>
      refusal ? { type: "text-start", block, choice, refusal: true } : { type: "text-start", block, choice },
    );
    if (text !== "") this.#emit({ type: "text-delta", block, text });
  }

  reasoning(at: BlockKey, text: string): void {
    const { choice } = at;
    const block = this.#reach(at, "reasoning", (block) => ({ type: "reasoning-start", block, choice }));
    if (text !== "") this.#emit({ type: "reasoning-delta", block, text });
  }

  toolCall(at: BlockKey, call: CallStart): void {
    const { choice } = at;
    this.#reach(at, "tool-call", (block) => ({ type: "tool-call-start", block, choice, ...call }));
  }

  arguments(key: string, text: string): boolean {
    const known = this.state.open.get(key);
    if (known?.kind !== "tool-call") return false;
    if (text !== "") this.#emit({ type: "tool-call-delta", block: known.block, arguments: text });
    return true;
  }

  citation(key: string, citation: Citation): void {
    const known = this.state.open.get(key);
    if (known?.kind === "text") this.#emit({ type: "citation", block: known.block, citation });
  }

  whole(choice: number, part: MediaPart | ForeignPart): void {
    const block = this.#number();
    this.#emit(
      part.kind === "media"
        ? { type: "media", block, choice, part }
        : { type: "foreign", block, choice, part },
    );
  }

  close(key: string, end?: BlockEnd): void {
    const known = this.state.open.get(key);
    if (known !== undefined) this.#close(key, known, end);
  }

  closeAll(choice?: number): void {
    for (const [key, block] of this.state.open) {
      if (choice === undefined || block.choice === choice) this.#close(key, block);
    }
  }

  isOpen(key: string): boolean {
    return this.state.open.has(key);
  }

  #emit(event: ChatEvent): void {
    if (!this.#hasFailed) this.events.push(event);
  }

  #number(): number {
    const block = this.state.next;
    this.state.next += 1;
    return block;
  }

  /** The open block of this kind under the key; one of another kind that stands there is closed first. */
  #reach({ key, choice }: BlockKey, kind: OpenBlock["kind"], onStart: (block: number) => ChatEvent): number {
    const known = this.state.open.get(key);
    if (known?.kind === kind) return known.block;
    if (known !== undefined) this.#close(key, known);
    const block = this.#number();
    this.state.open.set(key, { kind, block, choice });
    this.#emit(onStart(block));
    return block;
  }

  #close(key: string, { kind, block }: OpenBlock, end: BlockEnd = {}): void {
    this.state.open.delete(key);
    const opaque = end.opaque === undefined ? {} : { opaque: end.opaque };
    if (kind === "text") this.#emit({ type: "text-end", block, ...opaque });
    else if (kind === "tool-call") this.#emit({ type: "tool-call-end", block, ...opaque });
    else {
      const redacted = end.redacted === true ? { redacted: true as const } : {};
      this.#emit({ type: "reasoning-end", block, ...redacted, ...opaque });
    }
  }
}
