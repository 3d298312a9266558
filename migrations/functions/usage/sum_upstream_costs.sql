-- `cost` in the vendor's usage object. Fires after usage_rolls_up, so that sums are always locked in one order.
create or replace function sum_upstream_costs() returns trigger language plpgsql as $$
begin
  insert into upstream_costs as c
    select (posted_at at time zone 'utc')::date, upstream, count(*), sum(charge_nanos)::int8,
           sum(cost_nanos((raw ->> 'cost')::numeric))::int8
      from posted
     where upstream is not null and jsonb_typeof(raw) = 'object' and jsonb_typeof(raw -> 'cost') = 'number'
     group by 1, 2 order by 1, upstream collate "C"
  on conflict (day, upstream) do update set
    requests = c.requests + excluded.requests, charge_nanos = c.charge_nanos + excluded.charge_nanos,
    cost_nanos = c.cost_nanos + excluded.cost_nanos;
  return null;
end
$$;
