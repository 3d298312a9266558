-- How far a task is; it only ever moves up.
create or replace function task_rank(state text) returns int4 language sql immutable parallel safe as $$
  select array_position(array['NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'], state);
$$;
