import { GatewayError } from "../errors.ts";
import type { Fault, Refusals } from "./field.ts";

/** Faults found so far in a request. */
export interface FieldFaults {
  /** Lets the accepted task fail for this reason; only the first reason counts. */
  fail(reason: string): void;
  /** Reports a wrong field. Throws GatewayError if the table refuses such a fault; otherwise acts as `fail`. */
  fault(name: string, kind: Fault, refused: Refusals | undefined, message: string): void;
  violation(): string | null;
}

export function createFieldFaults(): FieldFaults {
  let violation: string | null = null;
  const fail = (reason: string): void => {
    violation ??= reason;
  };
  return {
    fail,
    fault(name, kind, refused, message) {
      const reason = refused?.[kind];
      if (reason !== undefined) throw new GatewayError(reason, message, { param: name });
      fail(message);
    },
    violation: () => violation,
  };
}

/** Shortens a value for a message, because a request may contain anything. */
export function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
