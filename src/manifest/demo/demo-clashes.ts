/** The fields of an upstream that are compared, whether it comes from a file, the database or the served catalog. */
export interface ServingUpstream {
  readonly name: string;
  readonly kind: string;
  readonly models: ReadonlyMap<string, unknown>;
  readonly enabled?: boolean;
}

/**
 * A sentence for each sandbox that answers models which another upstream answers too: its responses are made up,
 * and callers would be charged for them as for real ones.
 */
export function demoClashes(upstreams: readonly ServingUpstream[]): string[] {
  const enabled = upstreams.filter((upstream) => upstream.enabled !== false);
  const real = new Set(
    enabled.filter(({ kind }) => kind !== "sandbox").flatMap(({ models }) => [...models.keys()]),
  );
  return enabled.flatMap(({ name, kind, models }) => {
    const both = kind === "sandbox" ? [...models.keys()].filter((id) => real.has(id)) : [];
    if (both.length === 0) return [];
    const verb = both.length === 1 ? "is" : "are";
    const remedy =
      name === "sandbox"
        ? "apply the file with --remove-demo, or disable the upstream"
        : "disable the upstream or remove the model from it";
    return [
      `${both.join(", ")} ${verb} also served by the sandbox (upstream ${name}) with made-up responses; ${remedy}`,
    ];
  });
}
