import { isRecord } from "../../base/json/record.ts";
import type { OneResponse } from "../transport/exchange-once.ts";
import { AccessFailure } from "./access.ts";
import type { Issued } from "./expiring-value.ts";
import { adviceOn } from "./token-troubles.ts";

/** Larger than any vendor's tokens, and than what most servers take as a header. */
const MOST_TOKEN_LETTERS = 16 * 1024;

/** A day at most, whatever a response says. */
const MOST_LIFE_MS = 86_400_000;

/** Reads the response of OAuth 2.0 (RFC 6749, sections 5.1 and 5.2). Throws AccessFailure in the vendor's words. */
export function readTokenResponse({ status, body }: OneResponse, by: string): Issued<string> {
  const answer = jsonIn(body);
  const token = answer["access_token"];
  const seconds = Number(answer["expires_in"]);
  if (typeof token === "string" && token.length > MOST_TOKEN_LETTERS)
    throw new AccessFailure(
      `${by} gives out an access token of ${token.length} letters, which no server takes`,
      {
        isRefusal: true,
      },
    );
  if (status === 200 && typeof token === "string" && token !== "" && seconds > 0)
    return { value: token, lifeMs: Math.min(MOST_LIFE_MS, seconds * 1000) };
  throw refusedBy(by, status, wordsOf(answer));
}

/** A token was refused, or its server failed. */
export function refusedBy(by: string, status: number, words: string): AccessFailure {
  const told = words === "" ? "" : `: ${words}`;
  return new AccessFailure(`${by} gives out no access token (status ${status})${told}`, {
    advice: adviceOn(words),
    isRefusal: status >= 400 && status < 500 && status !== 429,
  });
}

export function jsonIn(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function wordsOf(answer: Readonly<Record<string, unknown>>): string {
  const { error, error_description: description, message } = answer;
  const inner = isRecord(error) ? error["message"] : error;
  const [words = ""] = [description, message, inner].filter((each) => typeof each === "string");
  const [first = ""] = String(words).split(/\r?\n/);
  return first.replace(/[.\s]+$/, "");
}
