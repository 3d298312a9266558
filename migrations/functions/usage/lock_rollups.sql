-- Waits for those who are adding now and keeps others out until the transaction ends.
create or replace function lock_rollups() returns void language sql as $$
  lock table usage_hours in share row exclusive mode;
$$;
