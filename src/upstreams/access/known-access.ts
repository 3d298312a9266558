import type { Clock } from "../../base/clock.ts";
import type { Credential, Upstream } from "../../catalog/catalog.ts";
import { destinationOf } from "../../catalog/upstream-options.ts";
import type { UpstreamKind } from "../kinds.ts";
import type { Access, Environment } from "./access.ts";
import { createTokenClient } from "./token-client.ts";

interface Known {
  /** Credential, address and options with which it was opened. */
  readonly made: string;
  readonly access: Access | undefined;
}

/** One for each credential of this process, whoever asks with it, also where the catalog was read anew. */
const byPlace = new Map<string, Known>();
/** The records of a catalog never change, so the access of one is looked up without making its key. */
const byCredential = new WeakMap<object, Known>();

export interface AccessDeps {
  readonly clock: Clock;
  /** Environment from which credentials may be taken; absent = they may not. */
  readonly environment?: Environment | undefined;
}

/** Returns the access of a credential; undefined = the credential is sent as it is. */
export function accessTo(
  kind: Pick<UpstreamKind, "openAccess">,
  upstream: Upstream,
  credential: Credential,
  { clock, environment = {} }: AccessDeps,
): Access | undefined {
  if (kind.openAccess === undefined) return undefined;
  let known = byCredential.get(credential);
  if (known === undefined) {
    const place = `${upstream.id} ${credential.id}`;
    const made = `${credential.secret} ${destinationOf(upstream)} ${JSON.stringify(upstream.options?.place)}`;
    known = byPlace.get(place);
    if (known?.made !== made) {
      const tokens = createTokenClient(upstream, clock);
      known = { made, access: kind.openAccess({ upstream, credential, tokens, clock, environment }) };
      byPlace.set(place, known);
    }
    byCredential.set(credential, known);
  }
  return known.access;
}

/** Secrets of the access, beside the credential itself. */
export function accessSecrets(credential: object): readonly string[] | undefined {
  return byCredential.get(credential)?.access?.secrets();
}

/** Forgets those of all other upstreams. */
export function retainAccess(upstreams: readonly Pick<Upstream, "id" | "credentials">[]): void {
  const places = new Set(
    upstreams.flatMap(({ id, credentials }) => credentials.map((each) => `${id} ${each.id}`)),
  );
  for (const place of byPlace.keys()) if (!places.has(place)) byPlace.delete(place);
}
