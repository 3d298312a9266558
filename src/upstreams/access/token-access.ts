import type { Clock } from "../../base/clock.ts";
import type { Access } from "./access.ts";
import { ExpiringValue, type Issued } from "./expiring-value.ts";

const REFUSED = 401;

/** Access by a token that is sent as bearer. */
export function tokenAccess(issue: () => Promise<Issued<string>>, clock: Clock): Access {
  const tokens = new ExpiringValue(issue, clock);
  let header: readonly string[] = [];
  let token = "";
  const take = (held: string): void => {
    if (held === token) return;
    token = held;
    header = ["authorization", `Bearer ${held}`];
  };
  return {
    isReady() {
      const held = tokens.current();
      if (held !== undefined) take(held);
      return held !== undefined;
    },
    ready: async () => take(await tokens.get()),
    headers: () => header,
    isRenewed(sent, status) {
      return status === REFUSED && tokens.refuse(sent[1]?.slice("Bearer ".length) ?? "");
    },
    secrets: () => (token === "" ? [] : [token]),
  };
}
