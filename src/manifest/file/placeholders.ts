import { randomText } from "../../base/random.ts";
import type { State } from "../diff/state.ts";
import type { Manifest } from "../manifest.ts";
import { ManifestError, WHOLE_FILE } from "./problems.ts";
import {
  createReferenceNames,
  referToCredentials,
  referToKey,
  referToMetricsToken,
} from "./reference-names.ts";

/**
 * The secrets a gateway keeps, under the names by which its export refers to them. A file that comes back
 * from outside is read with stand-ins, words that mean nothing, so that no secret can end up in a field that
 * is shown, whatever the file says; places of secrets exchange them afterwards.
 */
export interface Placeholders {
  /** By name, to be given to the parser in place of an environment. */
  readonly byName: Readonly<Record<string, string>>;
  /** The hash of the key that a stand-in means; keys themselves are not kept. */
  hashOf(credential: string): Buffer | undefined;
  /** The manifest with the credentials that its stand-ins mean. Throws ManifestError. */
  exchange(manifest: Manifest): Manifest;
}

interface Kept {
  readonly name: string;
  readonly secret: string;
  readonly reference: string | null;
  /** Addresses of the upstreams that have this credential. */
  readonly origins: Set<string>;
}

export function createPlaceholders(state: State): Placeholders {
  const names = createReferenceNames();
  const byName: Record<string, string> = {};
  const credentials = new Map<string, Kept>();
  const hashes = new Map<string, Buffer>();
  // Shaped so that every rule for credentials and keys lets it pass.
  const standInFor = (name: string): string => (byName[name] ??= `stand-in-${randomText(24)}`);
  for (const upstream of state.upstreams) {
    referToCredentials(upstream, names).forEach((reference, index) => {
      const credential = upstream.credentials[index];
      if (credential === undefined) return;
      const name = reference.slice(2, -1);
      const kept = credentials.get(standInFor(name)) ?? { ...credential, name, origins: new Set() };
      kept.origins.add(new URL(upstream.baseUrl).origin);
      credentials.set(standInFor(name), kept);
    });
  }
  // As the export gives its names out, which leaves keys without a variable to the last.
  const keys = state.accounts.flatMap((account) => account.keys.map((key) => ({ account, key })));
  for (const isNamed of [true, false]) {
    for (const { account, key } of keys.filter(({ key: { reference } }) => (reference !== null) === isNamed))
      hashes.set(standInFor(referToKey(account, key, names).slice(2, -1)), Buffer.from(key.hash, "hex"));
  }
  const token = state.settings.metrics_token ?? undefined;
  const tokenStandIn = token && standInFor(referToMetricsToken(token, names).slice(2, -1));
  return {
    byName,
    hashOf: (credential) => hashes.get(credential),
    exchange: (manifest) => ({
      ...manifest,
      settings: exchangeToken(manifest.settings, tokenStandIn, token),
      upstreams: manifest.upstreams.map((upstream) => ({
        ...upstream,
        credentials: upstream.credentials.map((credential) => {
          const kept = credentials.get(credential.secret);
          if (kept === undefined) return refuseKey(credential, hashes, upstream.name);
          refuseMoved(kept, upstream);
          return { ...credential, secret: kept.secret, reference: kept.reference };
        }),
      })),
    }),
  };
}

/** Only the token's own place takes what is kept of it; any other reference there would be a secret in clear. */
function exchangeToken(
  settings: Manifest["settings"],
  standIn: string | undefined,
  kept: string | undefined,
): Manifest["settings"] {
  const given = settings.metrics_token;
  if (given == null || given !== standIn) return settings;
  return { ...settings, metrics_token: kept };
}

/** A stored credential goes only where it went before: a new address must not be a way to read it. */
function refuseMoved(kept: Kept, { name, baseUrl }: Manifest["upstreams"][number]): void {
  if (kept.origins.has(new URL(baseUrl).origin)) return;
  throw refusal(
    `upstream ${name}: the credential \${${kept.name}} was entered for another server; write the credential itself to send it to ${new URL(baseUrl).origin}`,
  );
}

function refuseKey<Credential extends { readonly secret: string }>(
  credential: Credential,
  keys: ReadonlyMap<string, Buffer>,
  upstream: string,
): Credential {
  if (!keys.has(credential.secret)) return credential;
  throw refusal(
    `upstream ${upstream}: its credential refers to an account's key, which is known only to its holder`,
  );
}

function refusal(message: string): ManifestError {
  return new ManifestError("catalog file", [{ ...WHOLE_FILE, path: "upstreams", message }]);
}
