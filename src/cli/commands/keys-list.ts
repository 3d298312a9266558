import { systemClock } from "../../base/clock.ts";
import { formatUsd } from "../../base/money.ts";
import { counted } from "../../base/text.ts";
import { readShownKeys, type ShownKey } from "../../console/keys/key-rows-store.ts";
import { type Command, UsageError } from "../command.ts";
import { namedAccount } from "../named-account.ts";
import { withDatabase } from "../open.ts";
import { columns } from "../text-table.ts";

/** More keys of one account than anybody reads or a script pages through. */
const MAX_LISTED = 10_000;

/** Lists an account's keys, without their secrets. */
export const keysListCommand: Command = {
  name: "keys list",
  summary: "list an account's API keys, without their secrets",
  positionals: [],
  options: {
    account: { type: "string", value: "NAME", help: "account whose keys to list (required)" },
    revoked: { type: "boolean", help: "list the revoked keys instead" },
    json: { type: "boolean", help: "print the result as JSON" },
  },
  examples: [
    "faregate keys list --account acme",
    "faregate keys list --account acme --json | jq -r '.keys[].name'",
  ],
  async run({ config, text, flag }) {
    const name = text("account");
    if (!name) throw new UsageError("missing option --account NAME");
    const keys = await withDatabase(config, "keys list", async ({ database }) => {
      const { id: accountId } = await namedAccount(database, name);
      const wanted = { accountId, revoked: flag("revoked"), search: "", afterId: null, most: MAX_LISTED };
      return readShownKeys(database, wanted);
    });
    const nowMs = systemClock.nowMs();
    if (flag("json"))
      console.log(JSON.stringify({ account: name, keys: keys.map((key) => asJson(key, nowMs)) }, null, 2));
    else console.log(asText(keys, name, nowMs));
    return 0;
  },
};

function stateOf({ revokedAt, disabled, expiresAt }: ShownKey, nowMs: number): string {
  if (revokedAt !== null) return "revoked";
  if (disabled) return "disabled";
  return expiresAt !== null && expiresAt.getTime() <= nowMs ? "expired" : "active";
}

function asText(keys: readonly ShownKey[], account: string, nowMs: number): string {
  const titles = ["NAME", "KEY", "STATE", "EXPIRES", "LIMIT", "SPENT THIS MONTH", "LAST USED", "MODELS"];
  const rows = keys.map((key) => [
    key.name,
    key.hint,
    stateOf(key, nowMs),
    key.expiresAt?.toISOString() ?? "-",
    key.spendingLimit === null
      ? "-"
      : `${formatUsd(key.spendingLimit.amountNanos)} USD, ${key.spendingLimit.period}`,
    `${formatUsd(key.spentMonthNanos)} USD`,
    key.lastUsedAt?.toISOString() ?? "-",
    key.models?.join(", ") ?? "all",
  ]);
  const table = rows.length === 0 ? [] : columns([titles, ...rows]);
  return [...table, `${counted(keys.length, "key")} of ${account}.`].join("\n");
}

function asJson(key: ShownKey, nowMs: number) {
  return {
    id: String(key.id),
    name: key.name,
    hint: key.hint,
    state: stateOf(key, nowMs),
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    models: key.models,
    spending_limit: key.spendingLimit && {
      amount_usd: formatUsd(key.spendingLimit.amountNanos),
      period: key.spendingLimit.period,
    },
    rate_limits: {
      requests_per_minute: key.rateLimits?.requestsPerMinute ?? null,
      tokens_per_minute: key.rateLimits?.tokensPerMinute ?? null,
      concurrency: key.rateLimits?.concurrency ?? null,
    },
    allowed_addresses: key.allowedAddresses,
    spent_month_usd: formatUsd(key.spentMonthNanos),
    spent_total_usd: formatUsd(key.spentTotalNanos),
  };
}
