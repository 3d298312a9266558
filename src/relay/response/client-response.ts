import type { ErrorStatement } from "../../errors.ts";

/**
 * The caller's side of a response: raw bytes with back-pressure. `http` implements it over the raw
 * response, so that relay knows no framework.
 */
export interface ClientResponse {
  /** True until the caller has gone or the response has ended. */
  readonly open: boolean;
  /** True once status and headers are on their way: from then on no other answer is possible. */
  readonly committed: boolean;
  /** Adds headers to the response, whatever it will be. */
  addHeaders(headers: Readonly<Record<string, string>>): void;
  /** Sends status and headers; call once. */
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** Sends bytes; false asks to wait for the drain. */
  write(chunk: Uint8Array): boolean;
  /** Ends the response properly. */
  end(): void;
  /** The largest whole response that it takes, where that is less than others do. */
  readonly maxBytes?: number;
  /** The error that a whole response will be told as, where it is none in the caller's form; asked before it is on the books. */
  refusal?(body: readonly Uint8Array[]): ErrorStatement | undefined;
  /** Sends a whole response with its length in one write. */
  whole(status: number, headers: Readonly<Record<string, string>>, body: readonly Uint8Array[]): void;
  /** Cuts the connection, so that what was sent cannot be taken for complete. */
  abort(): void;
  /** At most one listener each. `gone` is called once, when the caller leaves before the end. */
  onDrain(listener: () => void): void;
  onDisconnect(listener: () => void): void;
  /** Called once, when the caller has taken all of the response or is gone. */
  onClosed(listener: () => void): void;
}
