-- cost_days_of_log once more, over the rows of one statement. Fires after usage_rolls_up, so that sums are always locked in
-- one order.
create or replace function sum_attempt_costs() returns trigger language plpgsql as $$
begin
  insert into cost_days as d
    select (a.posted_at at time zone 'utc')::date, a.account_id, a.model, a.upstream, count(*),
           count(*) filter (where a.used = 'unknown'), sum(a.charge_nanos)::int8, sum(a.cost_nanos),
           count(a.stated_nanos), coalesce(sum(a.charge_nanos) filter (where a.stated_nanos is not null), 0)::int8,
           coalesce(sum(a.cost_nanos) filter (where a.stated_nanos is not null), 0),
           coalesce(sum(a.stated_nanos), 0)
      from (
        select posted_at, account_id, model, coalesce(upstream, '') as upstream, charge_nanos, cost_nanos,
               null::int8 as stated_nanos, null::text as used
          from posted where costs is null and attempts > 0 and cost_nanos is not null
        union all
        select p.posted_at, p.account_id, p.model, coalesce(c.upstream, p.upstream, ''),
               case when c.attempt = jsonb_array_length(p.costs) then p.charge_nanos else 0 end, c.nanos, c.stated, c.used
          from posted p, rows from (jsonb_to_recordset(p.costs) as (
                 upstream text, nanos int8, stated int8, used text)) with ordinality
                 as c (upstream, nanos, stated, used, attempt)
         where p.costs is not null
      ) as a
     group by 1, 2, 3, 4
     order by 1, 2, a.model collate "C", a.upstream collate "C"
  on conflict (day, account_id, model, upstream) do update set
    attempts = d.attempts + excluded.attempts, unknown = d.unknown + excluded.unknown,
    charge_nanos = d.charge_nanos + excluded.charge_nanos, cost_nanos = d.cost_nanos + excluded.cost_nanos,
    stated_attempts = d.stated_attempts + excluded.stated_attempts,
    stated_charge_nanos = d.stated_charge_nanos + excluded.stated_charge_nanos,
    stated_cost_nanos = d.stated_cost_nanos + excluded.stated_cost_nanos,
    stated_nanos = d.stated_nanos + excluded.stated_nanos;
  return null;
end
$$;
