import { failpoint } from "../../base/failpoint.ts";
import type { FlushRequest, FlushResult, JournalStore } from "./flush.ts";
import { type EndedHold, FlushBatch, rowOfRecords } from "./flush-batch.ts";
import type { JournalContents } from "./journal-files.ts";
import { recordOf } from "./journal-record.ts";

const MAX_RECORDS = 1_000;

/**
 * Finishes the journal of a dead process: posts its records under its own watermark, records what it had begun
 * and not ended as `interrupted` at no charge, returns its leases. All of it may happen twice, also by two
 * processes at once: each statement names the flush it knows, the watermark tells posted records, and an
 * interrupted request is recorded once. Gives false where the database has no such journal (it is another one,
 * or an older backup): nothing was done then.
 */
export async function recoverJournal(
  store: JournalStore,
  journal: string,
  contents: JournalContents,
): Promise<boolean> {
  let state = await store.read(journal);
  if (!state) return false;
  const records = finishedRecords(contents);
  while (records.some(({ number }) => number > watermark(state))) {
    const due = records.filter(({ number }) => number > watermark(state)).slice(0, MAX_RECORDS);
    state = await store.flush(request(journal, state, due, []));
    if (!state) return false;
  }
  const interrupted = interruptedRecords(contents);
  for (let done = 0; done < interrupted.length; ) {
    state = await store.flush(request(journal, state, [], interrupted.slice(done, done + MAX_RECORDS)));
    if (!state) return false;
    if (state.applied) done += MAX_RECORDS;
  }
  failpoint("journal.recover.before-close");
  while (!state.closed && !(await store.close(journal, state.flushNumber))) {
    const read = await store.read(journal);
    if (!read) return false;
    state = read;
  }
  return true;
}

function watermark(state: FlushResult | undefined): number {
  return state?.posted ?? 0;
}

interface FinishedRecord extends EndedHold {
  readonly beginRecord: string;
  readonly endRecord: string;
}

function finishedRecords({ begins, ends }: JournalContents): FinishedRecord[] {
  const records: FinishedRecord[] = [];
  for (const [number, { begin, json }] of ends) {
    const beginRecord = begins.get(begin);
    // A begin record is deleted only after its end is posted, so this end is posted too.
    if (beginRecord === undefined) continue;
    const { hold, ledgers } = JSON.parse(beginRecord) as { hold: string; ledgers: string[] };
    const { hold: grown = hold } = JSON.parse(json) as { hold?: string };
    records.push({
      number,
      balance: ledgers[0] ?? "",
      holdNanos: BigInt(grown),
      beginRecord,
      endRecord: json,
    });
  }
  return records.sort((one, other) => one.number - other.number);
}

function interruptedRecords({ begins, ends }: JournalContents): string[] {
  const ended = new Set([...ends.values()].map(({ begin }) => begin));
  return [...begins].filter(([number]) => !ended.has(number)).map(([, record]) => record);
}

function request(
  journal: string,
  { flushNumber: flush, posted }: FlushResult,
  records: readonly FinishedRecord[],
  interrupted: readonly string[],
): FlushRequest {
  const batch = new FlushBatch();
  for (const record of records)
    batch.add(record, rowOfRecords(recordOf(record.beginRecord), recordOf(record.endRecord)));
  return {
    journal,
    flushNumber: flush,
    flushedThrough: records.at(-1)?.number ?? posted,
    batch: batch,
    interrupted,
    deltas: [],
  };
}
