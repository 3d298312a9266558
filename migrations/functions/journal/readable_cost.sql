-- A cost in nanos as a record has it. What is no such amount is left out, since no cost may keep its charge from being posted.
create or replace function readable_cost(cost text) returns int8 language sql immutable parallel safe as $$
  select case when cost ~ '^[0-9]{1,18}$' then cost::int8 end;
$$;
