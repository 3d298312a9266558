import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { Named } from "./console-paths.ts";

const DAYS = 30;
const ACCOUNTS = 100;

/**
 * Fills the embedded database of a running gateway with a month of an account book, by SQL: sending a million
 * requests would take the hour. Half of the requests and a fifth of the keys are one account's. Sums and ledgers
 * come out right, since the rows go through the same triggers: `ledger verify` finds nothing.
 */
export async function fillDatabase(dataDir: string, requests: number, keys: number): Promise<Named> {
  const socket = (await readFile(join(dataDir, "database-socket"), "utf8")).trim();
  const client = new pg.Client({ host: socket, user: "faregate", database: "faregate" });
  await client.connect();
  try {
    await client.query(ACCOUNT_ROWS, [ACCOUNTS]);
    await client.query(KEY_ROWS, [keys]);
    await client.query(SECRET_ROWS);
    for (let ago = DAYS - 1; ago >= 0; ago--) {
      await client.query(partition(ago));
      await client.query(USAGE_ROWS, [ago, Math.ceil(requests / DAYS)]);
    }
    await client.query(LEDGER_ROWS);
    await client.query(TRANSFER_ROWS);
    await client.query(TASK_ROWS);
    await client.query(AUDIT_ROWS);
    await client.query("analyze");
    return (await client.query<Named>(NAMED)).rows[0] as Named;
  } finally {
    await client.end();
  }
}

const ACCOUNT_ROWS = `
  insert into accounts (name, group_name) select 'bench ' || n, 'default' from generate_series(1, $1::int4) as n`;

// The first account has every fifth key.
const KEY_ROWS = `
  with ours as (select array_agg(id order by id) as ids from accounts where name like 'bench %')
  insert into api_keys (account_id, name, created_by, limit_nanos, limit_period)
  select case n % 5 when 0 then ids[1] else ids[2 + n % (cardinality(ids) - 1)] end, 'key-' || n,
         (select min(id) from users), case n % 3 when 0 then 1000000000000 end, case n % 3 when 0 then 'month' end
    from ours, generate_series(1, $1::int4) as n`;

const SECRET_ROWS = `
  insert into api_key_secrets (hash, key_id, hint, lookalike)
  select sha256(('bench ' || id)::bytea), id, 'sk-ab...' || right('000' || id, 4), false
    from api_keys where name like 'key-%' and id not in (select key_id from api_key_secrets)`;

function partition(ago: number): string {
  return `do $$ declare
      day date := (now() at time zone 'utc')::date - ${ago};
    begin
      if to_regclass('usage_' || to_char(day, 'YYYYMMDD')) is null then
        execute format('create table %I partition of usage for values from (%L) to (%L)',
          'usage_' || to_char(day, 'YYYYMMDD'), day || ' 00:00+00', day + 1 || ' 00:00+00');
      end if;
    end $$`;
}

// Of a day, spread over its hours (today's over those gone); in flushes of fifty rows, as a busy gateway writes them.
// One model in ten thousand is rare, four requests in a hundred fail, one in two hundred is dear.
const USAGE_ROWS = `
  with mine as materialized (select array_agg(id) as ids from api_keys where account_id = (
         select min(id) from accounts where name like 'bench %') and name like 'key-%'),
       others as materialized (select array_agg(id) as ids, array_agg(account_id) as accounts from api_keys
         where name like 'key-%' and account_id <> (select min(id) from accounts where name like 'bench %')),
       day as (select date_trunc('day', now(), 'UTC') - $1::int4 * interval '1 day' as begins,
                      case $1::int4 when 0 then now() - date_trunc('day', now(), 'UTC') else interval '1 day' end as long),
       drawn as materialized (
         select n, random() as a, random() as b, random() as c, random() as d, random() as e from generate_series(1, $2::int4) as n),
       drafted as (
         select *, begins + long * ((n / 50 * 50)::float8 / $2) as at,
                1 + floor(power(a, 2) * cardinality(mine.ids))::int4 as my_place,
                1 + floor(power(a, 2) * cardinality(others.ids))::int4 as their_place, n % 2 = 0 as is_mine,
                (100 + 4000 * b * b)::int4 as tokens_in, (20 + 1500 * c * c)::int4 + case when d < 0.005 then 3400 else 0 end as tokens_out,
                case when d < 0.96 then 'completed' when d < 0.98 then 'upstream_failed' when d < 0.99 then 'rejected'
                  else 'client_aborted' end as reason
           from drawn, day, mine, others)
  insert into usage (posted_at, request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, upstream,
         upstream_model, status, reason, attempts, first_byte_ms, total_ms, estimated, hostile, input_uncached,
         cache_read, output_visible, output_reasoning, price_id, rates, factor_ppm, hold_nanos, charge_nanos, ledgers, losses, journal)
  select at, 'req_' || md5($1 || ' ' || n), at - interval '2 s', at,
         case when is_mine then (select min(id) from accounts where name like 'bench %') else others.accounts[their_place] end,
         case when is_mine then mine.ids[my_place] else others.ids[their_place] end,
         case when n % 10000 = 2 then 'model-rare' else 'model-' || floor(e * 8)::int4 end,
         case floor(e * 100)::int4 % 3 when 0 then 'messages' when 1 then 'chat-completions' else 'responses' end,
         n % 3 = 0, 'upstream-' || floor(c * 4)::int4, 'theirs',
         case reason when 'upstream_failed' then 502 when 'rejected' then 400 else 200 end, reason, 1,
         (150 + 900 * b)::int4, (400 + 20000 * c * c)::int4, d > 0.95 and d < 0.96, '{}', tokens_in - tokens_in / 3, tokens_in / 3,
         tokens_out - tokens_out / 4, tokens_out / 4, 1, '{"input": "3000000000", "output": "15000000000"}', 1000000, 100000000,
         case when reason not in ('completed', 'client_aborted') then 0
           else tokens_in * 3000 + tokens_out * 15000 end,
         array['account:' || case when is_mine then (select min(id) from accounts where name like 'bench %') else others.accounts[their_place] end],
         '{}', 'bench'
    from drafted, mine, others`;

const LEDGER_ROWS = `
  with granted as (
    insert into transfers (key, kind, ledger, from_side, to_side, amount, reference, at)
    select 'opening:' || id, 'opening', 'account:' || id, 'funding', 'wallet', 1000000000000000, 'account:' || id,
           now() - interval '31 days' from accounts where name like 'bench %'
    returning ledger, amount)
  insert into ledgers (id, kind, account_id, wallet)
  select ledger, 'balance', split_part(ledger, ':', 2)::int8,
         amount - coalesce((select sum(charge_nanos) from usage_hours where account_id = split_part(ledger, ':', 2)::int8), 0)
    from granted`;

const TRANSFER_ROWS = `
  insert into transfers (key, kind, ledger, from_side, to_side, amount, reference, at)
  select 'flush:bench:' || account_id || ':' || posted_at, 'post', 'account:' || account_id, 'wallet', 'revenue',
         sum(charge_nanos), 'flush:bench:' || posted_at, posted_at
    from usage where journal = 'bench' group by account_id, posted_at having sum(charge_nanos) > 0 order by posted_at`;

const TASK_ROWS = `
  insert into tasks (id, request_id, account_id, key_id, group_name, medium, family, model, action, order_json, units,
         open_ended, state, progress, accepted_at, started_at, finished_at, result, deadline_at, due_at, price_id,
         rates, factor_ppm, hold_nanos, ledgers, charge_nanos)
  select 'task-' || md5(n::text), 'req_task_' || n, a.id, 1, 'default', 'image', 'imagegen', 'imagegen-2', 'generate',
         '{"prompt":"a lighthouse"}', '{}', false, case n % 9 when 0 then 'FAILURE' else 'SUCCESS' end, 100,
         now() - n * interval '1 minute', now() - n * interval '1 minute', now() - n * interval '1 minute' + interval '9 s',
         case n % 9 when 0 then null else '{"outputs":[]}' end, now(), null, 1, '{}', 1000000, 0, '{}', 0
    from generate_series(1, 40000) as n,
         lateral (select min(id) + case n % 2 when 0 then 0 else n % 100 end as id from accounts where name like 'bench %') a`;

const AUDIT_ROWS = `
  insert into audit_entries (at, user_id, action, subject, account_id, before, after, request_id, address)
  select now() - n * interval '1 minute', (select min(id) from users), 'key.update', 'key-' || n,
         (select min(id) from accounts where name like 'bench %') + case n % 2 when 0 then 0 else n % 100 end,
         '{}', '{"disabled":true}', 'req_audit', '127.0.0.1' from generate_series(1, 100000) as n`;

const NAMED = `
  with account as (select min(id) as id from accounts where name like 'bench %')
  select id::text as account, 'model-rare' as "rareModel",
         (select key_id::text from usage_keys where account_id = account.id group by key_id order by sum(requests) desc limit 1) as key,
         (select request_id from usage where account_id = account.id order by posted_at desc limit 1) as request,
         (select min(id)::text from upstreams) as upstream,
         ((now() at time zone 'utc')::date - ${DAYS - 1})::text as "firstDay",
         ((now() at time zone 'utc')::date - 6)::text as "lastWeek",
         (now() at time zone 'utc')::date::text as today
    from account`;
