import { readSettings, writeSettings } from "../../catalog/catalog-store.ts";
import type { SettingsFile } from "../../catalog/settings.ts";
import { lockManifest } from "../../manifest/manifest-store.ts";
import { insertAudit } from "../../users/audit-store.ts";
import { commandOrigin } from "../audit.ts";
import { type Command, UsageError } from "../command.ts";
import { withDatabase } from "../open.ts";

type Rules = NonNullable<SettingsFile["sign_in"]>;

/** What may keep people out, by the word of the option. */
const LIFTABLE = {
  addresses: "operator_addresses",
  "two-factor": "require_two_factor",
  sso: "require_sso",
} as const satisfies Record<string, keyof Rules>;

/** Lets operators in again whom the rules of signing in keep out. */
export const signInCommand: Command = {
  name: "sign-in",
  summary: "show what settings.sign_in requires of users, or lift it for operators who are locked out",
  positionals: [],
  options: {
    lift: { type: "string", value: "a,b", help: `what to lift: ${Object.keys(LIFTABLE).join(", ")}` },
    json: { type: "boolean", help: "print the result as JSON" },
  },
  examples: ["faregate sign-in", "faregate sign-in --lift addresses,sso"],
  async run({ config, text, flag }) {
    const lifted = readLifted(text("lift"));
    const rules = await withDatabase(config, "sign-in", ({ database }) =>
      database.transaction(async (tx) => {
        await lockManifest(tx);
        const before = await readSettings(tx);
        if (lifted.length === 0) return before.sign_in ?? {};
        const kept = Object.entries(before.sign_in ?? {}).filter(([name]) => !lifted.includes(name));
        const after = { ...before, sign_in: Object.fromEntries(kept) as Rules };
        await writeSettings(tx, after);
        const change = { action: "settings.update", subject: "settings", before, after };
        await insertAudit(tx, { ...change, ...commandOrigin() });
        return after.sign_in;
      }),
    );
    console.log(flag("json") ? JSON.stringify({ sign_in: shown(rules) }, null, 2) : asText(rules));
    return 0;
  },
};

function readLifted(text: string | undefined): readonly string[] {
  const words = text?.split(",").map((word) => word.trim()) ?? [];
  return words.map((word) => {
    const name = Object.hasOwn(LIFTABLE, word) ? LIFTABLE[word as keyof typeof LIFTABLE] : undefined;
    if (name === undefined) throw new UsageError(`--lift takes ${Object.keys(LIFTABLE).join(", ")}`);
    return name;
  });
}

function shown(rules: Rules) {
  return {
    operator_addresses: rules.operator_addresses ?? null,
    require_two_factor: {
      operators: rules.require_two_factor?.operators ?? false,
      accounts: rules.require_two_factor?.accounts ?? [],
    },
    require_sso: rules.require_sso ?? false,
  };
}

function asText(rules: Rules): string {
  const { operator_addresses: addresses, require_two_factor: factor, require_sso: sso } = shown(rules);
  const required = [...(factor.operators ? ["operators"] : []), ...factor.accounts];
  return [
    `operator addresses: ${addresses?.join(", ") ?? "any"}`,
    `two-factor authentication: ${required.length === 0 ? "optional" : `required of ${required.join(", ")}`}`,
    `identity provider: ${sso ? "required" : "optional"}`,
  ].join("\n");
}
