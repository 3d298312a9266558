import { PROTOCOLS } from "../protocols/table.ts";
import type { Candidate } from "../upstreams/call.ts";
import { kindOf } from "../upstreams/kinds.ts";
import { failureOfError, failureOfTransport } from "./failures.ts";
import type { Attempt, Receiver } from "./receiver.ts";

/** Enough for any vendor's error; an HTML page beyond it says nothing more. */
const ERROR_BODY_BYTES = 64 * 1024;

/** Receives an upstream's error answer: read, understood, never passed on as bytes. */
export function receiveError(
  attempt: Attempt,
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Receiver {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let over = false;
  const tell = (): void => {
    if (over) return;
    over = true;
    const client = attempt.exchange.request.protocol.name;
    const body = Buffer.concat(chunks);
    const error = PROTOCOLS[attempt.candidate.protocol].decodeError(status, headers, body);
    const ours = isAccountFault(attempt.candidate, status, body);
    const { name } = attempt.candidate.upstream;
    attempt.fail(failureOfError(ours ? { ...error, fault: "account" } : error, client, name));
  };
  return {
    data(chunk) {
      if (over) return;
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > ERROR_BODY_BYTES) {
        attempt.flight.abort();
        tell();
      }
    },
    ended: tell,
    failed(failure) {
      if (over) return;
      over = true;
      attempt.fail(failureOfTransport(failure));
    },
    gone() {
      attempt.flight.abort();
      tell();
    },
    drain() {
      attempt.flight.abort();
      tell();
    },
  };
}

/** Some vendors say "your key" or "your credit" in words that only their kind's table knows. */
function isAccountFault(candidate: Candidate, status: number, body: Buffer): boolean {
  const faults =
    kindOf(candidate.upstream.kind)?.accountFaults.filter((fault) => fault.status === status) ?? [];
  if (faults.length === 0) return false;
  const text = body.toString("latin1").toLowerCase();
  return faults.some((fault) => text.includes(fault.contains));
}
