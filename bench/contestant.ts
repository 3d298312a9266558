import type { Part } from "./options.ts";

/** A server to be measured. */
export interface Contestant {
  readonly name: string;
  readonly port: number;
  /** The program whose process tree is measured. */
  readonly pid: number;
  /** What its callers send beside the body. */
  readonly headers: Readonly<Record<string, string>>;
  /** The model that its callers ask for. Absent: the one that is forwarded. */
  readonly model?: string;
  /** Whether it answers in its own words, so that only what they say can be compared. */
  readonly translates?: boolean;
  /** The parts it can take part in. */
  readonly parts: readonly Part[];
  /** Called before each load, for what is to hold under each and does not last. */
  prepare?(): Promise<void>;
  /** Ends it; gives complaints about how it ended, for the report. */
  stop(): Promise<readonly string[]>;
}

/** What a start yields where the contestant is not to be had here: the reason, as a sentence. */
export interface Absent {
  readonly absent: string;
}
