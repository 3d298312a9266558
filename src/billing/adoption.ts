import { crashPoint } from "../base/crash-point.ts";
import { lineOf } from "./line.ts";
import { type EndedHold, Posting, rowOfLines } from "./posting.ts";
import type { SpoolContents } from "./spool-files.ts";
import type { SpoolStore, TickAnswer, TickRequest } from "./tick.ts";

const MOST_LINES = 1_000;

/**
 * Finishes the spool of a dead process: posts its lines under its own watermark, records what it had begun
 * and not ended as `interrupted` at no charge, returns its leases. All of it may happen twice, also by two
 * processes at once: each statement names the tick it knows, the watermark tells posted lines, and an
 * interrupted request is recorded once. Gives false where the database has no such spool (it is another one,
 * or an older backup): nothing was done then.
 */
export async function adoptSpool(
  store: SpoolStore,
  spool: string,
  contents: SpoolContents,
): Promise<boolean> {
  let state = await store.read(spool);
  if (!state) return false;
  const lines = finishedLines(contents);
  while (lines.some(({ number }) => number > watermark(state))) {
    const due = lines.filter(({ number }) => number > watermark(state)).slice(0, MOST_LINES);
    state = await store.tick(request(spool, state, due, []));
    if (!state) return false;
  }
  const interrupted = interruptedLines(contents);
  for (let done = 0; done < interrupted.length; ) {
    state = await store.tick(request(spool, state, [], interrupted.slice(done, done + MOST_LINES)));
    if (!state) return false;
    if (state.applied) done += MOST_LINES;
  }
  crashPoint("spool.adopt.before-close");
  while (!state.closed && !(await store.close(spool, state.tick))) {
    const read = await store.read(spool);
    if (!read) return false;
    state = read;
  }
  return true;
}

function watermark(state: TickAnswer | undefined): number {
  return state?.posted ?? 0;
}

interface FinishedLine extends EndedHold {
  readonly beginLine: string;
  readonly endLine: string;
}

function finishedLines({ begins, ends }: SpoolContents): FinishedLine[] {
  const lines: FinishedLine[] = [];
  for (const [number, { begin, json }] of ends) {
    const beginLine = begins.get(begin);
    // A begin line is deleted only after its end is posted, so this end is posted too.
    if (beginLine === undefined) continue;
    const { hold, ledgers } = JSON.parse(beginLine) as { hold: string; ledgers: string[] };
    const { hold: grown = hold } = JSON.parse(json) as { hold?: string };
    lines.push({ number, balance: ledgers[0] ?? "", holdNanos: BigInt(grown), beginLine, endLine: json });
  }
  return lines.sort((one, other) => one.number - other.number);
}

function interruptedLines({ begins, ends }: SpoolContents): string[] {
  const ended = new Set([...ends.values()].map(({ begin }) => begin));
  return [...begins].filter(([number]) => !ended.has(number)).map(([, line]) => line);
}

function request(
  spool: string,
  { tick, posted }: TickAnswer,
  lines: readonly FinishedLine[],
  interrupted: readonly string[],
): TickRequest {
  const posting = new Posting();
  for (const line of lines) posting.add(line, rowOfLines(lineOf(line.beginLine), lineOf(line.endLine)));
  return { spool, tick, upto: lines.at(-1)?.number ?? posted, lines: posting, interrupted, asks: [] };
}
