import { createHash } from "node:crypto";
import { fitWord, type WordRule } from "./words.ts";

/** A call's id as another protocol takes it: the same for the call and its result, in every turn (rule 21). */
export function fitCallId(id: string, rule: WordRule): string {
  return fitWord(id, rule);
}

/**
 * An id for a call that the upstream left unnamed (rule 22). `seed` is unique to the request, so that
 * calls of different turns never meet; the same request read twice gives the same ids.
 */
export function makeCallId(seed: string, block: number): string {
  return `call_${createHash("sha256").update(`${seed} ${block}`).digest("hex").slice(0, 24)}`;
}
