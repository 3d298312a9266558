import type { Caller } from "../../accounts/caller.ts";
import type { TextBilling } from "../../billing/billing.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";
import type { Admission } from "../../limits/admission.ts";
import type { Limits } from "../../limits/limits.ts";

export type { Admission };

/** Checks that a request passes before its body is read, since reading costs memory. */
export interface Entrance {
  /**
   * Lets a caller in: its account has money, its key is within its requests per minute and at once. Undefined at once
   * for a key without such limits whose body may come in any case, as it is here or small: there is nothing to save. Rejects with GatewayError.
   */
  admit(caller: Caller, bodyMayCome: boolean): Promise<Admission | undefined> | undefined;
  /** Lets in a counting of tokens, which is free; gives the response's `x-ratelimit-*`. Rejects with GatewayError. */
  admitCount(caller: Caller): Promise<Readonly<Record<string, string>>>;
}

export interface EntranceDeps {
  readonly catalog: { current(): Catalog };
  readonly billing: Pick<TextBilling, "requireFunds">;
  readonly limits: Limits;
}

export function createEntrance({ catalog, billing, limits }: EntranceDeps): Entrance {
  return {
    admit(caller, bodyMayCome) {
      const isAsked = !bodyMayCome && !isFreeToServe(catalog.current(), caller.group);
      const asked = isAsked ? billing.requireFunds(caller) : undefined;
      return asked === undefined ? limits.admit(caller) : asked.then(() => limits.admit(caller));
    },
    admitCount: (caller) => limits.admitCount(caller),
  };
}

const free = new WeakMap<Catalog, Map<string, boolean>>();

/** True if a group has a model that costs nothing: an account without money may use that, and only the body names it. */
function isFreeToServe(catalog: Catalog, group: string): boolean {
  let byGroup = free.get(catalog);
  if (byGroup === undefined) {
    byGroup = new Map();
    free.set(catalog, byGroup);
  }
  let serves = byGroup.get(group);
  if (serves === undefined) {
    serves = catalog.groups.get(group)?.factorPpm === 0n || [...catalog.models.values()].some(isFree);
    byGroup.set(group, serves);
  }
  return serves;
}

function isFree({ price }: Model): boolean {
  if (price === null) return false;
  const { perImage = {}, perSecond = {} } = price.media;
  return [price.rates, perImage, perSecond].every((rates) =>
    Object.values(rates).every((rate) => rate === undefined || rate === 0n),
  );
}
