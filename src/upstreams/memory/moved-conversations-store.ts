import type { Queryable } from "../../storage/database.ts";

/** A conversation that is answered elsewhere than at the first choice of its key, or was. */
export interface MovedConversation {
  /** 32 hexadecimal characters. */
  readonly key: string;
  readonly upstreamId: bigint;
  readonly credentialId: bigint;
  /** Values of state in its history, counted from the beginning, that other signers have made. */
  readonly foreignValues: number;
}

/** The channel that tells all processes of written conversations. */
export const MOVED_CHANNEL = "conversations_moved";

/** A notification takes 8,000 bytes, one conversation less than 120. */
const MAX_TOLD = 60;

/** Writes conversations in one statement, of each the newest only, and tells the other processes. */
export async function upsertMovedConversations(
  db: Queryable,
  moved: readonly MovedConversation[],
): Promise<void> {
  await db.execute(
    `insert into moved_conversations (key, upstream_id, credential_id, foreign_values)
     select decode(key, 'hex'), upstream_id, credential_id, foreign_values
       from unnest($1::text[], $2::int8[], $3::int8[], $4::int4[])
         as t (key, upstream_id, credential_id, foreign_values)
     on conflict (key) do update set upstream_id = excluded.upstream_id, credential_id = excluded.credential_id,
       foreign_values = excluded.foreign_values, used_at = now()`,
    [
      moved.map(({ key }) => key),
      moved.map(({ upstreamId }) => upstreamId),
      moved.map(({ credentialId }) => credentialId),
      moved.map(({ foreignValues }) => foreignValues),
    ],
  );
  for (let first = 0; first < moved.length; first += MAX_TOLD) {
    const payload = moved.slice(first, first + MAX_TOLD).map(writeMoved);
    await db.execute("select pg_notify($1, $2)", [MOVED_CHANNEL, payload.join(" ")]);
  }
}

/** Those used within so many minutes, the newest first. */
export async function readMovedConversations(
  db: Queryable,
  minutes: number,
  limit: number,
): Promise<MovedConversation[]> {
  return db.query<MovedConversation>(
    `select encode(key, 'hex') as key, upstream_id as "upstreamId", credential_id as "credentialId",
       foreign_values as "foreignValues"
     from moved_conversations where used_at > now() - make_interval(mins => $1) order by used_at desc limit $2`,
    [minutes, limit],
  );
}

/** Forgets those not used for so many minutes, and the oldest beyond the limit. */
export async function deleteOldMovedConversations(
  db: Queryable,
  minutes: number,
  limit: number,
): Promise<void> {
  await db.execute(
    `delete from moved_conversations where used_at < now() - make_interval(mins => $1)
       or used_at < (select used_at from moved_conversations order by used_at desc offset $2 limit 1)`,
    [minutes, limit],
  );
}

function writeMoved({ key, upstreamId, credentialId, foreignValues }: MovedConversation): string {
  return `${key},${upstreamId},${credentialId},${foreignValues}`;
}

/** Reads the content of a notification. */
export function readMoved(payload: string): MovedConversation[] {
  return payload.split(" ").flatMap((each) => {
    const [key, upstreamId, credentialId, foreignValues] = each.split(",");
    if (!key || !upstreamId || !credentialId || !foreignValues) return [];
    return [
      {
        key,
        upstreamId: BigInt(upstreamId),
        credentialId: BigInt(credentialId),
        foreignValues: Number(foreignValues),
      },
    ];
  });
}
