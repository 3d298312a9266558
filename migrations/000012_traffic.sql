-- Live traffic reads the newest seconds of the usage log of all accounts at once. Rows arrive in this order, so the
-- index grows at its right edge alone.
create index usage_posted on usage (posted_at);

-- The latest failures of an upstream.
create index usage_upstream_failed on usage (upstream, posted_at) where usage_failed(reason);

-- What an upstream brought, by day.
create index usage_hours_upstream on usage_hours (upstream, hour);

-- What vendors say that text requests cost us, where they say it, beside what those very requests were charged: the
-- margin. A vendor's number is read as US dollars. Pictures and videos are left out: there each has a unit of its own.
create table upstream_costs (
  day date not null,
  upstream text collate "C" not null,
  requests int8 not null,
  charge_nanos int8 not null,
  cost_nanos int8 not null,
  primary key (day, upstream)
) with (fillfactor = 70);

-- Of absurd numbers a bounded one: what a vendor writes must never stop a charge from being posted.
create function cost_nanos(dollars numeric) returns int8 language sql immutable parallel safe as $$
  select round(least(greatest(dollars, 0), 1000000) * 1000000000)::int8;
$$;

-- `cost` in the vendor's usage object. Fires after usage_rolls_up, so that sums are always locked in one order.
create function sum_upstream_costs() returns trigger language plpgsql as $$
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
create trigger usage_sums_costs after insert on usage referencing new table as posted
  for each statement execute function sum_upstream_costs();
