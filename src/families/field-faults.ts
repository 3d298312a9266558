import { GatewayError } from "../errors.ts";
import type { Fault, Refusals } from "./field.ts";

/** What reading a request has found wrong so far. */
export interface FieldFaults {
  /** The accepted task will fail for this reason; the first one counts. */
  fail(reason: string): void;
  /** A field is wrong: thrown as GatewayError where the table refuses that, else as `fail`. */
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

/** A value as it is shown in a message: short, whatever was sent. */
export function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
