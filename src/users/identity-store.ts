import type { AccountId } from "../accounts/caller.ts";
import type { Queryable } from "../storage/database.ts";
import type { AccountRole, SessionIdentity, SignedInUser, TokenIdentity, UserId } from "./identity.ts";
import { ALIVE } from "./sign-in/sessions-store.ts";

/** The time of last use is written once a minute, not with every request. */
const SEEN_EVERY = "1 minute";

/** Returns the owner of a session with their present roles, in one statement; undefined once the session is over. */
export async function findSession(
  db: Queryable,
  hash: Buffer,
): Promise<Omit<SessionIdentity, "csrfToken"> | undefined> {
  const row = await db.maybeOne<PersonRow & { sessionId: bigint; provider: string | null }>(
    `with found as (
       select id, user_id, last_seen_at, provider from sessions
       where hash = $1 and ${ALIVE}
     ), seen as (
       update sessions s set last_seen_at = now() from found
       where s.id = found.id and found.last_seen_at < now() - interval '${SEEN_EVERY}'
     )
     select found.id as "sessionId", found.provider, ${PERSON} from found join users u on u.id = found.user_id where not u.disabled`,
    [hash],
  );
  return (
    row && {
      via: "session",
      sessionId: row.sessionId,
      provider: row.provider,
      user: signedInUserOf(row),
    }
  );
}

/** Returns the owner of a console token in the same way. */
export async function findToken(db: Queryable, hash: Buffer): Promise<TokenIdentity | undefined> {
  const row = await db.maybeOne<
    PersonRow & Pick<TokenIdentity, "tokenId" | "scopes" | "accountId" | "allowedAddresses">
  >(
    `with found as (
       select id, user_id, scopes, account_id, allowed_addresses, last_used_at from console_tokens
       where hash = $1 and (expires_at is null or expires_at > now())
     ), seen as (
       update console_tokens t set last_used_at = now() from found
       where t.id = found.id
         and (found.last_used_at is null or found.last_used_at < now() - interval '${SEEN_EVERY}')
     )
     select found.id as "tokenId", found.scopes, found.account_id as "accountId",
            found.allowed_addresses as "allowedAddresses", ${PERSON}
       from found join users u on u.id = found.user_id where not u.disabled`,
    [hash],
  );
  if (row === undefined) return undefined;
  const { tokenId, scopes, accountId, allowedAddresses } = row;
  return { via: "token", tokenId, scopes, accountId, allowedAddresses, user: signedInUserOf(row) };
}

const PERSON = `u.id, u.email, u.name, u.operator_role as "operatorRole",
  u.must_change_password as "mustChangePassword",
  exists (select from user_totps t where t.user_id = u.id and t.confirmed_at is not null) as "hasTotp",
  exists (select from oidc_identities o where o.user_id = u.id) as "hasIdentity",
  coalesce(u.password_until > now(), false) as "mayUsePassword",
  array(select a.name from account_members m join accounts a on a.id = m.account_id where m.user_id = u.id) as "accountNames",
  (select coalesce(jsonb_object_agg(m.account_id, m.role), '{}') from account_members m where m.user_id = u.id) as roles`;

interface PersonRow extends Omit<SignedInUser, "roles" | "isOperator"> {
  readonly id: UserId;
  readonly roles: Readonly<Record<string, AccountRole>>;
}

function signedInUserOf(row: PersonRow): SignedInUser {
  const { id, email, name, operatorRole, mustChangePassword, hasTotp, hasIdentity, mayUsePassword } = row;
  const roles = new Map(
    Object.entries(row.roles).map(([account, role]) => [BigInt(account) as AccountId, role]),
  );
  return {
    id,
    email,
    name,
    operatorRole,
    isOperator: operatorRole !== null,
    roles,
    mustChangePassword,
    hasTotp,
    hasIdentity,
    mayUsePassword,
    accountNames: row.accountNames,
  };
}
