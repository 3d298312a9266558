-- A fallback: the partitions are made days ahead by a job, but a flush must never fail for lack of one.
create or replace function ensure_usage_day() returns void language plpgsql as $$
declare
  day date := (now() at time zone 'utc')::date;
  partition text := 'usage_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass(partition) is not null then return; end if;
  -- The lock that the job takes.
  perform pg_advisory_xact_lock(hashtextextended('partitions of usage', 0));
  -- Read off the catalog's rows: to_regclass would repeat its result from before the wait.
  perform from pg_class where relname = partition and relnamespace = current_schema()::regnamespace;
  if found then return; end if;
  execute format('create table %I (like usage including defaults including constraints)', partition);
  execute format('alter table usage attach partition %I for values from (%L) to (%L)',
    partition, day || ' 00:00+00', day + 1 || ' 00:00+00');
end
$$;
