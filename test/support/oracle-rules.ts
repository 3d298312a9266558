import type { Finding } from "./oracle-judge.ts";
import { RESPONSE_RULES } from "./oracle-rules-answers.ts";
import { REQUEST_RULES } from "./oracle-rules-requests.ts";
import { STREAM_RULES } from "./oracle-rules-streams.ts";

/** A kind of difference that is accepted. The rules meant are those of the translation's design. */
export interface Rule {
  /** Why ours is right, or as right as the peer's. */
  readonly why: string;
  /** Decides by the difference itself: its path, its sides, its values. The row in which it was found never counts. */
  covers(finding: Finding): boolean;
}

export const ORACLE_RULES: readonly Rule[] = [...REQUEST_RULES, ...RESPONSE_RULES, ...STREAM_RULES];

export function ruleFor(finding: Finding): Rule | undefined {
  return ORACLE_RULES.find((rule) => rule.covers(finding));
}
