import type { IncomingMessage } from "node:http";
import { GatewayError } from "../../errors.ts";
import type { CallerHeaders } from "../../relay/text-request.ts";

/** Longer than any list of betas; a header that large is no list. */
const MAX_HEADER_CHARS = 2_000;

/**
 * The caller's headers that may reach an upstream, in either spelling: beta lists are united, two
 * different versions are a contradiction that only the caller can resolve.
 */
export function neutralHeaders(request: IncomingMessage): CallerHeaders {
  const { headers } = request;
  const version = single(headers["vendorx-version"], headers["anthropic-version"]);
  const betas = union(headers["vendorx-beta"], headers["anthropic-beta"]);
  return { version, betas };
}

/** Headers in which clients call their conversation by a name; `own`: the operator's, in lower case. */
export function sessionHeader({ headers }: IncomingMessage, own: string | null): string | undefined {
  const found =
    headers["x-session-id"] ?? headers["x-session-affinity"] ?? (own === null ? undefined : headers[own]);
  return found === undefined ? undefined : String(found).slice(0, MAX_HEADER_CHARS);
}

function single(...spellings: (string | string[] | undefined)[]): string | undefined {
  if (spellings.every((spelling) => spelling === undefined)) return undefined;
  // Node joins a repeated header with ", ": two equal ones are one.
  const values = new Set(spellings.flatMap(words));
  if (values.size > 1) {
    throw new GatewayError(
      "invalid_request",
      "The request has two different API versions. Send one version header.",
      { param: "vendorx-version" },
    );
  }
  return values.values().next().value;
}

function union(...spellings: (string | string[] | undefined)[]): string | undefined {
  if (spellings.every((spelling) => spelling === undefined)) return undefined;
  const values = new Set(spellings.flatMap(words));
  return values.size === 0 ? undefined : [...values].join(",");
}

function words(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  return String(value)
    .slice(0, MAX_HEADER_CHARS)
    .split(",")
    .map((word) => word.trim())
    .filter((word) => /^[\x21-\x7e]+$/.test(word));
}
