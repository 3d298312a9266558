/** One event as a client reads it off the wire. */
export interface SentFrame {
  readonly name?: string | undefined;
  readonly data: string;
}

// biome-ignore lint/suspicious/noExplicitAny: grammars reach deep into wire forms
export type Wire = any;

/** Gathers what is wrong with a stream. */
export interface Faults {
  /** Notes a fault unless the rule holds. */
  must(holds: boolean, rule: string): void;
  readonly found: readonly string[];
}

export function openFaults(): Faults {
  const found: string[] = [];
  return { must: (holds, rule) => void (holds || found.push(rule)), found };
}

export function parsed(text: string): Wire {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isPlain(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
