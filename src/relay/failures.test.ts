import { expect, it } from "vitest";
import { statementOf } from "../errors.ts";
import { failureOfTransport } from "./failures.ts";

it("a failure of the transport names upstream and reason to the operator's log, and not to the caller", () => {
  const message = "vendor-7 cannot be reached: its certificate has expired.";
  for (const kind of ["connect", "closed", "protocol", "timeout", "busy"] as const) {
    const { error } = failureOfTransport({ kind, phase: "first-byte", message });
    expect(error.cause).toMatchObject({ message });
    expect(JSON.stringify(statementOf(error, "gateway_error"))).not.toContain("vendor-7");
  }
});
