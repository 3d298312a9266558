import type { JsonObject } from "./json.ts";

/** A request the vendor would answer with an error; each protocol writes it in its own form. */
export interface VendorError {
  status: number;
  message: string;
  /** The field at fault, as the vendor spells it. */
  param?: string | undefined;
  /** Machine-readable code where the vendor has one (`invalid_value`, `API_KEY_INVALID`). */
  code?: string | undefined;
  /** The vendor's structured details. */
  details?: JsonObject | undefined;
  /** The vendor's error type where it does not follow from the status. */
  type?: string | undefined;
  /** Seconds for the `retry-after` header and, on generateContent, RetryInfo. */
  retryAfterSeconds?: number | undefined;
}

/** Thrown while a request is decoded; caught in one place and answered in the vendor's form. */
export class Refusal extends Error {
  readonly error: VendorError;

  constructor(error: VendorError) {
    super(error.message);
    this.error = error;
  }
}

/** Refuses with 400. */
export function refuse(message: string, param?: string, code?: string): never {
  throw new Refusal({ status: 400, message, param, code });
}
