import { packChunk } from "../../base/pack-chunk.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { Candidate, UpstreamFailure } from "../../upstreams/call.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { failureOfTransport } from "../failures.ts";
import type { Attempt, Receiver } from "./receiver.ts";

/** Enough for any vendor's error; an HTML page beyond it says nothing more. */
const ERROR_BODY_BYTES = 64 * 1024;

/** Receives an upstream's error response: read, understood, never passed on as bytes. */
export class ErrorResponse implements Receiver {
  private readonly attempt: Attempt;
  private readonly status: number;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private over = false;

  constructor(attempt: Attempt, status: number, headers: Readonly<Record<string, string>>) {
    this.attempt = attempt;
    this.status = status;
    this.headers = headers;
  }

  data(chunk: Buffer): void {
    if (this.over) return;
    this.bytes += chunk.length;
    packChunk(this.chunks, chunk, this.bytes);
    if (this.bytes > ERROR_BODY_BYTES) this.abort();
  }

  ended(): void {
    this.failAttempt();
  }

  failed(failure: UpstreamFailure): void {
    if (this.over) return;
    this.over = true;
    this.attempt.fail(failureOfTransport(failure), "nothing");
  }

  clientGone(): void {
    this.abort();
  }

  /** The bytes that have arrived must do. */
  abort(): void {
    this.attempt.upstreamCall.abort();
    this.failAttempt();
  }

  private failAttempt(): void {
    if (this.over) return;
    this.over = true;
    const { attempt, status } = this;
    const { candidate } = attempt;
    const body = Buffer.concat(this.chunks);
    const error = PROTOCOLS[candidate.protocol].decodeError(status, this.headers, body);
    const ours = isAccountFault(candidate, status, body);
    attempt.fail(attempt.failureOf(ours ? { ...error, fault: "account" } : error), "nothing");
  }
}

/** Some vendors say "your key" or "your credit" in words that only their kind's table knows. */
function isAccountFault(candidate: Candidate, status: number, body: Buffer): boolean {
  const faults =
    kindOf(candidate.upstream.kind)?.accountFaults.filter((fault) => fault.status === status) ?? [];
  if (faults.length === 0) return false;
  const text = body.toString("latin1").toLowerCase();
  return faults.some((fault) => text.includes(fault.contains));
}
