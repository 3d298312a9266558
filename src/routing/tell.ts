import type { Log } from "../observe/log.ts";
import type { HealthChange, HealthSite } from "./health.ts";

type Change = NonNullable<HealthChange>;

const WORDS: Readonly<Record<Change, string>> = {
  unreachable: "five connections in a row failed: requests go elsewhere, with a probe every 30 s",
  outvoted:
    "requests of several accounts fail, of more than are served: requests go elsewhere, with a probe every 30 s",
  "closed-to-account":
    "five requests of one account in a row failed: that account's requests go elsewhere, with a probe every 30 s",
  closed: "the upstream answers again: it gets its share back within a minute",
  withdrawn: "the upstream serves others, or those accounts fail elsewhere too: requests go there again",
  "rate-limited": "the upstream limits our rate; its other credentials go first",
  refused: "the upstream refuses our account: check its key, its credit and the model's name",
};

/** Writes what has changed at a place; what a person must mend is an alarm. */
export function tell(
  log: Log,
  change: Change,
  { upstream, credential, model }: HealthSite,
  account?: bigint,
): void {
  const where = { upstream: upstream.name, credential: credential.name, model };
  if (change === "refused") log.error({ ...where, alarm: true }, WORDS[change]);
  else if (change === "closed" || change === "withdrawn") log.info(where, WORDS[change]);
  else if (change === "closed-to-account") log.warn({ ...where, account: String(account) }, WORDS[change]);
  else log.warn(where, WORDS[change]);
}
