import type { Upstream } from "../catalog/catalog.ts";

/** The betas that reach an upstream, of those that the caller asks for: a list with commas. */
export function sentBetas(
  asked: string | undefined,
  { options }: Pick<Upstream, "options">,
): string | undefined {
  const drop = options?.betas?.drop;
  if (asked === undefined || drop === undefined) return asked;
  const sent = asked.split(",").filter((beta) => !drop.includes(beta));
  return sent.length === 0 ? undefined : sent.join(",");
}

/** Those that its options leave out. */
export function droppedBetas(
  asked: string | undefined,
  { options }: Pick<Upstream, "options">,
): readonly string[] {
  const drop = options?.betas?.drop;
  if (asked === undefined || drop === undefined) return [];
  return asked.split(",").filter((beta) => drop.includes(beta));
}
