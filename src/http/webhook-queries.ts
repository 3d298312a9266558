import type { KeyId } from "../accounts/caller.ts";

/** What an account may know of its webhooks. */
export interface WebhookQueries {
  /** What its deliveries are signed with; made when it is first asked for. */
  readonly secretOf: (accountId: bigint) => Promise<string>;
  /** Whether a key speaks for its account's owners, to whom alone the secret is shown. */
  readonly isKeyOfOwner: (keyId: KeyId) => Promise<boolean>;
  /** What became of the delivery of a task's end; undefined = there is none. */
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
