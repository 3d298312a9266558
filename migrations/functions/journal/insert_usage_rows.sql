-- Inserts the usage of these rows and gives what they charge to each ledger.
-- Most rows are fields separated by tabs, in the order of `usage-row.ts`, an empty one being null. What such a row cannot
-- hold (a list of losses, an odd name, records found on disk) is a begin record, a tab and an end record, both JSON.
-- An end record holds the lines of its charge where the begin record's rates do not tell them: calls, tiers, media ...
create or replace function insert_usage_rows(journal_id text, numbers int8[], row_texts text[]) returns ledger_charge[] language sql as $$
  with inserted as (
    insert into usage (
      request_id, accepted_at, ended_at, account_id, key_id, model, asked_model, endpoint, streamed, upstream, upstream_model,
      status, reason, error_code, attempts, first_byte_ms, total_ms, estimated, hostile,
      input_uncached, cache_read, cache_write_5m, cache_write_1h, output_visible, output_reasoning, raw,
      price_id, rates, factor_ppm, hold_nanos, charge_nanos, ledgers, losses, journal, record_number,
      written_off_nanos, implausible, credential, chosen, output_limit, charged, cost_nanos, costs, tags)
    select
      f[3], to_timestamp(f[1]::int8 / 1000.0), to_timestamp(f[2]::int8 / 1000.0), f[4]::int8, f[5]::int8, f[6], null::text, f[10],
      f[11]::boolean, f[14], f[15], f[16]::int4, f[17], null::text, f[18]::int4, f[19]::int4, f[20]::int4,
      f[21]::boolean, '{}'::text[], f[22]::int4, f[23]::int4, f[24]::int4, f[25]::int4, f[26]::int4, f[27]::int4,
      f[28]::jsonb, f[7]::int8, f[8]::jsonb, f[9]::int8, f[12]::int8, f[29]::int8, string_to_array(f[13], ','),
      '{}'::text[], journal_id, l.number, f[30]::int8, null::jsonb, f[31], f[32], null::int4, null::jsonb,
      readable_cost(f[33]), readable_costs(f[34]::jsonb), string_to_array(f[35], ',')
      from unnest(numbers, row_texts) as l (number, row_text), string_to_array(l.row_text, E'\t', '') as f
     where l.row_text not like '{%'
    union all
    select
      b.request, to_timestamp(b.at / 1000.0), to_timestamp(e.at / 1000.0), b.account, b.key,
      coalesce(e.model, b.model), coalesce(b.asked, case when e.model is not null then b.model end), b.endpoint,
      b.streamed, e.upstream, e.upstream_model, e.status, e.reason, e.error_code, e.attempts, e.first_byte_ms,
      e.total_ms, coalesce(e.estimated, false), coalesce(e.hostile, '{}'),
      (e.usage ->> 'inputUncached')::int4, (e.usage ->> 'cacheRead')::int4, (e.usage ->> 'cacheWrite5m')::int4,
      (e.usage ->> 'cacheWrite1h')::int4, (e.usage ->> 'outputVisible')::int4, (e.usage ->> 'outputReasoning')::int4,
      e.raw, coalesce(e.price, b.price), coalesce(e.rates, b.rates), coalesce(e.factor, b.factor), coalesce(e.hold, b.hold), e.charge, b.ledgers, coalesce(e.losses, '{}'), journal_id, l.number,
      coalesce(e.written_off, 0), e.implausible,
      e.credential, e.chosen, e.output_limit, e.charged, readable_cost(coalesce(e.cost, '0')), readable_costs(e.costs),
      b.tags
      from unnest(numbers, row_texts) as l (number, row_text),
           jsonb_to_record(split_part(l.row_text, E'\t', 1)::jsonb) as b (
             at int8, request text, account int8, key int8, model text, endpoint text, streamed boolean,
             price int8, rates jsonb, factor int8, hold int8, ledgers text[], asked text, tags text[]),
           jsonb_to_record(split_part(l.row_text, E'\t', 2)::jsonb) as e (
             at int8, upstream text, upstream_model text, status int4, reason text, error_code text, attempts int4,
             first_byte_ms int4, total_ms int4, estimated boolean, hostile text[], usage jsonb, raw jsonb,
             charge int8, losses text[], charged jsonb, hold int8, written_off int8, implausible jsonb,
             credential text, chosen text, output_limit int4, cost text, costs jsonb,
             model text, price int8, rates jsonb, factor int8)
     where l.row_text like '{%'
    returning account_id, ledgers, charge_nanos
  )
  select coalesce(array_agg((c.ledger, c.account_id, c.charge)::ledger_charge), '{}') from (
    select l.ledger, i.account_id, sum(i.charge_nanos)::int8 as charge
      from inserted i, unnest(i.ledgers) as l (ledger) group by 1, 2
  ) as c;
$$;
