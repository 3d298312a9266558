import { counted } from "../../base/text.ts";
import { type ListedUser, readUsers } from "../../users/members/user-list-store.ts";
import type { Command } from "../command.ts";
import { withDatabase } from "../open.ts";
import { columns } from "../text-table.ts";

/** More than one installation has, and few enough to hold. */
const MAX_LISTED = 10_000;

/** More than any id there will be. */
const LAST_ID = 2n ** 62n;

/** Lists everybody who can sign in. */
export const usersCommand: Command = {
  name: "users",
  summary: "list the users of the dashboard, with their roles",
  positionals: [],
  options: {
    search: { type: "string", value: "TEXT", help: "only those whose email address begins so" },
    json: { type: "boolean", help: "print the result as JSON" },
  },
  examples: ["faregate users", "faregate users --json | jq -r '.users[] | select(.operator_role) | .email'"],
  async run({ config, text, flag }) {
    const prefix = (text("search") ?? "").trim().toLowerCase();
    const users = await withDatabase(config, "users", ({ database }) =>
      readUsers(database, { prefix, before: LAST_ID, limit: MAX_LISTED }),
    );
    console.log(flag("json") ? JSON.stringify({ users: users.map(asJson) }, null, 2) : asText(users));
    return 0;
  },
};

function asText(users: readonly ListedUser[]): string {
  const titles = ["EMAIL", "OPERATOR", "STATE", "2FA", "LAST SIGN-IN", "ACCOUNTS"];
  const rows = users.map((user) => [
    user.email,
    user.operatorRole ?? "-",
    user.disabled ? "suspended" : "active",
    user.hasTotp ? "yes" : "no",
    user.lastSignInAt?.toISOString() ?? "never",
    user.accounts.map(({ name, role }) => `${name} (${role})`).join(", ") || "-",
  ]);
  const table = rows.length === 0 ? [] : columns([titles, ...rows]);
  return [...table, `${counted(users.length, "user")}.`].join("\n");
}

function asJson(user: ListedUser) {
  return {
    id: String(user.id),
    email: user.email,
    name: user.name,
    operator_role: user.operatorRole,
    disabled: user.disabled,
    has_totp: user.hasTotp,
    has_password: user.hasPassword,
    accounts: user.accounts,
    created_at: user.createdAt.toISOString(),
    last_sign_in_at: user.lastSignInAt?.toISOString() ?? null,
  };
}
