-- Sums over the usage log, so that pages answer at once however many requests there were, and months stay visible
-- after their rows have left. A trigger adds to them in the very statement that inserts usage: whoever writes the
-- log, tick or task, the sums equal it (`ledger verify` recomputes them).
--
-- Locks: a statement locks its sums in the order of their keys, hours before keys before latencies, and a
-- transaction locks sums before ledgers. Whoever inserts usage by several statements in one transaction takes
-- usage_hours as a whole first (lock_rollups), as its rows would come out of order.

-- Whether the request came to nothing for the caller's or an upstream's fault; other reasons are answers, or the
-- caller's own leaving.
create function usage_failed(reason text) returns boolean language sql immutable parallel safe as $$
  select reason in ('upstream_failed', 'upstream_failed_after_output', 'upstream_timeout',
    'upstream_timeout_after_output', 'rejected', 'no_upstream', 'interrupted');
$$;

-- Of a request answered in full; others would make latencies look better than they are.
create function usage_answered(reason text) returns boolean language sql immutable parallel safe as $$
  select reason in ('completed', 'completed_usage_missing', 'empty_answer');
$$;

-- Four buckets to an octave: bucket b counts from 2^(b/4) to below 2^((b+1)/4) ms, so that a percentile read off
-- them is right within a tenth.
create function latency_bucket(ms int4) returns int2 language sql immutable parallel safe as $$
  select floor(4 * ln(greatest(ms, 1)::float8) / ln(2::float8))::int2;
$$;

-- All numbers of a JSON object: pictures of every tier, seconds of every resolution.
create function sum_of_units(units jsonb) returns int8 language sql immutable parallel safe as $$
  select coalesce(sum(round(value::numeric)), 0)::int8 from jsonb_each_text(coalesce(units, '{}'));
$$;

-- By the hour in which the request was posted, in UTC as all hours here.
create table usage_hours (
  account_id int8 not null,
  hour timestamptz not null,
  model text collate "C" not null,
  -- '' where none was asked.
  upstream text collate "C" not null,
  endpoint text collate "C" not null,
  requests int8 not null,
  errors int8 not null,
  -- Requests whose usage the gateway had to estimate.
  estimated int8 not null,
  input_uncached int8 not null,
  cache_read int8 not null,
  cache_write_5m int8 not null,
  cache_write_1h int8 not null,
  output_visible int8 not null,
  output_reasoning int8 not null,
  images int8 not null,
  video_seconds int8 not null,
  charge_nanos int8 not null,
  primary key (account_id, hour, model, upstream, endpoint)
) with (fillfactor = 70); -- counters that move four times a second stay on their page
create index usage_hours_all on usage_hours (hour);

-- The same by key, and by the day only: an account may have thousands of keys.
create table usage_keys (
  account_id int8 not null,
  key_id int8 not null,
  day date not null,
  requests int8 not null,
  errors int8 not null,
  input_tokens int8 not null,
  output_tokens int8 not null,
  charge_nanos int8 not null,
  -- When the last of them ended.
  last_at timestamptz not null,
  primary key (account_id, key_id, day)
) with (fillfactor = 70);
create index usage_keys_account on usage_keys (account_id, day);

-- How long answers took, by day: to the first byte, and in all.
create table usage_latencies (
  account_id int8 not null,
  day date not null,
  model text collate "C" not null,
  upstream text collate "C" not null,
  kind text collate "C" not null check (kind in ('first_byte', 'total')),
  bucket int2 not null,
  requests int8 not null,
  primary key (account_id, day, model, upstream, kind, bucket)
) with (fillfactor = 70);
create index usage_latencies_all on usage_latencies (day);

-- What the sums must be, read off the log.
create view usage_hours_of_log as
  select account_id, date_trunc('hour', posted_at, 'UTC') as hour, model collate "C" as model,
         coalesce(upstream, '') collate "C" as upstream, endpoint collate "C" as endpoint,
         count(*) as requests, count(*) filter (where usage_failed(reason)) as errors,
         count(*) filter (where estimated) as estimated,
         coalesce(sum(input_uncached), 0)::int8 as input_uncached, coalesce(sum(cache_read), 0)::int8 as cache_read,
         coalesce(sum(cache_write_5m), 0)::int8 as cache_write_5m,
         coalesce(sum(cache_write_1h), 0)::int8 as cache_write_1h,
         coalesce(sum(output_visible), 0)::int8 as output_visible,
         coalesce(sum(output_reasoning), 0)::int8 as output_reasoning,
         coalesce(sum(sum_of_units(media -> 'images')) filter (where media is not null), 0)::int8 as images,
         coalesce(sum(sum_of_units(media -> 'videoSeconds')) filter (where media is not null), 0)::int8 as video_seconds,
         sum(charge_nanos)::int8 as charge_nanos
    from usage group by 1, 2, 3, 4, 5;

create view usage_keys_of_log as
  select account_id, key_id, (posted_at at time zone 'utc')::date as day, count(*) as requests,
         count(*) filter (where usage_failed(reason)) as errors,
         sum(coalesce(input_uncached, 0)::int8 + coalesce(cache_read, 0) + coalesce(cache_write_5m, 0)
           + coalesce(cache_write_1h, 0))::int8 as input_tokens,
         sum(coalesce(output_visible, 0)::int8 + coalesce(output_reasoning, 0))::int8 as output_tokens,
         sum(charge_nanos)::int8 as charge_nanos, max(ended_at) as last_at
    from usage group by 1, 2, 3;

create view usage_latencies_of_log as
  select account_id, (posted_at at time zone 'utc')::date as day, model collate "C" as model,
         coalesce(upstream, '') collate "C" as upstream, l.kind, latency_bucket(l.ms) as bucket, count(*) as requests
    from usage, lateral (values ('first_byte' collate "C", first_byte_ms), ('total', total_ms)) as l (kind, ms)
   where usage_answered(reason) and l.ms is not null
   group by 1, 2, 3, 4, 5, 6;

insert into usage_hours select * from usage_hours_of_log;
insert into usage_keys select * from usage_keys_of_log;
insert into usage_latencies select * from usage_latencies_of_log;

-- The views once more, over the rows of one statement.
create function roll_up_usage() returns trigger language plpgsql as $$
begin
  insert into usage_hours as h
    select account_id, date_trunc('hour', posted_at, 'UTC'), model, coalesce(upstream, ''), endpoint,
           count(*), count(*) filter (where usage_failed(reason)), count(*) filter (where estimated),
           coalesce(sum(input_uncached), 0), coalesce(sum(cache_read), 0), coalesce(sum(cache_write_5m), 0),
           coalesce(sum(cache_write_1h), 0), coalesce(sum(output_visible), 0), coalesce(sum(output_reasoning), 0),
           coalesce(sum(sum_of_units(media -> 'images')) filter (where media is not null), 0),
           coalesce(sum(sum_of_units(media -> 'videoSeconds')) filter (where media is not null), 0),
           sum(charge_nanos)
      from posted group by 1, 2, 3, 4, 5
     order by account_id, date_trunc('hour', posted_at, 'UTC'), model collate "C", coalesce(upstream, '') collate "C",
              endpoint collate "C"
  on conflict (account_id, hour, model, upstream, endpoint) do update set
    requests = h.requests + excluded.requests, errors = h.errors + excluded.errors,
    estimated = h.estimated + excluded.estimated, input_uncached = h.input_uncached + excluded.input_uncached,
    cache_read = h.cache_read + excluded.cache_read, cache_write_5m = h.cache_write_5m + excluded.cache_write_5m,
    cache_write_1h = h.cache_write_1h + excluded.cache_write_1h,
    output_visible = h.output_visible + excluded.output_visible,
    output_reasoning = h.output_reasoning + excluded.output_reasoning, images = h.images + excluded.images,
    video_seconds = h.video_seconds + excluded.video_seconds, charge_nanos = h.charge_nanos + excluded.charge_nanos;
  insert into usage_keys as k
    select account_id, key_id, (posted_at at time zone 'utc')::date, count(*),
           count(*) filter (where usage_failed(reason)),
           sum(coalesce(input_uncached, 0)::int8 + coalesce(cache_read, 0) + coalesce(cache_write_5m, 0)
             + coalesce(cache_write_1h, 0)),
           sum(coalesce(output_visible, 0)::int8 + coalesce(output_reasoning, 0)), sum(charge_nanos), max(ended_at)
      from posted group by 1, 2, 3 order by 1, 2, 3
  on conflict (account_id, key_id, day) do update set
    requests = k.requests + excluded.requests, errors = k.errors + excluded.errors,
    input_tokens = k.input_tokens + excluded.input_tokens, output_tokens = k.output_tokens + excluded.output_tokens,
    charge_nanos = k.charge_nanos + excluded.charge_nanos, last_at = greatest(k.last_at, excluded.last_at);
  insert into usage_latencies as l
    select account_id, (posted_at at time zone 'utc')::date, model, coalesce(upstream, ''), t.kind,
           latency_bucket(t.ms), count(*)
      from posted, lateral (values ('first_byte', first_byte_ms), ('total', total_ms)) as t (kind, ms)
     where usage_answered(reason) and t.ms is not null
     group by 1, 2, 3, 4, 5, 6
     order by account_id, (posted_at at time zone 'utc')::date, model collate "C", coalesce(upstream, '') collate "C",
              t.kind collate "C", latency_bucket(t.ms)
  on conflict (account_id, day, model, upstream, kind, bucket) do update set
    requests = l.requests + excluded.requests;
  return null;
end
$$;
create trigger usage_rolls_up after insert on usage referencing new table as posted
  for each statement execute function roll_up_usage();

-- Waits for those who are adding now and keeps others out until the transaction ends.
create function lock_rollups() returns void language sql as $$
  lock table usage_hours in share row exclusive mode;
$$;

-- As before, but for lock_rollups where several statements insert.
create or replace function tick_spool(
  spool_id text, expected_tick int8, posted_upto int8,
  numbers int8[], balances text[], holds int8[], begin_lines text[], end_lines text[],
  interrupted_lines text[], asks jsonb
) returns setof spool_row language plpgsql as $$
declare
  own spools;
  charges ledger_charge[];
  touched text[];
begin
  -- (1)
  update spools set tick = tick + 1 where id = spool_id and tick = expected_tick returning * into own;
  if not found then
    return query select * from read_spool(spool_id);
    return;
  end if;
  -- (2)
  perform ensure_usage_day();
  if cardinality(interrupted_lines) > 0 then perform lock_rollups(); end if;
  charges := log_lines(own.id, own.posted, numbers, balances, holds, begin_lines, end_lines);
  perform log_interrupted(own.id, interrupted_lines);
  own.posted := greatest(own.posted, posted_upto);
  update spools set posted = own.posted where id = spool_id and posted <> own.posted;
  -- (3) (4) (5)
  touched := move_purses(own, charges, asks);
  -- (6)
  return query
    select own.tick, own.posted, own.closed, true, null::text, null::int8, null::boolean, null::int8, null::int8;
  return query
    select null::int8, null::int8, null::boolean, null::boolean, a.id, coalesce(l.amount, 0), coalesce(l.recalled, false), a.wallet, a.leased
      from ledgers a left join leases l on l.spool = spool_id and l.ledger = a.id
     where a.id = any(touched || array(select r.ledger from leases r where r.spool = spool_id and r.recalled));
end
$$;

-- As before, but for lock_rollups.
create or replace function log_lines(
  spool_id text, posted_before int8, numbers int8[], balances text[], holds int8[], begin_lines text[], end_lines text[]
) returns ledger_charge[] language plpgsql as $$
declare
  charges ledger_charge[] := '{}';
  first_new int4 := 1;
begin
  while first_new <= cardinality(numbers) and numbers[first_new] <= posted_before loop first_new := first_new + 1; end loop;
  if first_new > cardinality(numbers) then return '{}'; end if;
  begin
    return insert_usage(spool_id, numbers[first_new:], begin_lines[first_new:], end_lines[first_new:]);
  exception when data_exception or integrity_constraint_violation or cardinality_violation then
    null;
  end;
  perform lock_rollups();
  for i in first_new .. cardinality(numbers) loop
    begin
      charges := charges || insert_usage(spool_id, numbers[i:i], begin_lines[i:i], end_lines[i:i]);
    exception when data_exception or integrity_constraint_violation or cardinality_violation then
      insert into quarantined_lines (spool, line, ledger, hold_nanos, begin_line, end_line, refusal)
        values (spool_id, numbers[i], balances[i], holds[i], begin_lines[i], end_lines[i], sqlerrm);
      if holds[i] > 0 then
        insert into transfers (key, kind, ledger, from_side, to_side, amount, reference)
          values ('quarantine:' || spool_id || ':' || numbers[i], 'quarantine', balances[i], 'loss', 'revenue', holds[i],
                  'line:' || spool_id || ':' || numbers[i]);
      end if;
    end;
  end loop;
  return charges;
end
$$;

-- As before, but the usage is written before the hold is resolved: sums before ledgers.
create or replace function finish_task(finished_id text, claim int8, facts jsonb, result_text text)
returns boolean language plpgsql as $$
declare
  task tasks;
  fact record;
begin
  select * into fact from jsonb_to_record(facts) as f (
    state text, fail_reason text, reason text, charge int8, media jsonb, estimated boolean, raw jsonb, late_ms int8);
  update tasks t set
      state = fact.state,
      progress = 100,
      fail_reason = fact.fail_reason,
      result = result_text,
      made = null,
      charge_nanos = least(coalesce(fact.charge, 0), t.hold_nanos),
      started_at = case when fact.state = 'SUCCESS' then coalesce(t.started_at, t.intended_at, t.accepted_at) else t.started_at end,
      finished_at = greatest(now(), t.started_at, t.accepted_at),
      due_at = now() + fact.late_ms * interval '1 ms',
      fence = t.fence + 1,
      looks = 0
    where t.id = finished_id and t.fence = claim and t.finished_at is null
    returning * into task;
  if not found then return false; end if;
  perform ensure_usage_day();
  insert into usage (
    request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, upstream, upstream_model, status,
    reason, attempts, total_ms, estimated, hostile, media, raw, price_id, rates, factor_ppm, hold_nanos, charge_nanos,
    ledgers, losses, spool)
  values (
    task.request_id, task.accepted_at, task.finished_at, task.account_id, task.key_id, task.model, task.medium || 's',
    false, task.upstream_name, task.upstream_model, 200, fact.reason, task.rounds + (task.upstream_id is not null)::int4,
    least(extract(epoch from task.finished_at - task.accepted_at) * 1000, 2147483647)::int4, fact.estimated, '{}',
    fact.media, fact.raw, task.price_id, task.rates, task.factor_ppm, task.hold_nanos, task.charge_nanos,
    task.ledgers, '{}', 'tasks');
  perform resolve_hold('task:' || task.id, task.ledgers, task.hold_nanos,
    case when task.state = 'SUCCESS' then task.charge_nanos end);
  if task.webhook_url is not null then
    insert into webhook_deliveries (task_id, account_id, url) values (task.id, task.account_id, task.webhook_url);
    perform pg_notify('webhooks', 'due');
  end if;
  perform pg_notify('tasks', 'done ' || task.id);
  return true;
end
$$;

-- The request log by key, and by reason. Filters by model, endpoint, upstream and failure need no index of their own:
-- usage_hours says in which hours such requests were.
create index usage_key on usage (key_id, posted_at);
create index usage_account_reason on usage (account_id, posted_at) where reason <> 'completed';

-- The keys' list, newest first.
create index api_keys_account on api_keys (account_id, id);
-- Made for a page of the dashboard, for minutes: no list shows it.
alter table api_keys add column playground boolean not null default false;
