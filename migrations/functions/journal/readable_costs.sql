-- The list of attempts' costs as a record has it, left out as a whole where `attempt_costs` cannot read it.
create or replace function readable_costs(costs jsonb) returns jsonb language sql immutable parallel safe as $$
  select case when jsonb_typeof(costs) = 'array' then (
    select costs from jsonb_array_elements(costs) as c (attempt)
    having count(*) > 0 and bool_and(
      jsonb_typeof(attempt) = 'object' and readable_cost(attempt ->> 'nanos') is not null
        and (attempt ->> 'stated' is null or readable_cost(attempt ->> 'stated') is not null))
  ) end;
$$;
