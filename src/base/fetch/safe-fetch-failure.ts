/**
 * Why a caller's URL was not fetched: a closed list.
 * - `invalid-url`: not a URL that is fetched at all (form, scheme, credentials in it).
 * - `forbidden`: it leads, at once or by a redirect, where callers must not make the gateway go.
 * - `unreachable`: no such host, or nothing there takes the connection.
 * - `redirects`: too many, or to nowhere.
 * - `status`: the server answered, but not with the file.
 * - `too-large`: the file is larger than wanted.
 * - `timeout`: one of the time limits passed.
 * - `broken`: the connection ended before the file did, or what came is not HTTP.
 * - `aborted`: the caller's own signal.
 */
export type FetchReason =
  | "invalid-url"
  | "forbidden"
  | "unreachable"
  | "redirects"
  | "status"
  | "too-large"
  | "timeout"
  | "broken"
  | "aborted";

/**
 * `message` is a sentence fit for whoever gave the URL. It never holds the URL, whose query may be a
 * secret, nor an address or anything else that was found out about the gateway's own network.
 */
export class FetchFailure extends Error {
  override readonly name = "FetchFailure";
  readonly reason: FetchReason;

  constructor(reason: FetchReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
