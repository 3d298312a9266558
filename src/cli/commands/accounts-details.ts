import { type BillingDetails, billingProblem } from "../../accounts/billing-details.ts";
import { lockBillingDetails, writeBillingDetails } from "../../accounts/billing-details-store.ts";
import { insertAudit } from "../../users/audit-store.ts";
import { commandOrigin } from "../audit.ts";
import { type Command, UsageError } from "../command.ts";
import { namedAccount } from "../named-account.ts";
import { withDatabase } from "../open.ts";

const OPTIONS = { "legal-name": "legalName", address: "address", "tax-id": "taxId" } as const;

/** Shows or sets what monthly statements print of an account, as the dashboard does. */
export const accountsDetailsCommand: Command = {
  name: "accounts details",
  summary: "show or set the billing details on an account's statements",
  positionals: ["NAME"],
  options: {
    "legal-name": { type: "string", value: "TEXT", help: "legal name; an empty text removes it" },
    address: {
      type: "string",
      value: "TEXT",
      help: "postal address, with line breaks; an empty text removes it",
    },
    "tax-id": {
      type: "string",
      value: "TEXT",
      help: "tax id, such as a VAT number; an empty text removes it",
    },
    json: { type: "boolean", help: "print the result as JSON" },
  },
  examples: [
    "faregate accounts details acme",
    'faregate accounts details acme --legal-name "Acme Ltd." --tax-id GB123456789',
  ],
  async run({ config, positionals, text, flag }) {
    const [name = ""] = positionals;
    const stated = Object.entries(OPTIONS).flatMap(
      ([option, field]): [keyof BillingDetails, string | null][] => {
        const value = text(option);
        return value === undefined ? [] : [[field, readDetail(option, field, value)]];
      },
    );
    return withDatabase(config, "accounts details", async ({ database }) => {
      const { id: accountId } = await namedAccount(database, name);
      const details = await database.transaction(async (tx) => {
        const before = await lockBillingDetails(tx, accountId);
        if (stated.length === 0) return before;
        const after: BillingDetails = { ...before, ...Object.fromEntries(stated) };
        await writeBillingDetails(tx, accountId, after);
        await insertAudit(tx, {
          action: "account.update",
          subject: name,
          accountId,
          before: inWords(before),
          after: inWords(after),
          ...commandOrigin(),
        });
        return after;
      });
      console.log(
        flag("json")
          ? JSON.stringify({ account: name, ...inWords(details) }, null, 2)
          : Object.entries(inWords(details))
              .map(([field, value]) => `${field}: ${value?.replaceAll("\n", "\n  ") ?? "none"}`)
              .join("\n"),
      );
      return 0;
    });
  },
};

function readDetail(option: string, field: keyof BillingDetails, text: string): string | null {
  const value = text.replaceAll("\r\n", "\n").trim();
  if (value === "") return null;
  const problem = billingProblem(field, value);
  if (problem !== undefined) throw new UsageError(`--${option} ${problem}`);
  return value;
}

function inWords({ legalName, address, taxId }: BillingDetails) {
  return { legal_name: legalName, address, tax_id: taxId };
}
