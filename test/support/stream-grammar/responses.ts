import { type Faults, isPlain, openFaults, parsed, type SentFrame, type Wire } from "./faults.ts";

/** The grammar of responses streams (rules 7, 12, 16, 19): the whole ladder of events, item by item. */
export function responsesFaults(frames: readonly SentFrame[]): readonly string[] {
  const faults = openFaults();
  const { must } = faults;
  const events: Wire[] = frames.map(({ data }) => parsed(data));
  must(events.every(isPlain), "every event is an object, [DONE] is never said");
  must(
    frames.every(({ name }, at) => name === events[at]?.type),
    "every event is named as its type",
  );
  if (events.length === 1 && events[0]?.type === "error") return faults.found;
  must(
    events.every((event, at) => event?.sequence_number === at),
    "events are numbered without a gap",
  );
  const last = events.at(-1);
  const end = ["response.completed", "response.incomplete", "response.failed"];
  must(end.includes(last?.type), "a response is completed, incomplete or failed at the end");
  must(
    events.slice(0, -1).every((event) => !end.includes(event?.type)),
    "nothing follows the end",
  );
  for (const [at, type] of ["response.created", "response.in_progress"].entries()) {
    must(events[at]?.type === type, `${type} comes in its place`);
    judgeAnnounced(events[at]?.response, faults);
  }
  must(new Set(announcements(events).map(({ id }) => id)).size === 1, "the response keeps its id");
  const broken = last?.type === "response.failed";
  const done = judgeItems(events.slice(2, -1), broken, faults);
  if (!broken) judgeFinal(last?.response, done, faults);
  else must(last.response?.error !== null && last.response?.status === "failed", "a failure says why");
  return faults.found;
}

function announcements(events: readonly Wire[]): Wire[] {
  return events.flatMap((event) => (event?.response === undefined ? [] : [event.response]));
}

function judgeAnnounced(response: Wire, { must }: Faults): void {
  must(response?.status === "in_progress", "a response is announced as in progress");
  must(response?.output?.length === 0, "a response is announced empty");
  must(Number.isInteger(response?.created_at), "a response is announced with its time");
  must(typeof response?.model === "string", "a response is announced with its model");
}

function judgeFinal(response: Wire, done: readonly Wire[], { must }: Faults): void {
  must(JSON.stringify(response?.output) === JSON.stringify(done), "the output is the items that were done");
  must((response?.incomplete_details === null) === (response?.status === "completed"), "its status is true");
  const usage = response?.usage;
  // An upstream that counted nothing leaves nothing to tell.
  if (usage === undefined) return;
  must(Number.isInteger(usage.input_tokens_details?.cached_tokens), "usage counts cached input");
  must(Number.isInteger(usage.output_tokens_details?.reasoning_tokens), "usage counts thoughts");
}

interface OpenItem {
  readonly index: number;
  readonly item: Wire;
  /** Texts that were told in pieces, by what they are. */
  readonly texts: Map<string, string>;
  /** Parts that are open, and those that are done. */
  readonly open: Set<string>;
  readonly parts: Wire[];
}

/** Reads all items; answers them as they were done. `broken`: the last may be left open. */
function judgeItems(events: readonly Wire[], broken: boolean, faults: Faults): readonly Wire[] {
  const { must } = faults;
  const done: Wire[] = [];
  const ids = new Set<string>();
  let open: OpenItem | undefined;
  for (const event of events) {
    must(event?.output_index === done.length, "events belong to the item that is open");
    if (event?.type === "response.output_item.added") {
      must(open === undefined, "items come one after the other");
      const { item } = event;
      must(!ids.has(item.id), "every item has an id of its own");
      ids.add(item.id);
      open = { index: done.length, item, texts: new Map(), open: new Set(), parts: [] };
      continue;
    }
    must(open !== undefined, "an item is added before anything of it");
    if (open === undefined) continue;
    if (event.type === "response.output_item.done") {
      judgeDone(open, event.item, faults);
      done.push(event.item);
      open = undefined;
    } else {
      must(event.item_id === open.item.id, "events name the item that is open");
      readPiece(open, event, faults);
    }
  }
  must(broken || open === undefined, "every item is done");
  return done;
}

function readPiece(open: OpenItem, event: Wire, { must }: Faults): void {
  const type = String(event.type).replace("response.", "");
  const key = `${event.content_index ?? event.summary_index ?? ""}`;
  const words = event.delta ?? event.text ?? event.refusal ?? event.arguments ?? event.input;
  if (/_part\.added$/.test(type)) {
    must(open.open.size === 0, "parts come one after the other");
    must(key === String(open.parts.length), "parts are numbered without a gap");
    open.open.add(key);
  } else if (/_part\.done$/.test(type)) {
    must(open.open.delete(key), "a part is added before it is done");
    must((open.texts.get(key) ?? "") === (event.part.text ?? event.part.refusal), "a part has what was told");
    open.parts.push(event.part);
  } else if (type.endsWith(".delta")) {
    must(key === "" || open.open.has(key), "a part is added before its text");
    open.texts.set(key, (open.texts.get(key) ?? "") + words);
  } else if (type.endsWith(".done")) {
    must((open.texts.get(key) ?? "") === words, "what is done is what was told");
  }
}

function judgeDone(open: OpenItem, item: Wire, { must }: Faults): void {
  const named = ({ id, type }: Wire): string => JSON.stringify([id, type]);
  must(named(item) === named(open.item), "what is done is what was added");
  must(open.open.size === 0, "parts are done before their item");
  const same = (told: unknown): boolean => JSON.stringify(told) === JSON.stringify(open.parts);
  if (item.type === "message") must(same(item.content), "a message holds its parts");
  if (item.type === "reasoning") must(same(item.summary), "a thought holds its parts");
  if (item.type === "function_call") {
    must(item.arguments === open.texts.get(""), "a call holds its arguments");
    must(typeof item.call_id === "string" && item.call_id.length <= 64, "a call's id is at most 64 letters");
  }
}
