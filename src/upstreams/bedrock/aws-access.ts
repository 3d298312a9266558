import type { Access, AccessContext } from "../access/access.ts";
import { ExpiringValue } from "../access/expiring-value.ts";
import { guardedIssue } from "../access/guarded-issue.ts";
import { PLAIN_KEY, partsOf } from "../credentials/credential-forms.ts";
import { AWS_FORMS, keySource, regionOf } from "./aws-keys.ts";
import { type AwsKeys, signAws } from "./aws-signature.ts";

/** AWS says so of keys that have ended, in the header that names an error. */
const ENDED = /ExpiredToken|ExpiredCredentials|TokenRefreshRequired/;

const TOKEN_HEADER = "x-amz-security-token";

/** Access to one of AWS's services by signatures; undefined = by a key of the service's own, as a bearer. */
export function openAwsAccess(service: string) {
  return (context: AccessContext): Access | undefined => {
    const parts = partsOf(context.credential.secret);
    if (parts[PLAIN_KEY] !== undefined) return undefined;
    const keys = new ExpiringValue(
      guardedIssue(context, AWS_FORMS, (guarded) => keySource(guarded, parts)()),
      context.clock,
    );
    const isFixed = parts["access_key_id"] !== undefined && parts["role_arn"] === undefined;
    return accessBy(keys, context, { service, isFixed });
  };
}

interface Signing {
  readonly service: string;
  /** There are no other keys than these, whatever is said of them. */
  readonly isFixed: boolean;
}

function accessBy(
  keys: ExpiringValue<AwsKeys>,
  { clock, upstream }: AccessContext,
  { service, isFixed }: Signing,
): Access {
  const region = regionOf(upstream);
  let held: AwsKeys | undefined;
  return {
    isReady() {
      held = keys.current();
      return held !== undefined;
    },
    async ready() {
      held = await keys.get();
    },
    headers({ method, origin, path, headers, body }) {
      if (held === undefined) return [];
      const host = origin.slice(origin.indexOf("//") + 2);
      return signAws({ method, host, path, headers, body, region, service, nowMs: clock.nowMs() }, held);
    },
    isRenewed(sent, status, headers) {
      if (isFixed || status < 400 || status > 403 || !ENDED.test(headers.get("x-amzn-errortype") ?? ""))
        return false;
      const token = sent[sent.indexOf(TOKEN_HEADER) + 1];
      // Others that were refused may have brought newer ones meanwhile.
      return held === undefined || held.sessionToken !== token || keys.refuse(held);
    },
    secrets() {
      if (held === undefined) return [];
      const { accessKeyId, secretAccessKey, sessionToken } = held;
      const pair = [accessKeyId, secretAccessKey];
      return sessionToken === null ? pair : [...pair, sessionToken];
    },
  };
}
