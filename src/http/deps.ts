import type { Authenticator } from "../accounts/authenticator.ts";
import type { KeyId } from "../accounts/caller.ts";
import type { Assets } from "../assets/assets.ts";
import type { Clock } from "../base/clock.ts";
import type { LargeJson } from "../base/json/large-json.ts";
import type { ReadReceipt } from "../billing/usage-log/receipts.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Vocabulary } from "../catalog/vocabulary.ts";
import type { Console } from "../console/console.ts";
import type { MirroredFiles } from "../mirror/mirror.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Entrance } from "../relay/admit/entrance.ts";
import type { Relay } from "../relay/relay.ts";
import type { StoredResponses } from "../relay/response/stored-responses.ts";
import type { TokenCounts } from "../relay/settle/token-counts.ts";
import type { Tasks } from "../tasks/tasks.ts";
import type { BodyMemory } from "./body/body-memory.ts";
import type { RecordRefusal } from "./core/endpoint.ts";

/** Dependencies of the routes, injected by compose. */
export interface HttpDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly authenticator: Authenticator;
  readonly catalog: { current(): Catalog };
  readonly vocabulary: Vocabulary;
  /** `gateway_error`, or the vendor vocabulary's word. */
  readonly errorType: string;
  readonly recordRefusal: RecordRefusal;
  readonly relay: Relay;
  readonly tokenCounts: TokenCounts;
  readonly storedResponses: StoredResponses;
  readonly entrance: Entrance;
  readonly bodies: BodyMemory;
  readonly largeJson: LargeJson;
  readonly tasks: Tasks;
  readonly assets: Assets;
  readonly webhooks: WebhookQueries;
  readonly readReceipt: ReadReceipt;
  /** The account and admin API behind the dashboard. */
  readonly console: Console;
  /** Copies of what tasks made. */
  readonly files: MirroredFiles;
  /** Aborted when the gateway stops: whoever only waits is answered at once. */
  readonly stopping: AbortSignal;
  /** True if a token is the one of `settings.metrics_token`. */
  readonly isMetricsToken: (given: string) => boolean;
  /** Undefined when the gateway can serve, else why it cannot. */
  readonly notReady: () => Promise<string | undefined>;
  readonly version: string;
}

/** Webhook data that an account may read. */
export interface WebhookQueries {
  /** Returns the secret that signs its deliveries; created on first use. */
  readonly secretOf: (accountId: bigint) => Promise<string>;
  /** True if a key speaks for its account's owners, to whom alone the secret is shown. */
  readonly isKeyOfOwner: (keyId: KeyId) => Promise<boolean>;
  /** Returns the delivery of a task's end; undefined = there is none. */
  readonly deliveryOf: (accountId: bigint, taskId: string) => Promise<WebhookDelivery | undefined>;
}

export interface WebhookDelivery {
  readonly id: bigint;
  readonly url: string;
  readonly deliveredAt: Date | null;
  readonly nextAt: Date | null;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly at: Date;
    readonly status: number | null;
    readonly failure: string | null;
    readonly durationMs: number;
  }[];
}
