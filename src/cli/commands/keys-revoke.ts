import { readKeys, revokeKey } from "../../accounts/keys-store.ts";
import { closestMatch } from "../../base/text.ts";
import { insertAudit } from "../../users/audit-store.ts";
import { commandOrigin } from "../audit.ts";
import { type Command, CommandFailure, UsageError } from "../command.ts";
import { namedAccount } from "../named-account.ts";
import { withDatabase } from "../open.ts";

/** Ends a key for good, as the dashboard does. */
export const keysRevokeCommand: Command = {
  name: "keys revoke",
  summary: "revoke an API key permanently",
  positionals: ["NAME"],
  options: {
    account: { type: "string", value: "NAME", help: "account that the key belongs to (required)" },
    json: { type: "boolean", help: "print the result as JSON" },
  },
  examples: ["faregate keys revoke ci --account acme"],
  async run({ config, positionals, text, flag }) {
    const accountName = text("account");
    if (!accountName) throw new UsageError("missing option --account NAME");
    const [name = ""] = positionals;
    return withDatabase(config, "keys revoke", async ({ database }) => {
      const { id: accountId } = await namedAccount(database, accountName);
      const keys = await readKeys(database, accountId);
      const key = keys.find((each) => each.name === name);
      if (key === undefined) {
        const near = closestMatch(
          name,
          keys.map((each) => each.name),
        );
        const hint = near === undefined ? "" : `; did you mean "${near}"?`;
        throw new CommandFailure(`${accountName} has no key "${name}" that is not revoked${hint}`);
      }
      await database.transaction(async (tx) => {
        if (!(await revokeKey(tx, key.id)))
          throw new CommandFailure(`the key "${name}" was just revoked by someone else`);
        await insertAudit(tx, {
          action: "key.revoke",
          subject: name,
          accountId,
          before: { id: key.id },
          ...commandOrigin(),
        });
      });
      const revoked = { account: accountName, id: String(key.id), name, hint: key.hint };
      console.log(flag("json") ? JSON.stringify({ revoked }, null, 2) : `Revoked ${name} (${key.hint}).`);
      return 0;
    });
  },
};
