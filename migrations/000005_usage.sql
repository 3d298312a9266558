-- The usage log: one row per finished text request, the price it was accepted under, and its charge.
-- Partitioned by the day it was posted, by the database's clock: a day that is over gets no more rows, so
-- that sealing its sums and dropping it loses nothing.
create table usage (
  posted_at timestamptz not null default now(),
  request_id text not null,
  accepted_at timestamptz not null,
  ended_at timestamptz not null,
  account_id int8 not null,
  key_id int8 not null,
  model text not null,
  endpoint text not null,
  streamed boolean not null,
  upstream text,
  upstream_model text,
  -- What the caller saw; 0 = gone before any.
  status int4 not null,
  reason text not null,
  error_code text,
  attempts int4 not null,
  first_byte_ms int4,
  total_ms int4 not null,
  -- True where a bucket is the gateway's estimate; the fields whose reported value was impossible.
  estimated boolean not null,
  hostile text[] not null,
  input_uncached int4 check (input_uncached >= 0),
  cache_read int4 check (cache_read >= 0),
  cache_write_5m int4 check (cache_write_5m >= 0),
  cache_write_1h int4 check (cache_write_1h >= 0),
  output_visible int4 check (output_visible >= 0),
  output_reasoning int4 check (output_reasoning >= 0),
  -- The vendor's own usage object.
  raw jsonb,
  -- Frozen at acceptance: the price row, its rates ("<nanos>" per 1,000,000 tokens), the group's factor.
  price_id int8 not null,
  rates jsonb not null,
  factor_ppm int8 not null,
  hold_nanos int8 not null check (hold_nanos >= 0),
  charge_nanos int8 not null check (charge_nanos >= 0),
  -- Every ledger that was charged: the balance and the limits that applied.
  ledgers text[] not null,
  losses text[] not null,
  spool text not null,
  -- Null where nobody ended the request.
  line int8
) partition by range (posted_at);
create index usage_request on usage (request_id);
create index usage_account on usage (account_id, posted_at);

create trigger usage_is_immutable before update or delete on usage
  for each row execute function refuse_change();

-- What remains of a day whose partition was dropped: ledger verify counts these in its place.
create table usage_days (
  day date not null,
  ledger text collate "C" not null,
  requests int8 not null,
  charge_nanos int8 not null,
  primary key (day, ledger)
);
create trigger usage_days_are_immutable before update or delete or truncate on usage_days
  for each statement execute function refuse_change();

-- A fallback: the partitions are made days ahead by a job, but a tick must never fail for lack of one.
create function ensure_usage_day() returns void language plpgsql as $$
declare
  day date := (now() at time zone 'utc')::date;
  partition text := 'usage_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass(partition) is not null then return; end if;
  -- The lock that the job takes.
  perform pg_advisory_xact_lock(hashtextextended('partitions of usage', 0));
  -- Read off the catalog's rows: to_regclass would repeat its answer from before the wait.
  perform from pg_class where relname = partition and relnamespace = current_schema()::regnamespace;
  if found then return; end if;
  execute format('create table %I (like usage including defaults including constraints)', partition);
  execute format('alter table usage attach partition %I for values from (%L) to (%L)',
    partition, day || ' 00:00+00', day + 1 || ' 00:00+00');
end
$$;

-- Inserts the usage of the lines beyond the watermark and gives what they charge to each ledger.
create function insert_usage(
  spool_id text, numbers int8[], begin_lines text[], end_lines text[]
) returns ledger_charge[] language sql as $$
  with inserted as (
    insert into usage (
      request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, upstream, upstream_model,
      status, reason, error_code, attempts, first_byte_ms, total_ms, estimated, hostile,
      input_uncached, cache_read, cache_write_5m, cache_write_1h, output_visible, output_reasoning, raw,
      price_id, rates, factor_ppm, hold_nanos, charge_nanos, ledgers, losses, spool, line)
    select
      b.request, to_timestamp(b.at / 1000.0), to_timestamp(e.at / 1000.0), b.account, b.key, b.model, b.endpoint,
      b.streamed, e.upstream, e.upstream_model, e.status, e.reason, e.error_code, e.attempts, e.first_byte_ms,
      e.total_ms, coalesce(e.estimated, false), coalesce(e.hostile, '{}'),
      (e.usage ->> 'inputUncached')::int4, (e.usage ->> 'cacheRead')::int4, (e.usage ->> 'cacheWrite5m')::int4,
      (e.usage ->> 'cacheWrite1h')::int4, (e.usage ->> 'outputVisible')::int4, (e.usage ->> 'outputReasoning')::int4,
      e.raw, b.price, b.rates, b.factor, b.hold, e.charge, b.ledgers, coalesce(e.losses, '{}'), spool_id, l.number
      from unnest(numbers, begin_lines, end_lines) as l (number, begin_line, end_line),
           jsonb_to_record(l.begin_line::jsonb) as b (
             at int8, request text, account int8, key int8, model text, endpoint text, streamed boolean,
             price int8, rates jsonb, factor int8, hold int8, ledgers text[]),
           jsonb_to_record(l.end_line::jsonb) as e (
             at int8, upstream text, upstream_model text, status int4, reason text, error_code text, attempts int4,
             first_byte_ms int4, total_ms int4, estimated boolean, hostile text[], usage jsonb, raw jsonb,
             charge int8, losses text[])
    returning account_id, ledgers, charge_nanos
  )
  select coalesce(array_agg((c.ledger, c.account_id, c.charge)::ledger_charge), '{}') from (
    select l.ledger, i.account_id, sum(i.charge_nanos)::int8 as charge
      from inserted i, unnest(i.ledgers) as l (ledger) group by 1, 2
  ) as c;
$$;

-- Step (2) of a tick. All lines in one statement; only if one of them is refused, line by line, and the
-- refused ones go to quarantine, where the house pays what was held for them.
create function log_lines(
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

-- Requests that began and that nobody will end, because their process died: recorded once, at no charge.
create function log_interrupted(spool_id text, begin_lines text[]) returns void language plpgsql as $$
declare
  line text;
begin
  foreach line in array begin_lines loop
    begin
      insert into usage (
        request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, status, reason, attempts,
        total_ms, estimated, hostile, price_id, rates, factor_ppm, hold_nanos, charge_nanos, ledgers, losses, spool)
      select b.request, to_timestamp(b.at / 1000.0), to_timestamp(b.at / 1000.0), b.account, b.key, b.model, b.endpoint,
             b.streamed, 0, 'interrupted', 0, 0, false, '{}', b.price, b.rates, b.factor, b.hold, 0, b.ledgers, '{}', spool_id
        from jsonb_to_record(line::jsonb) as b (
             at int8, request text, account int8, key int8, model text, endpoint text, streamed boolean,
             price int8, rates jsonb, factor int8, hold int8, ledgers text[])
       where not exists (select from usage u where u.request_id = b.request);
    exception when data_exception or integrity_constraint_violation then
      raise warning 'an interrupted request cannot be recorded: %', sqlerrm;
    end;
  end loop;
end
$$;
