-- All numbers of a JSON object: images of every tier, seconds of every resolution.
create or replace function sum_of_units(units jsonb) returns int8 language sql immutable parallel safe as $$
  select coalesce(sum(round(value::numeric)), 0)::int8 from jsonb_each_text(coalesce(units, '{}'));
$$;
