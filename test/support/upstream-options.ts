// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a file must not take it for a variable.
import fc from "fast-check";
import { secretFields, type UpstreamOptions } from "../../src/catalog/upstream-options.ts";
import { secretsIn } from "../../src/manifest/file/reference-names.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { credentialText } from "../../src/upstreams/credentials/credential-forms.ts";
import { kindOf } from "../../src/upstreams/kinds.ts";

/** Options as a file may declare them; `secret`: of the form of a credential. */
export function upstreamOptions(secret: fc.Arbitrary<string>): fc.Arbitrary<UpstreamOptions> {
  const kept = (value: fc.Arbitrary<string>) => fc.record({ value, reference: fc.constant(null) });
  const password = fc.stringMatching(/^[a-z0-9]{12}$/);
  return fc.oneof(
    fc.record({
      headers: fc.record({ "x-team": kept(secret), "x-unit": kept(secret) }),
      proxy: kept(password.map((text) => `socks5://user:${text}@proxy.internal:1080`)),
    }),
    fc.record({ headers: fc.record({ "x-team": kept(secret) }) }),
    fc.record({ endUser: fc.constant("account" as const) }),
    fc.record({ betas: fc.constantFrom({ drop: ["b-2025-02-02", "a-2025-01-01"] }) }),
    fc.record({
      body: fc.constantFrom(
        { set: { store: false, metadata: { a: [1, "${X}"] } }, remove: ["logprobs", "logit_bias"] },
        { default: { user: "ours", seed: null } },
      ),
    }),
  );
}

/** Credentials of a kind, around a secret. */
export function credentialOf(kind: string, secret: fc.Arbitrary<string>): fc.Arbitrary<string> {
  if (kindOf(kind)?.credentialForms === undefined) return secret;
  if (kind.startsWith("bedrock"))
    return fc.oneof(
      secret.map((text) => credentialText({ access_key_id: `${text}-id`, secret_access_key: text })),
      secret.map((text) => `k${text}`),
    );
  if (kind === "vertex")
    return secret.map((text) => {
      const user = { type: "authorized_user", client_id: "c", client_secret: text, refresh_token: "r" };
      return credentialText({ service_account: JSON.stringify(user) });
    });
  const client = secret.map((text) =>
    credentialText({ tenant_id: "${X}", client_id: "client", client_secret: text }),
  );
  return fc.oneof(
    client,
    secret.map((text) => `k${text}`),
  );
}

/** The options of an upstream with what its kind must know of its place. */
export function withPlace(kind: string, options: UpstreamOptions | undefined): UpstreamOptions | undefined {
  const { project, location } = kindOf(kind)?.places ?? {};
  if (project === true) return { ...options, place: { project: "acme", location: "europe-west1" } };
  return location === true ? { ...options, place: { location: "us-east-1" } } : options;
}

/** Each secret of upstreams once, by what the list of variables says of it. */
export function secretsOf(manifest: Manifest): { owner: string; secret: string }[] {
  return manifest.upstreams.flatMap(({ name, kind, credentials, options }) => [
    ...credentials.flatMap(({ secret: sealed }) =>
      secretsIn(kind, sealed).map(([field, secret]) => ({
        owner: `${field === "api_key" ? "credential" : field} of upstream ${name}`,
        secret,
      })),
    ),
    ...Array.from(secretFields(options), ([field, { value }]) => ({
      owner: `${field} of upstream ${name}`,
      secret: value,
    })),
  ]);
}
