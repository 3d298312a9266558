import type { Authenticator } from "../accounts/authenticator.ts";
import type { KeyHasher } from "../accounts/key-hasher.ts";
import type { Assets } from "../assets/assets.ts";
import type { Clock } from "../base/clock.ts";
import type { Seals } from "../base/seal.ts";
import type { LedgerReport } from "../billing/ledger/verify.ts";
import type { ReadReceipt } from "../billing/usage-log/receipts.ts";
import type { CatalogCache } from "../catalog/catalog-cache.ts";
import type { Log } from "../observe/log.ts";
import type { Routing } from "../routing/routing.ts";
import type { Database } from "../storage/database.ts";
import type { Environment } from "../upstreams/access/access.ts";
import type { Transport } from "../upstreams/call.ts";
import type { Users } from "../users/users.ts";
import type { TrafficWatch } from "./traffic/traffic.ts";

/** The dependencies of the console's operations, injected by compose. */
export interface ConsoleDeps {
  readonly database: Database;
  readonly seals: Seals;
  readonly hasher: KeyHasher;
  readonly users: Users;
  /** Called after the commit of a change to a key or an account, so that this process knows it immediately. */
  readonly authenticator: Pick<Authenticator, "forget">;
  readonly catalog: CatalogCache;
  readonly readReceipt: ReadReceipt;
  /** Recomputes the books, the journals of this process's data dir among them; each rule may take `limitMs`. */
  readonly verifyLedger: (limitMs: number) => Promise<LedgerReport>;
  /** The registry behind the public API's paths. */
  readonly assets: Assets;
  /** The health of upstreams as this process sees it. */
  readonly routing: Pick<
    Routing,
    "attempts" | "condition" | "inspect" | "limitedSeconds" | "seenConversations" | "unhealthyTargets"
  >;
  readonly transport: Pick<Transport, "stats" | "through">;
  /** The present and past load of all processes. */
  readonly traffic: TrafficWatch;
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** The environment from which credentials of upstreams may be read. */
  readonly environment?: Environment;
  readonly log: Log;
  /** The environment variable of a name that settings give for an identity provider's secret. */
  readonly clientSecret: (name: string) => string | undefined;
  /** The address callers use, without a slash at its end. */
  readonly publicUrl: () => Promise<string>;
  readonly version: string;
}

/**
 * The settings that a process runs with, as far as its environment states them; never the contents of a variable that
 * may be secret.
 */
export interface Runtime {
  /** Host and process id, as its journal carries it. */
  readonly label: string;
  readonly variables: readonly { readonly name: string; readonly isSet: boolean }[];
  /** The folder of the embedded database, be there one or not. */
  readonly dataDir: string;
  /** The catalog file that every start applies. */
  readonly configFile: string | undefined;
}
