import { z } from "zod";
import { PLAIN_TEXT } from "../../base/text.ts";
import { OPERATOR_ROLES } from "../../users/scopes.ts";

/** The name under which somebody signs in; capitals do not count. */
export const email = z
  .string()
  .trim()
  .max(254)
  // Before the capitals go: a sign that is no ASCII may become a letter that is.
  .regex(/^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/, "must be an e-mail address")
  .toLowerCase();

/** One that somebody chooses. Length is what makes guessing hard; rules about letters make people write it down. */
export const newPassword = z
  .string()
  .min(8, "must have at least 8 characters")
  .max(200, "must have at most 200 characters");

/** A user's name. */
export const personName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(PLAIN_TEXT, "must have no control characters");

export const accountRole = z.enum(["viewer", "member", "owner"]);

export const operatorRole = z
  .enum(OPERATOR_ROLES)
  .describe(
    "Role of an operator: read_only changes nothing, billing changes money and prices, operator everything",
  );

export const sessionResponseSchema = z.strictObject({
  user: z.strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    is_operator: z.boolean().describe("Has a role of operators: sees every account"),
    operator_role: operatorRole.nullable(),
    has_totp: z.boolean().describe("Uses two-factor authentication"),
  }),
  must_change_password: z
    .boolean()
    .describe("true if the password was generated; nothing else is allowed until it is changed"),
  must_set_up_totp: z
    .boolean()
    .describe(
      "true if settings require two-factor authentication; nothing else is allowed until it is set up",
    ),
  accounts: z
    .array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        role: accountRole,
        suspended: z.boolean().describe("true if the account is suspended: its API keys are refused"),
      }),
    )
    .describe("Accounts of the user, by name; operators have access to all others too"),
  csrf_token: z
    .string()
    .nullable()
    .describe("CSRF token for writes of this session (x-faregate-csrf); null for a console token"),
  public_url: z.string().describe("Public base URL, without a trailing slash"),
  version: z.string().describe("Version of the gateway"),
});
export type SessionResponse = z.infer<typeof sessionResponseSchema>;

export const signInBody = z.strictObject({
  email,
  password: z.string().max(1_000),
  totp: z
    .string()
    .trim()
    .max(40)
    .optional()
    .describe("Two-factor code: six digits, or a recovery code; required after 401 totp_required"),
});
export type SignInBody = z.infer<typeof signInBody>;

export const signInOptions = z.strictObject({
  self_registration: z.boolean().describe("true if self-registration is enabled"),
  sso_required: z.boolean().describe("true if passwords are refused"),
  oidc: z
    .array(z.strictObject({ id: z.string(), name: z.string() }))
    .describe("Identity providers to sign in with"),
  password_reset: z.boolean().describe("true if passwords can be reset by e-mail"),
});
export type SignInOptions = z.infer<typeof signInOptions>;

export const passwordBody = z.strictObject({
  current_password: z.string().max(1_000),
  new_password: newPassword,
});
export type PasswordBody = z.infer<typeof passwordBody>;

export const done = z.strictObject({ done: z.literal(true) });

export const language = z.enum(["en", "zh"]).describe("Language in which e-mail is written");

export const resetRequest = z.strictObject({ email, language: language.optional() });
export type ResetRequest = z.infer<typeof resetRequest>;

export const resetLook = z.strictObject({ token: z.string().max(200) });
export const resetView = z.strictObject({ email: z.string() });

export const resetBody = z.strictObject({ token: z.string().max(200), new_password: newPassword });
export type ResetBody = z.infer<typeof resetBody>;

export const registrationBody = z.strictObject({
  email,
  password: newPassword,
  name: personName.optional().describe("Name; default the part of the address before the @"),
});
export type RegistrationBody = z.infer<typeof registrationBody>;

export const oidcStartBody = z.strictObject({ provider: z.string().max(100) });
export type OidcStartBody = z.infer<typeof oidcStartBody>;

export const oidcStart = z.strictObject({
  url: z.string().describe("URL to redirect the browser to"),
  flow: z.string().describe("State to keep in the tab and to send with the provider's response"),
});
export type OidcStart = z.infer<typeof oidcStart>;

export const oidcFinishBody = z.strictObject({
  flow: z.string().max(2_000),
  response: z.string().max(8_000).describe("Query string of the provider's redirect"),
});
export type OidcFinishBody = z.infer<typeof oidcFinishBody>;
