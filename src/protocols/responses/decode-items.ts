import type { BlockWriter } from "../../conversation/adapt/blocks.ts";
import { textOfArguments } from "../../conversation/adapt/whole-calls.ts";
import { makeCallId } from "../../conversation/lower/names.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import { asArray, asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { decodeAnnotation, decodeImageCall } from "./decode-parts.ts";
import { argumentsOf, decodeCallHead, foreignOutput } from "./decode-response.ts";
import { BETWEEN_THOUGHTS, issuedState } from "./reasoning-item.ts";

/** The items of a streamed response so far, by place in the output, as the events tell it. Its readers change it. */
export type ItemsState = Map<string, ItemState>;

interface ItemState {
  /** The parts of which something was told, by their place in the item. */
  readonly emitted: Map<string, EmittedText>;
  /** The part of a message that is being told. */
  part: string | undefined;
  done: boolean;
}

interface EmittedText {
  text: string;
  citations: number;
}

/** Reads the events of one step into blocks. */
export interface ItemReader {
  read(type: string, event: JsonObject): void;
  /** Makes up for items that the stream did not finish itself, from the response at its end. */
  finish(output: readonly JsonObject[]): void;
}

export function readItems(items: ItemsState, blocks: BlockWriter, plan: ResponsePlan): ItemReader {
  return new StepItems(items, blocks, plan);
}

/** A class, because one is made for each event of a stream: closures cost more than all it does. */
class StepItems implements ItemReader {
  readonly #items: ItemsState;
  readonly #blocks: BlockWriter;
  readonly #plan: ResponsePlan;

  constructor(items: ItemsState, blocks: BlockWriter, plan: ResponsePlan) {
    this.#items = items;
    this.#blocks = blocks;
    this.#plan = plan;
  }

  finish(output: readonly JsonObject[]): void {
    const finished = [...this.#items.values()].filter(({ done }) => done).length;
    if (finished >= output.length) return;
    for (const [index, item] of output.entries()) {
      if (!this.#isDone(String(index))) this.#finishItem(String(index), index, item);
    }
  }

  #isDone(place: string): boolean {
    return this.#items.get(place)?.done === true;
  }

  #itemAt(place: string): ItemState {
    const known = this.#items.get(place);
    if (known !== undefined) return known;
    const item = { emitted: new Map<string, EmittedText>(), part: undefined, done: false };
    this.#items.set(place, item);
    return item;
  }

  #emittedOf(place: string, part: string): Readonly<EmittedText> {
    return this.#items.get(place)?.emitted.get(part) ?? NOTHING_EMITTED;
  }

  #emit(place: string, part: string, piece: string, citations = 0): void {
    const { emitted } = this.#itemAt(place);
    const before = emitted.get(part);
    if (before === undefined) emitted.set(part, { text: piece, citations });
    else {
      before.text += piece;
      before.citations += citations;
    }
  }

  /** Returns the end of a text that its pieces left out, once the text is stated as a whole. */
  #restOf(place: string, part: string, whole: string): string {
    const { text } = this.#emittedOf(place, part);
    // The length is compared first, because comparing texts joins the pieces so far, however short the whole is.
    return whole.length > text.length && whole.startsWith(text) ? whole.slice(text.length) : "";
  }

  #text(place: string, part: string, piece: string, refusal: boolean): void {
    if (piece === "") return;
    const key = `${place} ${part}`;
    // A new part of the item ends the one before it.
    const item = this.#itemAt(place);
    if (item.part !== undefined && item.part !== part) this.#blocks.close(`${place} ${item.part}`);
    item.part = part;
    this.#blocks.text({ key, choice: 0 }, piece, refusal);
    this.#emit(place, part, piece);
  }

  #thought(place: string, part: string, piece: string): void {
    if (piece === "") return;
    const { emitted } = this.#itemAt(place);
    const more = emitted.size > 0 && !emitted.has(part);
    this.#blocks.reasoning({ key: place, choice: 0 }, more ? `${BETWEEN_THOUGHTS}${piece}` : piece);
    this.#emit(place, part, piece);
  }

  #cite(place: string, part: string, annotation: JsonObject): void {
    const key = `${place} ${part}`;
    if (!this.#blocks.isOpen(key)) return;
    this.#blocks.citation(key, decodeAnnotation(annotation));
    this.#emit(place, part, "", 1);
  }

  #startCall(place: string, item: JsonObject): void {
    const { id, ...head } = decodeCallHead(item);
    if (head.name === "" || this.#blocks.isOpen(place)) return;
    const block = this.#blocks.state.next;
    this.#blocks.toolCall(
      { key: place, choice: 0 },
      { id: id === "" ? makeCallId(this.#plan.seed, block) : id, ...head },
    );
  }

  #callText(place: string, piece: string): void {
    if (piece !== "" && this.#blocks.arguments(place, piece)) this.#emit(place, ARGUMENTS, piece);
  }

  #finishContent(place: string, index: number, part: JsonObject): void {
    const key = String(index);
    const refusal = asText(part["refusal"]);
    this.#text(place, key, this.#restOf(place, key, refusal || asText(part["text"])), refusal !== "");
    const cited = asObjects(part["annotations"]).slice(this.#emittedOf(place, key).citations);
    for (const annotation of cited) this.#cite(place, key, annotation);
    this.#blocks.close(`${place} ${key}`);
  }

  #finishItem(place: string, index: number, item: JsonObject): void {
    switch (item["type"]) {
      case "message":
        for (const [at, part] of asArray(item["content"]).entries())
          this.#finishContent(place, at, asObject(part) ?? {});
        break;
      case "reasoning":
        this.#finishThoughts(place, item);
        break;
      case "function_call":
      case "custom_tool_call":
        this.#startCall(place, item);
        this.#callText(place, this.#restOf(place, ARGUMENTS, argumentsOf(item)));
        this.#blocks.close(place);
        break;
      default:
        this.#blocks.whole(0, decodeImageCall(item) ?? foreignOutput(item, index));
    }
    // The item is complete: nothing more of it is read.
    const known = this.#itemAt(place);
    known.emitted.clear();
    known.done = true;
  }

  #finishThoughts(place: string, item: JsonObject): void {
    for (const field of ["summary", "content"] as const) {
      for (const [at, part] of asArray(item[field]).entries()) {
        const name = `${field} ${at}`;
        this.#thought(place, name, this.#restOf(place, name, asText(asObject(part)?.["text"])));
      }
    }
    const opaque = issuedState(item, this.#plan.origin);
    if (opaque !== undefined) this.#blocks.reasoning({ key: place, choice: 0 }, "");
    this.#blocks.close(place, { opaque });
  }

  read(type: string, event: JsonObject): void {
    const place = placeOf(event);
    if (this.#isDone(place)) return;
    const item = asObject(event["item"]) ?? {};
    const content = indexOf(event["content_index"]);
    switch (type) {
      case "response.output_item.added":
        if (item["type"] === "function_call" || item["type"] === "custom_tool_call")
          this.#startCall(place, item);
        return;
      case "response.output_item.done":
        this.#finishItem(place, indexOf(event["output_index"]), item);
        return;
      case "response.output_text.delta":
        this.#text(place, String(content), asText(event["delta"]), false);
        return;
      case "response.refusal.delta":
        this.#text(place, String(content), asText(event["delta"]), true);
        return;
      // Some servers write no pieces, and some of these not even a whole item.
      case "response.output_text.done":
        this.#text(
          place,
          String(content),
          this.#restOf(place, String(content), asText(event["text"])),
          false,
        );
        return;
      case "response.refusal.done":
        this.#text(
          place,
          String(content),
          this.#restOf(place, String(content), asText(event["refusal"])),
          true,
        );
        return;
      case "response.output_text.annotation.added":
        this.#cite(place, String(content), asObject(event["annotation"]) ?? {});
        return;
      case "response.content_part.done": {
        const part = asObject(event["part"]) ?? {};
        if (part["type"] !== "reasoning_text") this.#finishContent(place, content, part);
        return;
      }
      case "response.reasoning_summary_text.delta":
        this.#thought(place, `summary ${indexOf(event["summary_index"])}`, asText(event["delta"]));
        return;
      case "response.reasoning_text.delta":
        this.#thought(place, `content ${content}`, asText(event["delta"]));
        return;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        this.#callText(place, textOfArguments(event["delta"]));
        return;
      case "response.function_call_arguments.done":
        this.#callText(place, this.#restOf(place, ARGUMENTS, textOfArguments(event["arguments"])));
        return;
      case "response.custom_tool_call_input.done":
        this.#callText(place, this.#restOf(place, ARGUMENTS, textOfArguments(event["input"])));
        return;
      default:
    }
  }
}

/** The position of an event's item in the output; vendors that leave the number out name the item. */
function placeOf(event: JsonObject): string {
  const index = event["output_index"];
  return typeof index === "number" ? String(index) : asText(event["item_id"]);
}

function indexOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

const ARGUMENTS = "arguments";
const NOTHING_EMITTED: Readonly<EmittedText> = { text: "", citations: 0 };
