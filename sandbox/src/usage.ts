/** What a request truly consumed, in buckets that never overlap. */
export interface Usage {
  inputUncached: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  outputVisible: number;
  outputReasoning: number;
}

export type InputUsage = Pick<Usage, "inputUncached" | "cacheRead" | "cacheWrite5m" | "cacheWrite1h">;

export const NO_USAGE: Readonly<Usage> = {
  inputUncached: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  outputVisible: 0,
  outputReasoning: 0,
};

export function inputTotal(usage: InputUsage): number {
  return usage.inputUncached + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
}

export function outputTotal(usage: Usage): number {
  return usage.outputVisible + usage.outputReasoning;
}
