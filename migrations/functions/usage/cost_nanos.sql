-- Of absurd numbers a bounded one: what a vendor writes must never stop a charge from being posted.
create or replace function cost_nanos(dollars numeric) returns int8 language sql immutable parallel safe as $$
  select round(least(greatest(dollars, 0), 1000000) * 1000000000)::int8;
$$;
