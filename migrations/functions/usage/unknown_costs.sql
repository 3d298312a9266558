-- How many attempts of a request have a cost that nobody knows. A task that an upstream took is one of them.
create or replace function unknown_costs(cost_nanos int8, costs jsonb, upstream text) returns int8
language sql immutable parallel safe as $$
  select case when costs is not null
              then (select count(*) from jsonb_array_elements(costs) as c where c ->> 'used' = 'unknown')
              when cost_nanos is null and upstream is not null then 1
              else 0 end;
$$;
