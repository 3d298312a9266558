-- The views once more, over the rows of one statement.
create or replace function roll_up_usage() returns trigger language plpgsql as $$
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
           sum(coalesce(output_visible, 0)::int8 + coalesce(output_reasoning, 0)), sum(charge_nanos), max(ended_at),
           coalesce(sum(cost_nanos), 0), coalesce(sum(charge_nanos - coalesce(cost_nanos, 0)) filter (where unknown = 0), 0),
           sum(unknown), coalesce(sum(charge_nanos) filter (where unknown > 0), 0)
      from (select *, unknown_costs(cost_nanos, costs, upstream) as unknown from posted) as p
     group by 1, 2, 3 order by 1, 2, 3
  on conflict (account_id, key_id, day) do update set
    requests = k.requests + excluded.requests, errors = k.errors + excluded.errors,
    input_tokens = k.input_tokens + excluded.input_tokens, output_tokens = k.output_tokens + excluded.output_tokens,
    charge_nanos = k.charge_nanos + excluded.charge_nanos, last_at = greatest(k.last_at, excluded.last_at),
    cost_nanos = k.cost_nanos + excluded.cost_nanos, margin_nanos = k.margin_nanos + excluded.margin_nanos,
    unknown_costs = k.unknown_costs + excluded.unknown_costs,
    unknown_charge_nanos = k.unknown_charge_nanos + excluded.unknown_charge_nanos;
  insert into usage_latencies as l
    select account_id, (posted_at at time zone 'utc')::date, model, coalesce(upstream, ''), t.kind,
           latency_bucket(t.ms), count(*)
      from posted, lateral (values ('first_byte', first_byte_ms), ('total', total_ms)) as t (kind, ms)
     where usage_completed(reason) and t.ms is not null
     group by 1, 2, 3, 4, 5, 6
     order by account_id, (posted_at at time zone 'utc')::date, model collate "C", coalesce(upstream, '') collate "C",
              t.kind collate "C", latency_bucket(t.ms)
  on conflict (account_id, day, model, upstream, kind, bucket) do update set
    requests = l.requests + excluded.requests;
  return null;
end
$$;
