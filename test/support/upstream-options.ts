// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a file must not take it for a variable.
import fc from "fast-check";
import { secretFields, type UpstreamOptions } from "../../src/catalog/upstream-options.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";

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

/** Each secret of upstreams once, by what the list of variables says of it. */
export function secretsOf(manifest: Manifest): { owner: string; secret: string }[] {
  return manifest.upstreams.flatMap(({ name, credentials, options }) => [
    ...credentials.map(({ secret }) => ({ owner: `credential of upstream ${name}`, secret })),
    ...Array.from(secretFields(options), ([field, { value }]) => ({
      owner: `${field} of upstream ${name}`,
      secret: value,
    })),
  ]);
}
