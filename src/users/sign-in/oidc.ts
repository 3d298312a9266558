import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from "openid-client";
import type { Clock } from "../../base/clock.ts";
import { trustedFetch } from "../../base/fetch/safe-fetch.ts";
import { randomText } from "../../base/random.ts";
import type { Seals } from "../../base/seal.ts";
import { GatewayError } from "../../errors.ts";
import type { Log } from "../../observe/log.ts";

/** An identity provider, with our client's registration there. */
export interface OidcClient {
  readonly id: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined = a public client, for which PKCE alone proves that the same browser began and ends the flow. */
  readonly clientSecret: string | undefined;
  /** To ask for besides those of every provider. */
  readonly scopes: readonly string[];
  /** The claim that lists somebody's groups: a name, or a path of names with dots between. */
  readonly groupsClaim: string;
}

/** Claims of a provider about a user; `email` is present only if the provider has verified it. */
export interface OidcPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly verifiedEmail: string | undefined;
  readonly name: string | undefined;
  readonly groups: readonly string[];
}

/**
 * Sign-in at an identity provider: authorization code flow with PKCE, state and nonce. The state of the flow is sealed
 * and kept by the page, in its tab only. So any process can continue it, and a response to a flow that another browser
 * began is rejected.
 */
export interface Oidc {
  /** Returns the URL to which the browser is sent, and the sealed flow that it keeps until it returns. */
  begin(client: OidcClient, redirectUri: string): Promise<{ readonly url: string; readonly flow: string }>;
  /**
   * Returns the issuer in the provider's own spelling, which its tokens use. Throws conflict if the provider can't be
   * reached.
   */
  issuerOf(client: OidcClient): Promise<string>;
  /** Returns the provider at which a flow was begun. Throws sign_in_failed if the flow is invalid or too old. */
  providerOf(flow: string): string;
  /** Returns the user for `response`, the query string of the provider's redirect. Throws sign_in_failed. */
  finish(client: OidcClient, flow: string, response: string): Promise<OidcPerson>;
}

export interface OidcOptions {
  readonly seals: Seals;
  readonly clock: Clock;
  readonly log: Log;
}

export function createOidc({ seals, clock, log }: OidcOptions): Oidc {
  const providers = createProviders(clock);

  const open = (sealed: string): Flow => {
    try {
      const flow = JSON.parse(seals.open(sealed, FLOW)) as Flow;
      if (flow.untilMs > clock.nowMs()) return flow;
    } catch {
      // The flow was not sealed by this installation; the error is the same.
    }
    throw failed("The sign-in timed out or started elsewhere. Try again.");
  };

  return {
    async begin(client, redirectUri) {
      const configuration = await providers(client).catch((err: unknown) => {
        log.warn({ err, provider: client.id }, "identity provider is unreachable");
        throw failed("The identity provider is unreachable right now.");
      });
      const flow: Flow = {
        provider: client.id,
        redirectUri,
        verifier: randomText(64),
        state: randomText(32),
        nonce: randomText(32),
        untilMs: clock.nowMs() + FLOW_MS,
      };
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: ["openid", "email", "profile", ...client.scopes].join(" "),
        code_challenge: await calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: "S256",
        state: flow.state,
        nonce: flow.nonce,
      });
      return { url: url.href, flow: seals.seal(JSON.stringify(flow), FLOW) };
    },
    async issuerOf(client) {
      const configuration = await providers(client).catch((err: unknown) => {
        log.warn({ err, provider: client.id }, "identity provider is unreachable");
        throw new GatewayError("conflict", "The identity provider is unreachable right now. Try again.");
      });
      return configuration.serverMetadata().issuer;
    },
    providerOf: (flow) => open(flow).provider,
    async finish(client, sealed, response) {
      const flow = open(sealed);
      const url = new URL(`${flow.redirectUri}?${response.replace(/^\?/, "")}`);
      try {
        const tokens = await authorizationCodeGrant(await providers(client), url, {
          pkceCodeVerifier: flow.verifier,
          expectedState: flow.state,
          expectedNonce: flow.nonce,
          idTokenExpected: true,
        });
        return signedInUserOf(tokens.claims() ?? {}, client.groupsClaim);
      } catch (err) {
        log.warn({ err, provider: client.id }, "sign-in at an identity provider failed");
        throw failed("The identity provider refused the sign-in.");
      }
    },
  };
}

interface Flow {
  readonly provider: string;
  readonly redirectUri: string;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  readonly untilMs: number;
}

/** Purpose of the seal: only a flow opens with it. */
const FLOW = "oidc flow";

/** Long enough to fetch a phone and a password. */
const FLOW_MS = 15 * 60_000;

/** A provider rarely changes its endpoints and keys. A new key is fetched as soon as a token names it. */
const CONFIGURATION_MS = 60 * 60_000;

/** A user does not wait longer for a page. */
const RESPONSE_SECONDS = 10;

/** Reads each provider's configuration at its first use, and again every hour. */
function createProviders(clock: Clock): (client: OidcClient) => Promise<Configuration> {
  const known = new Map<string, { readonly untilMs: number; readonly configuration: Configuration }>();
  return async (client) => {
    const { issuer, clientId, clientSecret } = client;
    const key = JSON.stringify([issuer, clientId, clientSecret]);
    const cached = known.get(key);
    if (cached !== undefined && cached.untilMs > clock.monotonicMs()) return cached.configuration;
    const isPlain = issuer.startsWith("http:");
    const configuration = await discovery(
      new URL(issuer),
      clientId,
      undefined,
      clientSecret === undefined ? None() : ClientSecretPost(clientSecret),
      {
        [customFetch]: (url, init) => trustedFetch(url, init as RequestInit),
        timeout: RESPONSE_SECONDS,
        // The operator configured http, for a provider on the same machine or network.
        execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
      },
    );
    known.set(key, { configuration, untilMs: clock.monotonicMs() + CONFIGURATION_MS });
    return configuration;
  };
}

function signedInUserOf(claims: Readonly<Record<string, unknown>>, groupsClaim: string): OidcPerson {
  const { iss, sub, email, email_verified, name } = claims;
  if (typeof iss !== "string" || typeof sub !== "string") throw new Error("no issuer or subject");
  if (!SUBJECT.test(sub)) throw new Error("a subject must be text of 1 to 255 characters");
  // The standard requires a boolean; some providers send a string.
  const isVerified = email_verified === true || email_verified === "true";
  const isAddress = typeof email === "string" && isVerified && /^[\x21-\x7e]{3,254}$/.test(email);
  return {
    issuer: iss,
    subject: sub,
    verifiedEmail: isAddress ? email.toLowerCase() : undefined,
    name:
      typeof name === "string"
        ? name
            .replace(/\p{Cc}/gu, "")
            .trim()
            .slice(0, 100) || undefined
        : undefined,
    groups: groupsOf(claims, groupsClaim),
  };
}

/**
 * The groups that a token states. One that says where they are to be fetched, as Entra does for users with many,
 * states none: throws, since whoever is in all of them would lose every role.
 */
function groupsOf(claims: Readonly<Record<string, unknown>>, name: string): string[] {
  const elsewhere = claims["_claim_names"];
  if (typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, name))
    throw new Error(`the token has no ${name}, as there are too many: have the provider send fewer`);
  const value = Object.hasOwn(claims, name) ? claims[name] : atPath(claims, name.split("."));
  return [value].flat().filter((group) => typeof group === "string");
}

function atPath(claims: unknown, [name, ...further]: readonly string[]): unknown {
  if (name === undefined) return claims;
  const isRecord = typeof claims === "object" && claims !== null && Object.hasOwn(claims, name);
  return isRecord ? atPath((claims as Record<string, unknown>)[name], further) : undefined;
}

/** The maximum length is the standard's. Characters that PostgreSQL refuses or changes can't be part of a subject. */
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

function failed(message: string): GatewayError {
  return new GatewayError("sign_in_failed", message);
}
