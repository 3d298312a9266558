import { z } from "zod";
import { PLAIN_TEXT } from "../../base/text.ts";
import { moment, pageOf, pageQuery } from "../contract-parts.ts";
import { accountRole, email, language, newPassword, operatorRole, personName } from "../session/contract.ts";

// Oneself

export const nameBody = z.strictObject({ name: personName });
export type NameBody = z.infer<typeof nameBody>;

export const languageBody = z.strictObject({ language });

const sessionRow = z.strictObject({
  id: z.string(),
  current: z.boolean().describe("true for the session of this request"),
  created_at: moment,
  last_seen_at: moment.describe("Time of the last use, accurate to the minute"),
  expires_at: moment,
  address: z.string(),
  user_agent: z.string(),
});
export type SessionRow = z.infer<typeof sessionRow>;

export const sessionList = z.strictObject({ data: z.array(sessionRow), next: z.null() });
export type SessionList = z.infer<typeof sessionList>;

export const endedSessions = z.strictObject({ ended: z.number().int() });
export type EndedSessions = z.infer<typeof endedSessions>;

export const passwordProof = z.strictObject({ password: z.string().max(1_000) });
export type PasswordProof = z.infer<typeof passwordProof>;

export const totpEnrolment = z.strictObject({
  secret: z.string().describe("Secret in base32, to type into the app"),
  uri: z.string().describe("otpauth:// URL, to show as a QR code"),
});
export type TotpEnrolment = z.infer<typeof totpEnrolment>;

export const totpCode = z.strictObject({ code: z.string().trim().max(40) });
export type TotpCode = z.infer<typeof totpCode>;

export const recoveryCodes = z.strictObject({
  recovery_codes: z.array(z.string()).describe("Recovery codes, shown only once; each replaces a code once"),
});
export type RecoveryCodes = z.infer<typeof recoveryCodes>;

// The people of an account

export const memberRow = z.strictObject({
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  role: accountRole,
  disabled: z.boolean().describe("Suspended by an operator"),
  has_totp: z.boolean(),
  since: moment,
  last_sign_in_at: moment.nullable(),
});
export type MemberRow = z.infer<typeof memberRow>;

export const membersQuery = pageQuery.extend({
  search: z
    .string()
    .trim()
    .max(200)
    .regex(PLAIN_TEXT, "must be plain text")
    .optional()
    .describe("Part of the name or email address, case-insensitive"),
});

export const memberPage = pageOf(memberRow);
export type MemberPage = z.infer<typeof memberPage>;

export const roleBody = z.strictObject({ role: accountRole });
export type RoleBody = z.infer<typeof roleBody>;

// Invitations

const invitationRow = z.strictObject({
  id: z.string(),
  email: z.string(),
  account: z.strictObject({ id: z.string(), name: z.string() }).nullable(),
  role: accountRole.nullable().describe("In the account"),
  operator_role: operatorRole.nullable(),
  invited_by: z.string().describe("E-mail address"),
  created_at: moment,
  expires_at: moment,
});
export type InvitationRow = z.infer<typeof invitationRow>;

export const invitationPage = pageOf(invitationRow);
export type InvitationPage = z.infer<typeof invitationPage>;

export const createdInvitation = invitationRow.extend({
  link: z.string().describe("Link to pass on to the invited user; shown only once, works once"),
  mailed: z.boolean().describe("true if the link is also sent to the address, as settings.smtp is set"),
});
export type CreatedInvitation = z.infer<typeof createdInvitation>;

export const memberInvitation = z.strictObject({ email, role: accountRole });
export type MemberInvitation = z.infer<typeof memberInvitation>;

export const operatorInvitation = z.strictObject({
  email,
  account: z
    .strictObject({ id: z.string(), role: accountRole })
    .nullable()
    .default(null)
    .describe("The account they join"),
  operator_role: operatorRole
    .nullable()
    .default(null)
    .describe("Role of operators that they get; null = none"),
});
export type OperatorInvitation = z.input<typeof operatorInvitation>;

const invitationToken = z.string().max(200).describe("Token of the link, after the #");

export const invitationLook = z.strictObject({ token: invitationToken });
export type InvitationLook = z.infer<typeof invitationLook>;

export const invitationView = z.strictObject({
  email: z.string(),
  account: z.string().nullable().describe("Name of the account that the user joins"),
  role: accountRole.nullable(),
  operator_role: operatorRole.nullable(),
  expires_at: moment,
});
export type InvitationView = z.infer<typeof invitationView>;

export const invitationResponse = z.strictObject({
  token: invitationToken,
  password: newPassword.optional().describe("New password, or the existing one; not needed when signed in"),
  name: personName.optional().describe("Name of a new user; default the part of the address before the @"),
  totp: z.string().trim().max(40).optional(),
});
export type InvitationResponse = z.infer<typeof invitationResponse>;

// Everybody, for operators

export const userRow = z.strictObject({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  operator_role: operatorRole.nullable(),
  disabled: z.boolean(),
  has_totp: z.boolean(),
  has_password: z.boolean().describe("false = the user signs in only through an identity provider"),
  accounts: z.array(z.strictObject({ id: z.string(), name: z.string(), role: accountRole })),
  created_at: moment,
  last_sign_in_at: moment.nullable(),
});
export type UserRow = z.infer<typeof userRow>;

export const userPage = pageOf(userRow);
export type UserPage = z.infer<typeof userPage>;

export const userQuery = pageQuery.extend({
  q: z.string().trim().toLowerCase().max(254).optional().describe("Beginning of the email address"),
});
export type UserQuery = z.input<typeof userQuery>;

export const userBody = z.strictObject({
  disabled: z.boolean().optional().describe("Suspended; their sessions end"),
  operator_role: operatorRole.nullable().optional().describe("null = no operator"),
});
export type UserBody = z.infer<typeof userBody>;

export const identityRow = z.strictObject({
  id: z.string(),
  provider: z
    .strictObject({ id: z.string(), name: z.string() })
    .nullable()
    .describe("Id in settings.sign_in.oidc; null if no configured provider has this issuer"),
  issuer: z.string(),
  subject: z.string().describe("The provider's subject, exactly as spelled"),
  created_at: moment,
});
export type IdentityRow = z.infer<typeof identityRow>;

export const identityList = z.strictObject({ data: z.array(identityRow), next: z.null() });
export type IdentityList = z.infer<typeof identityList>;

export const identityBody = z.strictObject({
  provider: z.string().max(100).describe("Id of a provider of settings.sign_in.oidc"),
  subject: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(255, "must have at most 255 characters")
    .regex(PLAIN_TEXT, "must have no control characters"),
});
export type IdentityBody = z.infer<typeof identityBody>;

export const madePassword = z.strictObject({
  password: z.string().describe("New password, shown only once; must be changed at the next sign-in"),
});
export type MadePassword = z.infer<typeof madePassword>;
