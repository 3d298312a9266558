import { randomText } from "../../base/random.ts";
import { destinationOf, secretFields, withSecrets } from "../../catalog/upstream-options.ts";
import type { CredentialDeclaration, UpstreamRecord } from "../../catalog/upstreams-store.ts";
import { credentialText, partsOf, referenceText } from "../../upstreams/credentials/credential-forms.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import type { State } from "../diff/state.ts";
import type { Manifest } from "../manifest.ts";
import { ManifestError, WHOLE_FILE } from "./problems.ts";
import {
  createReferenceNames,
  referenceIn,
  referToCredentials,
  referToKey,
  referToMetricsToken,
  referToOption,
  secretsIn,
} from "./reference-names.ts";
import { standInFor } from "./stand-ins.ts";

/**
 * The secrets a gateway keeps, under the names by which its export refers to them. A file that comes back
 * from outside is read with stand-ins, words that mean nothing, so that no secret can end up in a field that
 * is shown, whatever the file says; places of secrets exchange them afterwards.
 */
export interface Placeholders {
  /** The secrets by name, given to the parser in place of an environment. */
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
  /** The addresses to which the upstreams with this secret send it. */
  readonly destinations: Set<string>;
}

export function createPlaceholders(state: State): Placeholders {
  const names = createReferenceNames();
  const byName: Record<string, string> = {};
  const secrets = new Map<string, Kept>();
  const hashes = new Map<string, Buffer>();
  const standInOf = (name: string): string => (byName[name] ??= standInFor(randomText(24)));
  const keep = (standIn: string, kept: Omit<Kept, "destinations">, upstream: UpstreamRecord): void => {
    const { destinations } = secrets.get(standIn) ?? { destinations: new Set() };
    secrets.set(standIn, { ...kept, destinations: destinations.add(destinationOf(upstream)) });
  };
  for (const upstream of state.upstreams) {
    referToCredentials(upstream, names).forEach((references, index) => {
      const { secret: sealed = "", reference = null } = upstream.credentials[index] ?? {};
      for (const [field, secret] of secretsIn(upstream.kind, sealed)) {
        const name = references.get(field)?.slice(2, -1) ?? "";
        const known = referenceIn(upstream.kind, sealed, reference, field);
        keep(standInOf(name), { name, secret, reference: known }, upstream);
      }
    });
    for (const [field, { value: secret, reference }] of secretFields(upstream.options)) {
      const [, name] = /^\$\{(.*)\}$/.exec(referToOption(upstream, field, names) ?? "") ?? [];
      if (name === undefined) continue;
      keep(standInOf(name), { name, secret, reference }, upstream);
    }
  }
  // Names are given in the export's order, which leaves keys without a variable to the last.
  const keys = state.accounts.flatMap((account) => account.keys.map((key) => ({ account, key })));
  for (const isNamed of [true, false]) {
    for (const { account, key } of keys.filter(({ key: { reference } }) => (reference !== null) === isNamed))
      hashes.set(standInOf(referToKey(account, key, names).slice(2, -1)), Buffer.from(key.hash, "hex"));
  }
  const token = state.settings.metrics_token ?? undefined;
  const tokenStandIn = token && standInOf(referToMetricsToken(token, names).slice(2, -1));
  return {
    byName,
    hashOf: (credential) => hashes.get(credential),
    exchange: (manifest) => ({
      ...manifest,
      settings: exchangeToken(manifest.settings, tokenStandIn, token),
      upstreams: manifest.upstreams.map((declared) => {
        // First where they go, and then whether they may.
        const exchanged = (value: string) => secrets.get(value) ?? refuseKey(value, hashes, declared.name);
        const options =
          declared.options &&
          withSecrets(declared.options, (secret) => {
            const kept = exchanged(secret.value);
            return kept === undefined ? secret : { value: kept.secret, reference: kept.reference };
          });
        const upstream = { ...declared, options };
        for (const { value } of secretFields(declared.options).values())
          refuseMoved(secrets.get(value), upstream);
        return {
          ...upstream,
          credentials: upstream.credentials.map((credential) =>
            withFields(upstream.kind, credential, (value) => {
              const kept = exchanged(value);
              refuseMoved(kept, upstream);
              return kept;
            }),
          ),
        };
      }),
    }),
  };
}

/** The credential with what is kept in place of each of its fields that is a stand-in. */
function withFields(
  kind: string,
  credential: CredentialDeclaration,
  keptAt: (value: string) => Kept | undefined,
): CredentialDeclaration {
  const { secret: sealed, reference } = credential;
  const parts = Object.fromEntries([...openedParts(kind, sealed), ...secretsIn(kind, sealed)]);
  const variables = new Map<string, string>();
  for (const [field, value] of Object.entries(parts)) {
    const kept = keptAt(value);
    const name = kept === undefined ? referenceIn(kind, sealed, reference, field) : kept.reference;
    if (name !== null) variables.set(field, name);
    if (kept !== undefined) parts[field] = kept.secret;
  }
  return { ...credential, secret: credentialText(parts), reference: referenceText(parts, variables) };
}

function openedParts(kind: string, sealed: string): [field: string, value: string][] {
  return kindOf(kind)?.credentialForms === undefined ? [] : Object.entries(partsOf(sealed));
}

/** Only the token's own place takes what is kept of it; any other reference there would be a secret in clear. */
function exchangeToken(
  settings: Manifest["settings"],
  standIn: string | undefined,
  kept: string | undefined,
): Manifest["settings"] {
  const token = settings.metrics_token;
  if (token == null || token !== standIn) return settings;
  return { ...settings, metrics_token: kept };
}

/** A stored credential goes only where it went before: a new address must not be a way to read it. */
function refuseMoved(kept: Kept | undefined, upstream: Manifest["upstreams"][number]): void {
  const destination = destinationOf(upstream);
  if (kept === undefined || kept.destinations.has(destination)) return;
  throw refusal(
    `upstream ${upstream.name}: the credential \${${kept.name}} was entered for another server; write the credential itself to send it to ${destination}`,
  );
}

function refuseKey(value: string, keys: ReadonlyMap<string, Buffer>, upstream: string): undefined {
  if (!keys.has(value)) return undefined;
  throw refusal(
    `upstream ${upstream}: its credential refers to an account's key, which is known only to its holder`,
  );
}

function refusal(message: string): ManifestError {
  return new ManifestError("catalog file", [{ ...WHOLE_FILE, path: "upstreams", message }]);
}
