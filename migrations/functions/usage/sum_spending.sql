-- spending_days_of_log once more, over the rows of one statement. Fires after usage_sums_costs, so that sums are always
-- locked in one order.
create or replace function sum_spending() returns trigger language plpgsql as $$
begin
  insert into spending_days as d
    select day, account_id, model, upstream, sum(requests), sum(errors), sum(input_tokens), sum(output_tokens),
           sum(charge_nanos), sum(cost_nanos), coalesce(sum(charge_nanos - cost_nanos) filter (where known), 0),
           sum(unknown), coalesce(sum(charge_nanos) filter (where not known), 0)
      from (
        select (posted_at at time zone 'utc')::date as day, account_id, model, coalesce(upstream, '') as upstream,
               1 as requests, usage_failed(reason)::int4 as errors,
               coalesce(input_uncached, 0)::int8 + coalesce(cache_read, 0) + coalesce(cache_write_5m, 0)
                 + coalesce(cache_write_1h, 0) as input_tokens,
               coalesce(output_visible, 0)::int8 + coalesce(output_reasoning, 0) as output_tokens, charge_nanos,
               case when costs is null then coalesce(cost_nanos, 0) else 0 end as cost_nanos,
               unknown_costs(cost_nanos, costs, upstream) = 0 as known,
               case when costs is null then unknown_costs(cost_nanos, costs, upstream) else 0 end as unknown
          from posted
        union all
        select (p.posted_at at time zone 'utc')::date, p.account_id, p.model, coalesce(c.upstream, p.upstream, ''),
               0, 0, 0, 0, 0, c.nanos, unknown_costs(p.cost_nanos, p.costs, p.upstream) = 0,
               (c.used is not distinct from 'unknown')::int4
          from posted p, jsonb_to_recordset(p.costs) as c (upstream text, nanos int8, used text)
         where p.costs is not null
      ) as part
     group by 1, 2, 3, 4
     order by 1, 2, model collate "C", upstream collate "C"
  on conflict (day, account_id, model, upstream) do update set
    requests = d.requests + excluded.requests, errors = d.errors + excluded.errors,
    input_tokens = d.input_tokens + excluded.input_tokens, output_tokens = d.output_tokens + excluded.output_tokens,
    charge_nanos = d.charge_nanos + excluded.charge_nanos, cost_nanos = d.cost_nanos + excluded.cost_nanos,
    margin_nanos = d.margin_nanos + excluded.margin_nanos, unknown_costs = d.unknown_costs + excluded.unknown_costs,
    unknown_charge_nanos = d.unknown_charge_nanos + excluded.unknown_charge_nanos;
  return null;
end
$$;
