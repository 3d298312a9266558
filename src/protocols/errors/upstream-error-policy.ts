import { type ErrorStatement, GatewayError, UpstreamRejection } from "../../errors.ts";
import type { EndpointTable } from "../endpoint-table.ts";
import { asObject, asText } from "../json.ts";
import type { ErrorWords } from "./error-body.ts";
import { isUnknownModel } from "./error-patterns.ts";
import { isStoredContentMissing, withoutPaths } from "./stored-content.ts";

/**
 * The party at fault for an upstream's error. It decides who reads which words: callers act on errors about their own
 * request and must read them word for word, while they can do nothing about a refused key or an empty account of the
 * operator's, and must not hear of it.
 */
export type Fault = "caller" | "account" | "rate-limit" | "overloaded" | "upstream";

/** An upstream's error, read and judged. */
export interface UpstreamError extends ErrorStatement {
  readonly fault: Fault;
}

/** Judges by status first and by the vendor's words where a status means several things. */
export function classifyError(status: number, words: ErrorWords): Fault {
  const said = `${words.code} ${words.type} ${words.message} ${asText(asObject(words.details)?.["error_code"])}`;
  if (status === 529 || words.type === "overloaded_error") return "overloaded";
  if (status === 429) return NO_CREDIT.test(said) ? "account" : "rate-limit";
  if (status >= 500 || status < 400) return "upstream";
  if (status === 401 || status === 402 || status === 407) return "account";
  if ([NO_CREDIT, BILLING, BAD_KEY, SUSPENDED].some((pattern) => pattern.test(said))) return "account";
  const content = withoutPaths(said);
  if (status === 403)
    return ABOUT_CONTENT.test(content) || FORBIDDEN_FILE.test(content) ? "caller" : "account";
  // The path was the gateway's choice.
  if (status === 405 || isUnknownModel(said)) return "account";
  if (status === 404) return isStoredContentMissing(content) ? "caller" : "account";
  return PASSING.has(status) ? "upstream" : "caller";
}

/**
 * The error for the caller when no other candidate can respond. Only the caller's own fault keeps the vendor's words;
 * 529 keeps its status if the protocol's clients know it. The cause is for the operator's log.
 */
export function toClientError(
  error: UpstreamError,
  client: Pick<EndpointTable, "sendsOverloaded">,
  cause?: Error,
): GatewayError | UpstreamRejection {
  switch (error.fault) {
    case "caller":
      return new UpstreamRejection(error);
    case "rate-limit":
      return new GatewayError(
        "upstream_rate_limited",
        "The upstream limits the rate of requests for this model. Wait and try again.",
        {
          cause,
          shouldRetry: error.shouldRetry,
          retryAfterSeconds: error.retryAfterSeconds,
        },
      );
    case "overloaded":
      if (client.sendsOverloaded !== true) break;
      return new GatewayError("upstream_overloaded", "The upstream is overloaded. Wait and try again.", {
        cause,
        shouldRetry: error.shouldRetry,
      });
    default:
  }
  return new GatewayError("upstream_error", "The upstream failed on this request. Try again.", {
    cause,
  });
}

/** Our account at the vendor has run dry; 429 says so too, with these words in place of a rate limit's. */
const NO_CREDIT =
  /insufficient[_ -](?:user[_ -])?(?:quota|balance|credit|funds)|credit balance|out of credits|arrearage|balance is (?:too low|not enough)|billing_(?:hard_limit|not_active)/i;

/** The same where the status is no 429: one vendor's plain rate limits speak of billing details. */
const BILLING = /\bbilling (?:account|details|has|is|limit|to be enabled)/i;

/** The gateway's own key is wrong, although the status says 400. */
const BAD_KEY =
  /invalid_api_key|API_KEY_INVALID|authentication_error|UNAUTHENTICATED|(?:invalid|incorrect|expired|missing|wrong|valid) api[ -]?key|\bapi[ -]key (?:is |was |has )?(?:not valid|invalid|incorrect|expired|not found|missing|required)/i;

/** The vendor has shut our account or our place out. */
const SUSPENDED =
  /(?:account|organi[sz]ation|project|workspace)\b.{0,40}(?:disabled|suspended|deactivated|blocked|terminated)|location is not supported|country, region/i;

/** A refusal of what the caller sent. */
const ABOUT_CONTENT =
  /safety|moderat|content[_ ]?(?:policy|filter|management)|flagged|prohibited content|guardrail|sensitive|usage polic/i;

/** A file or cache that the caller names; one vendor says 403 where it means 404. */
const FORBIDDEN_FILE = /cached ?content|\bfiles?\b.{0,60}(?:not found|not exist|permission)/i;

/**
 * 4xx that say "not now" about the vendor's own state; 424 is Bedrock's of a model that failed. The headers that 431 finds
 * too large are the gateway's, an access token among them.
 */
const PASSING = new Set([408, 409, 421, 424, 425, 431, 498, 499]);
