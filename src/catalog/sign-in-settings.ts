import { z } from "zod";
import { addressRanges } from "../base/fetch/address-list.ts";
import type { Settings } from "./catalog.ts";

const accountRole = z.enum(["viewer", "member", "owner"]);

const accountName = z.string().min(1).max(200);

/** Everyone with a verified address at this domain joins an account. */
const mappedDomain = z.strictObject({
  domain: z
    .string()
    .regex(/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/, "must be a domain such as example.com")
    .toLowerCase()
    .describe("Domain of verified email addresses, without its subdomains"),
  account: accountName.describe("Account that its users join"),
  role: accountRole.describe("Role in the account"),
});

/** Everyone in this group of the provider's gets a role in an account, or one of operators. */
const mappedGroup = z
  .strictObject({
    group: z.string().min(1).max(300).describe("Group as the provider's claim spells it"),
    account: accountName.optional().describe("Account that its users join"),
    role: accountRole.optional().describe("Role in the account"),
    operator_role: z
      .enum(["read_only", "billing", "operator"])
      .optional()
      .describe("Role of operators, in place of account and role"),
  })
  .refine(({ account, role }) => (account === undefined) === (role === undefined), {
    error: "account and role belong together",
    path: ["role"],
  })
  .refine(({ account, operator_role: role }) => (account === undefined) !== (role === undefined), {
    error: "must give either an account with a role, or an operator_role",
    path: ["operator_role"],
  });

/** An identity provider. Its secret is never here: settings are stored, shown and exported in clear. */
const oidcProvider = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "must be lower-case letters, digits and dashes")
    .describe("Id of the provider in URLs; can't be changed"),
  name: z.string().min(1).max(60).describe("Label of the button"),
  issuer: z
    .url({ protocol: /^https?$/ })
    .refine(isPlainAddress, "must not contain a user, password or query")
    .describe("Issuer URL; the configuration is read from /.well-known/openid-configuration under it"),
  client_id: z.string().min(1).max(300).describe("Client ID of this gateway"),
  client_secret_env: z
    .string()
    // No other variable may be named: whoever sets the issuer would be sent it.
    .regex(/^([A-Z][A-Z0-9_]*_)?OIDC_CLIENT_SECRET$/, "must end with OIDC_CLIENT_SECRET")
    .optional()
    .describe("Environment variable with the client secret; default FAREGATE_OIDC_CLIENT_SECRET"),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, "must be a scope"))
    .max(20)
    .optional()
    .describe("Further scopes to ask for, besides openid, email and profile; some providers need groups"),
  groups_claim: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Claim of the ID token that lists the user's groups; default groups"),
  domains: z
    .array(mappedDomain)
    .max(100)
    .optional()
    .describe("Accounts that users join by the domain of their verified email address"),
  groups: z
    .array(mappedGroup)
    .max(1_000)
    .optional()
    .describe("Roles that users have by their groups at the provider"),
});

/** The `sign_in` of the settings: how users get into the dashboard, and what they must show. */
export const signInSettings = z
  .strictObject({
    self_registration: z
      .boolean()
      .optional()
      .describe(
        "true lets anyone sign up; new users get their own account in the group default, with a zero balance; default false",
      ),
    oidc: z
      .array(oidcProvider)
      .max(10)
      .refine((providers) => new Set(providers.map(({ id }) => id)).size === providers.length, {
        error: "must have different ids",
      })
      .optional()
      .describe("Identity providers to sign in with"),
    require_sso: z
      .boolean()
      .optional()
      .describe("true refuses passwords: users sign in at an identity provider; default false"),
    require_two_factor: z
      .strictObject({
        operators: z.boolean().optional().describe("true requires it of operators; default false"),
        accounts: z
          .array(accountName)
          .max(1_000)
          .optional()
          .describe("Names of accounts whose members need it"),
      })
      .optional()
      .describe("Who must use two-factor authentication; an identity provider's counts"),
    operator_addresses: addressRanges
      .optional()
      .describe("Addresses and CIDR ranges from which operators may use the console; omitted = any"),
  })
  .refine(({ require_sso: required, oidc = [] }) => !required || oidc.length > 0, {
    error: "needs an identity provider in oidc",
    path: ["require_sso"],
  });

export function decodeSignIn(file: z.infer<typeof signInSettings> = {}): Settings["signIn"] {
  return {
    selfRegistration: file.self_registration ?? false,
    oidc: (file.oidc ?? []).map(decodeProvider),
    requireSso: file.require_sso ?? false,
    requireTwoFactor: {
      operators: file.require_two_factor?.operators ?? false,
      accounts: file.require_two_factor?.accounts ?? [],
    },
    operatorAddresses: file.operator_addresses ?? null,
  };
}

function decodeProvider(provider: z.infer<typeof oidcProvider>): Settings["signIn"]["oidc"][number] {
  const { id, name, issuer, client_id: clientId, client_secret_env: secretName } = provider;
  return {
    id,
    name,
    issuer,
    clientId,
    clientSecretName: secretName ?? "FAREGATE_OIDC_CLIENT_SECRET",
    scopes: provider.scopes ?? [],
    groupsClaim: provider.groups_claim ?? "groups",
    domains: provider.domains ?? [],
    groups: (provider.groups ?? []).map(({ group, account = null, role = null, operator_role = null }) => ({
      group,
      account,
      role,
      operatorRole: operator_role,
    })),
  };
}

export function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return `${username}${password}${search}${hash}` === "";
}
