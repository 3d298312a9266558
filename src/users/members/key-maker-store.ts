import type { KeyId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";

/**
 * Whether a key speaks for its account's owners: somebody made it who owns the account now or is an operator, and may
 * sign in; or the catalog file or the command line did, which operators write. Asked anew each time, as roles are.
 */
export async function isKeyOfOwner(db: Queryable, keyId: KeyId): Promise<boolean> {
  const row = await db.maybeOne(
    `select from api_keys k
       left join users u on u.id = k.created_by
       left join account_members m on m.user_id = k.created_by and m.account_id = k.account_id
     where k.id = $1
       and (k.created_by is null or (not u.disabled and (u.is_operator or m.role = 'owner')))`,
    [keyId],
  );
  return row !== undefined;
}
