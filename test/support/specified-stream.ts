import { isDeepStrictEqual } from "node:util";

interface Choice {
  readonly index?: number;
  readonly delta?: {
    readonly role?: string | null;
    readonly content?: unknown;
    readonly tool_calls?: unknown;
    readonly function_call?: unknown;
  };
  readonly usage?: object | null;
}

interface Chunk {
  readonly choices?: readonly Choice[] | null;
  readonly usage?: object | null;
  readonly error?: unknown;
  readonly [field: string]: unknown;
}

/** A frame's bytes where they pass as they came, else the event that is told in its place; usage may be whatever was charged. */
type Due = string | object | typeof CHARGED;

const CHARGED = Symbol("a chunk of usage");

/** Splits a stream at blank lines, which stay with their frames. */
export function framesOf(stream: string): readonly string[] {
  return stream.split(/(?<=\r?\n\r?\n)/);
}

/** The frames that a caller of chat completions reads of a vendor's stream, computed on values and not on bytes. */
export function specifiedStream(stream: string, asksUsage: boolean): readonly Due[] {
  const due: Due[] = [];
  const opened = new Set<number>();
  let counted: Due | undefined;
  // The beginning of the response counts: some vendors give chunks ids of their own.
  let beginning: object | undefined;
  for (const frame of framesOf(stream)) {
    const chunk = chunkIn(frame);
    if (/^data: ?\[DONE\]/.test(frame) && asksUsage) due.push(counted ?? CHARGED);
    if (chunk === undefined || chunk.error !== undefined) due.push(frame);
    // No client may rely on frames after an error.
    if (chunk?.error !== undefined) break;
    if (chunk === undefined) continue;
    const { choices, usage, ...head } = chunk;
    const { id, object = "chat.completion.chunk", created, model } = chunk as Record<string, unknown>;
    const heading = { id, object, created, model };
    if ((choices ?? []).length === 0 && usage) {
      counted = asksUsage ? frame : undefined;
      continue;
    }
    if ((choices ?? []).length > 0) beginning ??= heading;
    const told = (choices ?? []).map((choice) => {
      const { index = 0, delta = {} } = choice;
      const { role, ...rest } = delta;
      const isFirst = choice.delta !== undefined && !opened.has(index);
      opened.add(index);
      const isApart = isFirst && (!role || (delta.content ?? "") !== "");
      if (isApart) {
        const opening = { index, delta: { role: "assistant", content: "" }, finish_reason: null };
        due.push({ ...heading, choices: [opening] });
      }
      const isCut = (isApart && role) || (role && !isFirst);
      const { usage: own, ...others } = choice;
      if (own && asksUsage) counted = { ...beginning, choices: [], usage: own };
      // Vendors write no text beside a call; a role alone has an empty one.
      const isBare = isFirst && !isApart && !("tool_calls" in delta || "function_call" in delta);
      const told = isBare ? { ...delta, content: delta.content ?? "" } : delta;
      return { ...others, ...(choice.delta === undefined ? {} : { delta: isCut ? rest : told }) };
    });
    if (usage && asksUsage) counted = { ...beginning, choices: [], usage };
    const whole = { ...head, ...(choices === undefined ? {} : { choices: told }) };
    const event = asksUsage && usage === null ? { ...whole, usage } : whole;
    due.push(isDeepStrictEqual(event, chunk) ? frame : event);
  }
  return due;
}

/** True if the frames are the due ones: the same bytes, or an event of that value. */
export function isSpecified(frames: readonly string[], due: readonly Due[]): boolean {
  return due.every((each, at) => {
    const frame = frames[at] ?? "";
    if (typeof each === "symbol") {
      const { choices, usage } = chunkIn(frame) ?? {};
      return choices?.length === 0 && typeof usage === "object" && usage !== null;
    }
    return typeof each === "string" ? frame === each : isDeepStrictEqual(plain(chunkIn(frame)), plain(each));
  });
}

function chunkIn(frame: string): Chunk | undefined {
  const data = /^data: ?(\{.*\})/m.exec(frame)?.[1];
  return data === undefined ? undefined : JSON.parse(data);
}

/** Without fields that are undefined. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
