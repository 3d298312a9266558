import type { Log } from "./log.ts";

/** A refused request as the operator's log has it. */
export interface Refusal {
  readonly requestId: string;
  readonly status: number;
  readonly errorCode?: string | undefined;
  /** The reason on its receipt; undefined = it has none. */
  readonly reason?: string | undefined;
  /** The field at fault, in the caller's own words. */
  readonly param?: string | undefined;
  readonly account: string | undefined;
  readonly keyId: string | undefined;
  readonly keyName: string | undefined;
  readonly model: string | null | undefined;
  /** Method and path, with names in place of what callers write; of an unknown path its words. */
  readonly route?: string;
  /** The last upstream, and the number of attempts. */
  readonly upstream?: string | null;
  readonly attempts?: number;
  readonly user?: string | undefined;
}

/** The fields of an admitted request that are known once it has ended. */
export type RequestEnd = Pick<Refusal, "model" | "reason" | "upstream" | "attempts">;

/**
 * Each is limited for itself (`bounded-log.ts`): pages that nobody is signed in to any more, and whoever tries addresses, ask
 * more often than callers are refused, whose lines they would take.
 */
const SENTENCES = {
  call: "request refused",
  console: "console request refused",
  nowhere: "request refused: unknown endpoint or invalid HTTP",
} as const;
type Sentence = (typeof SENTENCES)[keyof typeof SENTENCES];

/** `route`: its path; "" = no route has it. */
export function refusalSentence(route: string): Sentence {
  if (route === "") return SENTENCES.nowhere;
  return route.startsWith("/api/") ? SENTENCES.console : SENTENCES.call;
}

/** Fields of bodies may be as long as bodies. */
const PARAM_LETTERS = 200;

/** The one line of a refused request, of whatever route. */
export function logRefusal(log: Log, refusal: Refusal, sentence: Sentence = SENTENCES.call): void {
  const param = refusal.param?.slice(0, PARAM_LETTERS) || undefined;
  log.info({ ...refusal, param }, sentence);
}
