-- What a tick posts is one row of text a request, no longer two lines of JSON: reading those was half of what a posted
-- request cost. Most rows are fields parted by tabs, in the order of `usage-row.ts`, an empty one being null. What such a
-- row cannot hold (a list of losses, an odd name, lines found on disk) comes as before: a begin line, a tab, an end line.

-- Inserts the usage of these rows and gives what they charge to each ledger.
create function insert_usage_rows(spool_id text, numbers int8[], lines text[]) returns ledger_charge[] language sql as $$
  with inserted as (
    insert into usage (
      request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, upstream, upstream_model,
      status, reason, error_code, attempts, first_byte_ms, total_ms, estimated, hostile,
      input_uncached, cache_read, cache_write_5m, cache_write_1h, output_visible, output_reasoning, raw,
      price_id, rates, factor_ppm, hold_nanos, charge_nanos, ledgers, losses, spool, line)
    select
      f[3], to_timestamp(f[1]::int8 / 1000.0), to_timestamp(f[2]::int8 / 1000.0), f[4]::int8, f[5]::int8, f[6], f[10],
      f[11]::boolean, f[14], f[15], f[16]::int4, f[17], null::text, f[18]::int4, f[19]::int4, f[20]::int4,
      f[21]::boolean, '{}'::text[], f[22]::int4, f[23]::int4, f[24]::int4, f[25]::int4, f[26]::int4, f[27]::int4,
      f[28]::jsonb, f[7]::int8, f[8]::jsonb, f[9]::int8, f[12]::int8, f[29]::int8, string_to_array(f[13], ','),
      '{}'::text[], spool_id, l.number
      from unnest(numbers, lines) as l (number, line), string_to_array(l.line, E'\t', '') as f
     where l.line not like '{%'
    union all
    select
      b.request, to_timestamp(b.at / 1000.0), to_timestamp(e.at / 1000.0), b.account, b.key, b.model, b.endpoint,
      b.streamed, e.upstream, e.upstream_model, e.status, e.reason, e.error_code, e.attempts, e.first_byte_ms,
      e.total_ms, coalesce(e.estimated, false), coalesce(e.hostile, '{}'),
      (e.usage ->> 'inputUncached')::int4, (e.usage ->> 'cacheRead')::int4, (e.usage ->> 'cacheWrite5m')::int4,
      (e.usage ->> 'cacheWrite1h')::int4, (e.usage ->> 'outputVisible')::int4, (e.usage ->> 'outputReasoning')::int4,
      e.raw, b.price, coalesce(e.rates, b.rates), b.factor, b.hold, e.charge, b.ledgers, coalesce(e.losses, '{}'), spool_id, l.number
      from unnest(numbers, lines) as l (number, line),
           jsonb_to_record(split_part(l.line, E'\t', 1)::jsonb) as b (
             at int8, request text, account int8, key int8, model text, endpoint text, streamed boolean,
             price int8, rates jsonb, factor int8, hold int8, ledgers text[]),
           jsonb_to_record(split_part(l.line, E'\t', 2)::jsonb) as e (
             at int8, upstream text, upstream_model text, status int4, reason text, error_code text, attempts int4,
             first_byte_ms int4, total_ms int4, estimated boolean, hostile text[], usage jsonb, raw jsonb,
             charge int8, losses text[], rates jsonb)
     where l.line like '{%'
    returning account_id, ledgers, charge_nanos
  )
  select coalesce(array_agg((c.ledger, c.account_id, c.charge)::ledger_charge), '{}') from (
    select l.ledger, i.account_id, sum(i.charge_nanos)::int8 as charge
      from inserted i, unnest(i.ledgers) as l (ledger) group by 1, 2
  ) as c;
$$;

-- A row as the two lines that quarantine keeps. People look for the request's id and model there.
create function lines_of_row(line text) returns table (begin_line text, end_line text) language sql immutable as $$
  select case when line like '{%' then split_part(line, E'\t', 1)
              else format('{"request":%s,"model":%s}', to_json(split_part(line, E'\t', 3)), to_json(split_part(line, E'\t', 6)))
         end,
         case when line like '{%' then split_part(line, E'\t', 2) else line end;
$$;

-- Step (2) of a tick. All rows beyond the watermark in one statement; only if one of them is refused, row by row, and the
-- refused ones go to quarantine, where the house pays what was held for them.
create function log_rows(
  spool_id text, posted_before int8, numbers int8[], balances text[], holds int8[], lines text[]
) returns ledger_charge[] language plpgsql as $$
declare
  charges ledger_charge[] := '{}';
  first_new int4 := 1;
begin
  while first_new <= cardinality(numbers) and numbers[first_new] <= posted_before loop first_new := first_new + 1; end loop;
  if first_new > cardinality(numbers) then return '{}'; end if;
  begin
    return insert_usage_rows(spool_id, numbers[first_new:], lines[first_new:]);
  exception when data_exception or integrity_constraint_violation or cardinality_violation then
    null;
  end;
  perform lock_rollups();
  for i in first_new .. cardinality(numbers) loop
    begin
      charges := charges || insert_usage_rows(spool_id, numbers[i:i], lines[i:i]);
    exception when data_exception or integrity_constraint_violation or cardinality_violation then
      insert into quarantined_lines (spool, line, ledger, hold_nanos, begin_line, end_line, refusal)
        select spool_id, numbers[i], balances[i], holds[i], r.begin_line, r.end_line, sqlerrm from lines_of_row(lines[i]) as r;
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

-- As before, but for what is posted.
create function tick_spool(
  spool_id text, expected_tick int8, posted_upto int8,
  numbers int8[], balances text[], holds int8[], lines text[], interrupted_lines text[], asks jsonb
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
  charges := log_rows(own.id, own.posted, numbers, balances, holds, lines);
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

-- The form in which programs before this migration post, which run on beside newer ones while those are rolled out.
create or replace function tick_spool(
  spool_id text, expected_tick int8, posted_upto int8,
  numbers int8[], balances text[], holds int8[], begin_lines text[], end_lines text[],
  interrupted_lines text[], asks jsonb
) returns setof spool_row language sql as $$
  select * from tick_spool(spool_id, expected_tick, posted_upto, numbers, balances, holds,
    array(select begin_line || E'\t' || end_line
            from unnest(begin_lines, end_lines) with ordinality as l (begin_line, end_line, place) order by place),
    interrupted_lines, asks);
$$;
drop function log_lines(text, int8, int8[], text[], int8[], text[], text[]);
drop function insert_usage(text, int8[], text[], text[]);
