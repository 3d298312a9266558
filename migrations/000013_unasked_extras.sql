-- An end line names the rates that were charged where they are not those of the begin line: a price frozen with what is
-- not tokens (a hosted tool, a service tier), and the upstream that answered was not asked for it.

-- Inserts the usage of the lines beyond the watermark and gives what they charge to each ledger.
create or replace function insert_usage(
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
      e.raw, b.price, coalesce(e.rates, b.rates), b.factor, b.hold, e.charge, b.ledgers, coalesce(e.losses, '{}'), spool_id, l.number
      from unnest(numbers, begin_lines, end_lines) as l (number, begin_line, end_line),
           jsonb_to_record(l.begin_line::jsonb) as b (
             at int8, request text, account int8, key int8, model text, endpoint text, streamed boolean,
             price int8, rates jsonb, factor int8, hold int8, ledgers text[]),
           jsonb_to_record(l.end_line::jsonb) as e (
             at int8, upstream text, upstream_model text, status int4, reason text, error_code text, attempts int4,
             first_byte_ms int4, total_ms int4, estimated boolean, hostile text[], usage jsonb, raw jsonb,
             charge int8, losses text[], rates jsonb)
    returning account_id, ledgers, charge_nanos
  )
  select coalesce(array_agg((c.ledger, c.account_id, c.charge)::ledger_charge), '{}') from (
    select l.ledger, i.account_id, sum(i.charge_nanos)::int8 as charge
      from inserted i, unnest(i.ledgers) as l (ledger) group by 1, 2
  ) as c;
$$;
