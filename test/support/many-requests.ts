import type { Database } from "../../src/storage/database.ts";

export interface ManyRequests {
  /** In the usage log, and refused or failed with a row of their own. */
  readonly requests: number;
  readonly failures: number;
  readonly days: number;
  readonly accounts: number;
  readonly keys: number;
}

/**
 * Fills the logs with requests of the last days by SQL. Models and upstreams are from frequent to rare: `model-0` has half of
 * all, `model-19` two in a million; one in twenty failed, with `code-0` to `code-9` likewise.
 */
export async function fillRequests(database: Database, wanted: ManyRequests): Promise<void> {
  const { requests, failures, days, accounts, keys } = wanted;
  await database.execute(
    "insert into accounts (name, group_name) select 'team ' || n, 'default' from generate_series(1, $1::int4) n",
    [accounts],
  );
  await database.execute(
    "insert into users (email, name, email_trusted) select 'user' || n || '@team.example', 'User ' || n, true from generate_series(1, $1::int4) n",
    [accounts],
  );
  await database.execute(
    `insert into api_keys (account_id, name, created_by)
     select a.id, 'key ' || n, (select min(id) from users) + n % $2::int4
       from generate_series(1, $1::int4) n
       join (select id, row_number() over (order by id) - 1 as place from accounts where name like 'team %') a
         on a.place = n % $2::int4`,
    [keys, accounts],
  );
  await database.execute("analyze accounts, api_keys, users");
  for (let day = days - 1; day >= 0; day -= 1) {
    await addPartition(database, "usage", day);
    await addPartition(database, "failed_requests", day);
    await fillDay(database, day, Math.round(requests / days), Math.round(failures / days));
    await fillTransfers(database, day);
  }
  await database.execute(
    "analyze usage, usage_hours, failed_requests, failure_hours, error_hours, unknown_keys, transfers, balance_days",
  );
}

/** What each account was charged in ten minutes, as flushes post it, and now and then a credit, in the order of time. */
async function fillTransfers(database: Database, daysAgo: number): Promise<void> {
  await database.execute(
    `insert into transfers (key, kind, ledger, from_side, to_side, amount, reference, at)
     select 'filled:' || account_id || ':' || at, case when is_credit then 'credit' else 'post' end, 'account:' || account_id,
            case when is_credit then 'funding' else 'leased' end, case when is_credit then 'wallet' else 'revenue' end, amount,
            case when is_credit then 'account:' || account_id else 'flush:journal:1' end, at
       from (select account_id, at, sum(charge_nanos)::int8 as amount, (extract(epoch from at) / 600)::int8 % 50 = 1 as is_credit
               from (select account_id, charge_nanos, date_bin('10 min', posted_at, '2020-01-01') as at from usage
                      where posted_at >= ((now() at time zone 'utc')::date - $1::int4) at time zone 'utc'
                        and posted_at < ((now() at time zone 'utc')::date - $1::int4 + 1) at time zone 'utc') as of_day
              group by 1, 2 having sum(charge_nanos) > 0) as each
      order by at`,
    [daysAgo],
  );
}

async function addPartition(database: Database, table: string, daysAgo: number): Promise<void> {
  await database.execute(
    `do $$ declare day date := (now() at time zone 'utc')::date - ${daysAgo}; begin
       execute format('create table if not exists %I partition of ${table} for values from (%L) to (%L)',
         '${table}_' || to_char(day, 'YYYYMMDD'), day || ' 00:00+00', (day + 1) || ' 00:00+00');
     end $$`,
  );
}

/** What a number draws: half of them 0, a quarter 1, and so on up to the most. */
const rare = (seed: string, most: number): string =>
  `least(${most}, floor(-ln((1 + (hashint8extended(n, ${seed}) & 1048575)) / 1048577.0::float8) / ln(2.0::float8)))::int4`;

async function fillDay(
  database: Database,
  daysAgo: number,
  requests: number,
  failures: number,
): Promise<void> {
  // Of today as much as there was until now.
  const at = `(((now() at time zone 'utc')::date - ${daysAgo}) at time zone 'utc')
    + (n - 0.5) / $1 * (case when ${daysAgo} = 0 then now() - ((now() at time zone 'utc')::date at time zone 'utc') else interval '1 day' end)`;
  const who = `join lateral (select id, account_id from api_keys where id = (select min(id) from api_keys where name = 'key 1')
    + (hashint8extended(n, ${daysAgo}) & 1073741823) % (select count(*) from api_keys where name like 'key %')) k on true`;
  await database.execute(
    `insert into usage (posted_at, request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, upstream,
       upstream_model, status, reason, error_code, attempts, first_byte_ms, total_ms, estimated, hostile, input_uncached,
       output_visible, price_id, rates, factor_ppm, hold_nanos, charge_nanos, ledgers, losses, journal, cost_nanos)
     select r.at, 'req_' || ${daysAgo} || '_' || n, r.at, r.at, k.account_id, k.id, 'model-' || ${rare("1", 19)}, 'messages', true,
            'upstream-' || ${rare("2", 9)}, 'm', case when r.failed then 502 else 200 end,
            case when r.failed then 'upstream_failed' else 'completed' end,
            case when r.failed then 'code-' || ${rare("3", 9)} end, 1, 100, 900, false, '{}', 100, 50, 1, '{}', 1000000, 5000,
            case when r.failed then 0 else 1500 end, array['account:' || k.account_id], '{}', 'journal', 700
       from (select n, ${at} as at, n % 20 = 0 as failed from generate_series(1, $1::int8) n) r ${who}`,
    [requests],
  );
  await database.execute(
    `insert into failed_requests (posted_at, request_id, accepted_at, account_id, key_id, endpoint, model, status, code, message,
       limit_name, upstream, total_ms, in_usage_log, attempts, vendor_ids)
     select r.at, case when r.used then 'req_' || ${daysAgo} || '_' || n * 20 else 'ref_' || ${daysAgo} || '_' || n end, r.at,
            k.account_id, k.id, 'messages', 'model-' || ${rare("1", 19)},
            case when r.used then 502 else 429 end, 'code-' || ${rare("3", 9)}, 'The message that the caller was told.', null,
            case when r.used then 'upstream-' || ${rare("2", 9)} end, 900, r.used,
            case when r.used then jsonb_build_array(jsonb_build_object('upstream', 'upstream-0', 'upstream_model', 'm',
              'credential', 'first', 'status', 500, 'type', 'server_error', 'code', '', 'message', 'The vendor''s words ' || n % 50,
              'vendor_request_id', 'vendor_' || ${daysAgo} || '_' || n, 'began_ms', 1, 'connected_ms', 2, 'first_byte_ms', 3,
              'ended_ms', 900)) else '[]' end,
            case when r.used then array['vendor_' || ${daysAgo} || '_' || n] else '{}' end
       from (select n, ${at} as at, n * 20 <= $2::int8 as used from generate_series(1, $1::int8) n) r ${who}`,
    [failures, requests],
  );
  await database.execute(
    `insert into failure_hours
     select date_trunc('hour', posted_at), account_id, code, count(*), min(posted_at), max(posted_at), min(request_id)
       from failed_requests where posted_at >= (((now() at time zone 'utc')::date - ${daysAgo}) at time zone 'utc')
        and posted_at < (((now() at time zone 'utc')::date - ${daysAgo} + 1) at time zone 'utc') group by 1, 2, 3`,
  );
  await database.execute(
    `insert into error_hours
     select date_trunc('hour', posted_at), code, coalesce(upstream, ''), coalesce(attempts -> -1 ->> 'message', ''), count(*),
            min(posted_at), max(posted_at), min(request_id)
       from failed_requests where posted_at >= (((now() at time zone 'utc')::date - ${daysAgo}) at time zone 'utc')
        and posted_at < (((now() at time zone 'utc')::date - ${daysAgo} + 1) at time zone 'utc') group by 1, 2, 3, 4`,
  );
  // As many as a scan fills.
  await database.execute(
    `insert into unknown_keys
     select hour, '10.0.' || n, 'sk-gues', 1, hour, hour, 'req_unknown'
       from generate_series(0, 23) h cross join lateral (
         select ((now() at time zone 'utc')::date - ${daysAgo} + h * interval '1 hour') at time zone 'utc' as hour) d,
            generate_series(1, 1000) n where ${daysAgo} < 7 and hour < now()`,
  );
}
