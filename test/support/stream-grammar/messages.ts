import { type Faults, isPlain, openFaults, parsed, type SentFrame, type Wire } from "./faults.ts";

/** The grammar of messages streams (rules 6, 13, 14, 19, 33). */
export function messagesFaults(frames: readonly SentFrame[]): readonly string[] {
  const faults = openFaults();
  const { must } = faults;
  const events: Wire[] = frames.map(({ data }) => parsed(data));
  must(events.every(isPlain), "every event is an object");
  must(
    frames.every(({ name }, at) => name === events[at]?.type),
    "every event is named as its type",
  );
  const broken = events.at(-1)?.type === "error";
  const all = (type: string): Wire[] => events.filter((event) => event?.type === type);
  const once = (type: string, at: number): void =>
    must(all(type).length === 1 && events.at(at)?.type === type, `${type} comes once, in its place`);
  if (broken && events.length === 1) return faults.found;
  once("message_start", 0);
  judgeStart(events[0]?.message, faults);
  must(all("error").length === (broken ? 1 : 0), "an error ends the stream");
  if (broken) {
    must(all("message_stop").length + all("message_delta").length === 0, "a broken stream looks unfinished");
  } else {
    once("message_delta", -2);
    once("message_stop", -1);
    must(typeof events.at(-2)?.delta?.stop_reason === "string", "message_delta says why it stops");
    must(Number.isInteger(events.at(-2)?.usage?.output_tokens), "message_delta counts the output");
  }
  const cut = ["max_tokens", "model_context_window_exceeded", "refusal"];
  judgeBlocks(events, broken || cut.includes(events.at(-2)?.delta?.stop_reason), faults);
  return faults.found;
}

function judgeStart(message: Wire, { must }: Faults): void {
  must(message?.content?.length === 0, "a message starts empty");
  must(message?.stop_reason === null, "a message starts without a reason to stop");
  must(message?.usage?.input_tokens > 0, "the start counts some input");
}

interface OpenBlock {
  readonly index: number;
  readonly block: Wire;
  text: string;
  signed: boolean;
}

/** `cut`: the last block may have broken off in its midst. */
function judgeBlocks(events: readonly Wire[], cut: boolean, faults: Faults): void {
  const { must } = faults;
  let next = 0;
  let open: OpenBlock | undefined;
  for (const event of events) {
    if (!String(event?.type).startsWith("content_block_")) {
      must(open === undefined || event?.type === "ping" || event?.type === "error", "blocks end first");
      continue;
    }
    if (event.type === "content_block_start") {
      must(open === undefined, "blocks come one after the other");
      must(event.index === next, "blocks are numbered without a gap");
      next += 1;
      open = { index: event.index, block: event.content_block, text: "", signed: false };
      judgeBlockStart(open, faults);
      continue;
    }
    must(open?.index === event.index, "what comes belongs to the open block");
    if (open === undefined) continue;
    if (event.type === "content_block_delta") {
      readDelta(open, event.delta, faults);
    } else {
      judgeBlockEnd(open, cut, faults);
      open = undefined;
    }
  }
  must(open === undefined || cut, "every block ends");
}

function judgeBlockStart({ block }: OpenBlock, { must }: Faults): void {
  if (block.type === "tool_use") {
    must(isPlain(block.input) && Object.keys(block.input).length === 0, "a call starts with no input");
    must(/^[a-zA-Z0-9_-]+$/.test(block.id), "a call's id has plain letters only");
  }
  if (block.type === "text") must(block.text === "", "a text starts empty");
  if (block.type === "thinking") must(block.thinking === "", "a thought starts empty");
}

const DELTAS: ReadonlyMap<string, readonly string[]> = new Map([
  ["text", ["text_delta", "citations_delta"]],
  ["thinking", ["thinking_delta", "signature_delta"]],
  ["tool_use", ["input_json_delta"]],
]);

function readDelta(open: OpenBlock, delta: Wire, { must }: Faults): void {
  const known = DELTAS.get(open.block.type);
  must(known === undefined || known.includes(delta.type), `a ${open.block.type} takes no ${delta.type}`);
  must(!open.signed, "nothing follows a thought's signature");
  open.signed = delta.type === "signature_delta";
  const piece = delta.text ?? delta.thinking ?? delta.partial_json;
  if (piece !== undefined) must(piece !== "", "no delta is empty");
  open.text += piece ?? "";
}

function judgeBlockEnd({ block, text }: OpenBlock, cut: boolean, { must }: Faults): void {
  if (block.type === "text") must(text !== "", "no text is empty");
  if (block.type === "tool_use" && !cut) must(isPlain(parsed(text)), "arguments are an object");
}
