import { expect, it } from "vitest";
import { statementOf } from "../errors.ts";
import type { Fault, UpstreamError } from "../protocols/errors/upstream-error-policy.ts";
import { failureOfError, failureOfTransport } from "./failures.ts";

it("a failure of the transport names upstream and reason to the operator's log, and not to the caller", () => {
  const message = "vendor-7 cannot be reached: its certificate has expired.";
  for (const kind of ["connect", "closed", "protocol", "timeout", "busy"] as const) {
    const { error } = failureOfTransport({ kind, phase: "first-byte", message });
    expect(error.cause).toMatchObject({ message });
    expect(JSON.stringify(statementOf(error, "gateway_error"))).not.toContain("vendor-7");
  }
});

it("the vendor's words on its own failure are in the operator's log, cut, and the caller's mistakes are not", () => {
  const failed = (fault: Fault, message: string): unknown => {
    const told = { type: "server_error", code: "", param: "", fault, message };
    const error: UpstreamError = { status: fault === "caller" ? 400 : 503, ...told };
    return failureOfError(error, "chat-completions", "vendor-7").error.cause;
  };
  for (const fault of ["upstream", "overloaded", "account", "rate-limit"] as const)
    expect(failed(fault, "shard 12\n is draining")).toMatchObject({
      message: "The upstream vendor-7 returned an error: 503 server_error: shard 12 is draining",
    });
  expect(failed("upstream", "x".repeat(9_000))).toMatchObject({
    message: expect.stringMatching(/: x{500}\.{3}$/),
  });
  expect(failed("upstream", "")).toMatchObject({ message: expect.stringMatching(/server_error$/) });
  expect(JSON.stringify(failed("caller", "the prompt is odd") ?? "")).not.toContain("odd");
});
