/** The meaning of a vendor's word for a task's state. */
export type Meaning = "queued" | "running" | "succeeded" | "failed";

/**
 * Vendors' words for the states of asynchronous tasks, letters only and in lower case: relays change spelling and case
 * with their versions, so every kind knows all of them. A word that is not listed means running.
 */
const SYNONYMS: Readonly<Record<Meaning, string>> = {
  queued: `notstart notstarted new created accepted received submitted submitting queued queue queueing queuing inqueue
    onqueue enqueued pending wait waiting scheduled preparing prepared initializing initialized init todo throttled`,
  running: `running run processing process inprogress progress generating working started starting active executing
    rendering suspended paused resumed retrying uploading saving finalizing postprocessing`,
  succeeded:
    "succeeded succeed success successful successfully completed complete done finished finish ok ready",
  failed: `failed fail failure error errored exception cancelled canceled cancel cancelling canceling aborted abort expired
    expire timeout timedout rejected reject refused blocked moderated deleted revoked terminated killed stopped invalid`,
};

const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  (Object.keys(SYNONYMS) as Meaning[]).flatMap((meaning) =>
    SYNONYMS[meaning].split(/\s+/).map((word) => [word, meaning] as const),
  ),
);

/** The meaning of `In-Progress`, `IN_PROGRESS` and `inProgress` alike; undefined = an unknown word. */
export function meaningOf(word: string): Meaning | undefined {
  return MEANINGS.get(word.toLowerCase().replace(/[^\p{L}]/gu, ""));
}
