import { appendAll } from "../../base/append-all.ts";
import type { CredentialForm } from "../credentials/credential-forms.ts";
import { heldInParts } from "../credentials/credential-forms.ts";
import { openSecretFinder } from "../scrub/scrub-secrets.ts";
import { openTextScrubber } from "../scrub/scrub-text.ts";
import { type AccessContext, AccessFailure, type TokenRequest } from "./access.ts";
import type { Issued } from "./expiring-value.ts";

/**
 * Length of an error message: enough for a vendor's sentence, without a trace. Messages are cut after scrubbing,
 * because a part of a secret would not be recognised.
 */
const TOLD_LETTERS = 500;

/** Fields and headers of a request for a token that say nothing secret. All others are taken for secrets. */
const PLAIN_FIELDS = new Set([
  ...["grant_type", "scope", "client_id", "audience", "requested_token_type", "subject_token_type"],
  ...["client_assertion_type", "Action", "Version", "RoleArn", "RoleSessionName"],
]);
const PLAIN_HEADERS = new Set([
  ...["accept", "content-type", "content-length", "metadata", "metadata-flavor", "host"],
  ...["x-amz-date", "x-amz-content-sha256", "x-aws-ec2-metadata-token-ttl-seconds"],
]);

/**
 * Issues a token or keys and removes everything secret from failures, because token servers repeat what they refuse. An
 * unexpected error is replaced by a message of our own.
 */
export function guardedIssue<Value>(
  context: AccessContext,
  forms: readonly CredentialForm[],
  issue: (context: AccessContext) => Promise<Issued<Value>>,
): () => Promise<Issued<Value>> {
  const own = heldInParts(forms)(context.credential.secret).secrets;
  return async () => {
    const secrets = [...own];
    const { upstream, credential, clock, environment } = context;
    const tokens = (request: TokenRequest) => {
      appendAll(secrets, sentIn(request));
      return context.tokens(request);
    };
    try {
      return await issue({ upstream, credential, clock, environment, tokens });
    } catch (error) {
      throw guarded(error, openTextScrubber(openSecretFinder(secrets), []));
    }
  };
}

function guarded(error: unknown, scrub: (text: string) => string): AccessFailure {
  if (!(error instanceof AccessFailure))
    return new AccessFailure("its credential can't be used", { advice: "Check each of its fields." });
  const { message, isRefusal, advice } = error;
  const told = scrub(message)
    .slice(0, TOLD_LETTERS)
    .replace(/[.\s]+$/, "");
  return new AccessFailure(told, advice === undefined ? { isRefusal } : { isRefusal, advice });
}

function sentIn({ headers, body = "" }: TokenRequest): string[] {
  const fields = [...new URLSearchParams(body)].flatMap(([name, value]) =>
    PLAIN_FIELDS.has(name) ? [] : value,
  );
  const values = headers.flatMap((value, at) => {
    const name = headers[at - 1]?.toLowerCase() ?? "";
    return at % 2 === 0 || PLAIN_HEADERS.has(name) ? [] : [value, ...partsOfHeader(value)];
  });
  return [...fields, ...values];
}

/** The token behind its scheme; of a signature, the key's id and the signature. */
function partsOfHeader(value: string): string[] {
  const [, token] = /^\w+ (\S+)$/.exec(value) ?? [];
  const [, id] = /Credential=([^/,]+)/.exec(value) ?? [];
  const [, signature] = /Signature=(\w+)/.exec(value) ?? [];
  return [token, id, signature].filter((each) => each !== undefined);
}
