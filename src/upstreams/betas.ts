import type { Upstream } from "../catalog/catalog.ts";
import type { Loss } from "../conversation/loss.ts";
import { kindOf } from "./kinds.ts";

type BetaTaker = Pick<Upstream, "kind" | "options">;

/** Why a beta doesn't reach an upstream: an option leaves it out, or its kind refuses it; undefined = it does. */
export function betaRefusal(beta: unknown, { kind, options }: BetaTaker): Loss["reason"] | undefined {
  if (typeof beta !== "string") return undefined;
  if (options?.betas?.drop.includes(beta) === true) return "upstream-option";
  return kindOf(kind)?.refusedBetas?.some((each) => beta.startsWith(each)) === true ? "no-slot" : undefined;
}

/** True if there are betas that an upstream doesn't get. */
export function leavesBetasOut({ kind, options }: BetaTaker): boolean {
  return options?.betas !== undefined || kindOf(kind)?.refusedBetas !== undefined;
}

/** The loss that names a beta that is left out. */
export function betaLoss(beta: string, upstream: BetaTaker): Loss {
  return { path: `anthropic-beta:${beta}`, reason: betaRefusal(beta, upstream) ?? "no-slot" };
}

/** The betas that reach an upstream, of those that the caller asks for: a list with commas. */
export function sentBetas(asked: string | undefined, upstream: BetaTaker): string | undefined {
  if (asked === undefined) return asked;
  const sent = asked.split(",").filter((beta) => betaRefusal(beta.trim(), upstream) === undefined);
  return sent.length === 0 ? undefined : sent.join(",");
}

/** Those that are left out. */
export function droppedBetas(asked: string | undefined, upstream: BetaTaker): readonly string[] {
  if (asked === undefined) return [];
  return asked
    .split(",")
    .map((beta) => beta.trim())
    .filter((beta) => betaRefusal(beta, upstream) !== undefined);
}
