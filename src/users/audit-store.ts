import type { AccountId } from "../accounts/caller.ts";
import type { Queryable } from "../storage/database.ts";
import type { Identity, UserId } from "./identity.ts";

/** The author of a change, and the request or program by which it came. */
export interface AuditContext {
  readonly identity: Identity | undefined;
  /** Set if nobody was signed in: the program and the user who ran it, as in `cli (alice on db-1)`. */
  readonly program?: string;
  readonly requestId: string;
  readonly address: string;
}

/** Adds an entry to the audit log. */
export async function insertAudit(tx: Queryable, entry: AuditNote & AuditContext): Promise<void> {
  const { identity, program, action, subject, accountId, before, after, requestId, address } = entry;
  await tx.execute(
    `insert into audit_entries (user_id, token_id, action, subject, account_id, before, after, request_id, address,
       program)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      entry.actorId ?? identity?.user.id ?? null,
      identity?.via === "token" ? identity.tokenId : null,
      action,
      subject,
      accountId ?? null,
      textOf(before),
      textOf(after),
      requestId,
      address,
      program ?? null,
    ],
  );
}

/** Ids and amounts are bigints, which become text in JSON; jsonb accepts everything but U+0000. */
function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "bigint" ? String(part) : part,
  );
  return text.replaceAll("\\u0000", "");
}

export interface AuditRow {
  readonly id: bigint;
  readonly at: Date;
  /** Microseconds of `at`, for the page's cursor. */
  readonly micros: bigint;
  /** E-mail address or the name of the program; null = nobody was signed in. */
  readonly actor: string | null;
  readonly byToken: boolean;
  readonly action: string;
  readonly subject: string;
  readonly accountId: AccountId | null;
  readonly accountName: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly requestId: string;
  readonly address: string;
}

/** Conditions of a search; undefined = no condition. */
export interface AuditFilter {
  readonly accountId: AccountId | undefined;
  /** E-mail address, or a program with the user who ran it. */
  readonly actor: string | undefined;
  readonly action: string | undefined;
  readonly from: Date | undefined;
  readonly until: Date | undefined;
}

/**
 * Returns entries after `after`, latest first. Each filter has an index that includes the order (audit_entries_account,
 * _user, _program, _action, _at), so that a page costs as much in a long log as in a short one.
 */
export function readAudit(
  db: Queryable,
  filter: AuditFilter,
  {
    after,
    limit,
  }: { readonly after: { readonly micros: bigint; readonly id: bigint } | undefined; readonly limit: number },
): Promise<AuditRow[]> {
  const values: unknown[] = [limit];
  const conditions: string[] = [];
  const where = (value: unknown, condition: (place: string) => string): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  where(filter.accountId, (id) => `e.account_id = ${id}`);
  where(filter.actor, (actor) =>
    filter.actor?.includes("@")
      ? `e.user_id = (select id from users where email = ${actor})`
      : `e.program = ${actor}`,
  );
  where(filter.action, (action) => `e.action = ${action}`);
  where(filter.from, (from) => `e.at >= ${from}`);
  where(filter.until, (until) => `e.at < ${until}`);
  if (after !== undefined) {
    values.push(after.micros, after.id);
    const [micros, id] = [`$${values.length - 1}`, `$${values.length}`];
    conditions.push(
      `(e.at, e.id) < ('epoch'::timestamptz + ${micros}::int8 * interval '1 microsecond', ${id})`,
    );
  }
  return db.query<AuditRow>(
    `select e.id, e.at, (extract(epoch from e.at) * 1000000)::int8 as micros, coalesce(u.email, e.program) as actor,
            e.token_id is not null as "byToken", e.action, e.subject, e.account_id as "accountId",
            a.name as "accountName", e.before, e.after, e.request_id as "requestId", e.address
     from audit_entries e left join users u on u.id = e.user_id left join accounts a on a.id = e.account_id
     ${conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`}
     order by e.at desc, e.id desc limit $1`,
    values,
  );
}

/**
 * A change in the audit log: its subject, and the values before and after. Values are what a user may read, and never a
 * secret.
 */
export interface AuditNote {
  /** Noun and verb, as in `key.revoke`, `upstream.update`, `balance.adjust`. */
  readonly action: string;
  /** The changed thing for people: its name, or its id if it has none. */
  readonly subject: string;
  /** The account to which it belongs, whose owners may read the entry. */
  readonly accountId?: AccountId | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
  /** The author, if nobody was signed in before the change: at sign-in, or when an invitation is accepted. */
  readonly actorId?: UserId;
}
