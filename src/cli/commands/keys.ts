import { issueKeyWithin } from "../../accounts/issue-key.ts";
import { openKeyHasher } from "../../accounts/key-hasher.ts";
import type { KeyTerms } from "../../accounts/keys-store.ts";
import { openSeals } from "../../accounts/master-key.ts";
import { systemClock } from "../../base/clock.ts";
import { formatUsd } from "../../base/money.ts";
import { PLAIN_TEXT } from "../../base/text.ts";
import { readModels } from "../../catalog/models-store.ts";
import { insertAudit } from "../../users/audit-store.ts";
import { commandOrigin } from "../audit.ts";
import { type Command, CommandFailure, readModelIds, UsageError } from "../command.ts";
import { KEY_TERMS, readKeyTerms } from "../key-terms.ts";
import { namedAccount } from "../named-account.ts";
import { withDatabase } from "../open.ts";

/** Makes a key and prints it, once: only its hash is kept. */
export const keysCreateCommand: Command = {
  name: "keys create",
  summary: "create an API key and print it once",
  positionals: [],
  options: {
    account: {
      type: "string",
      value: "NAME",
      help: "account that pays for the key's requests (required)",
    },
    name: { type: "string", value: "NAME", help: "name of the key (default: key-1, key-2 ...)" },
    models: {
      type: "string",
      value: "a,b",
      help: "models that the key may use, separated by commas (default: all of the account's group)",
    },
    ...KEY_TERMS,
    json: { type: "boolean", help: "print the result as JSON" },
  },
  examples: [
    "faregate keys create --account acme --name ci --models text-large,embed-small",
    "faregate keys create --account acme --limit 50/month --expires 2027-12-31 --requests-per-minute 600",
  ],
  async run({ config, text, flag }) {
    const accountName = text("account");
    if (!accountName) throw new UsageError("missing option --account NAME");
    const name = readName(text("name"));
    const models = readModelIds(text("models")) ?? null;
    const terms = readKeyTerms({ text }, systemClock.nowMs());
    return withDatabase(config, "keys create", async ({ database }) => {
      const seals = await openSeals({ dataDir: config.dataDir, configured: config.masterKey, database });
      const hasher = await openKeyHasher(database, seals);
      const account = await namedAccount(database, accountName);
      const known = new Set((await readModels(database)).map(({ id }) => id));
      const unknown = models?.find((id) => !known.has(id));
      if (unknown !== undefined) throw new CommandFailure(`there is no model "${unknown}"`);
      const issued = await database.transaction(async (tx) => {
        const { spendingLimit, expiresAt, rateLimits, allowedAddresses } = terms;
        const limits = { spendingLimit, expiresAt, rateLimits, allowedAddresses };
        const order = { accountId: account.id, name, models, ...limits };
        const made = await issueKeyWithin(tx, hasher, order);
        if (made !== undefined)
          await insertAudit(tx, {
            action: "key.create",
            subject: made.name,
            accountId: account.id,
            after: auditedOf({ models, ...terms }),
            ...commandOrigin(),
          });
        return made;
      });
      if (issued === undefined) throw new CommandFailure(`the account already has a key named "${name}"`);
      const result = { account: accountName, id: String(issued.id), name: issued.name, key: issued.key };
      console.log(flag("json") ? JSON.stringify(result, null, 2) : issued.key);
      return 0;
    });
  },
};

/** The key's values for the audit log, in the console's words. */
function auditedOf({ models, spendingLimit, expiresAt, rateLimits, allowedAddresses }: KeyTerms) {
  return {
    models,
    spending_limit: spendingLimit && {
      amount_usd: formatUsd(spendingLimit.amountNanos),
      period: spendingLimit.period,
    },
    expires_at: expiresAt,
    rate_limits: rateLimits && {
      requests_per_minute: rateLimits.requestsPerMinute,
      tokens_per_minute: rateLimits.tokensPerMinute,
      concurrency: rateLimits.concurrency,
    },
    allowed_addresses: allowedAddresses,
  };
}

/** The key in the form of the catalog file, because an export must be applicable. */
function readName(text: string | undefined): string | undefined {
  const name = text?.trim();
  if (name === undefined || (name !== "" && name.length <= 200 && PLAIN_TEXT.test(name))) return name;
  throw new UsageError("--name takes 1 to 200 characters, and no control characters");
}
