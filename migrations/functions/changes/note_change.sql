-- Row trigger: raises counter <name> and notifies channel <name>_changed with
-- "<version> <table> <id>". Every use is deferred to the commit: the counter's row lock is then the last one a
-- transaction takes and is held for a moment only, so it can neither deadlock nor queue.
create or replace function note_change() returns trigger language plpgsql as $$
declare
  counter text := tg_argv[0];
  id_column text := tg_argv[1];
  raised int8;
begin
  update change_counters set version = version + 1, changed_by = pg_current_xact_id()
    where name = counter and changed_by <> pg_current_xact_id();
  select version into raised from change_counters where name = counter;
  perform pg_notify(
    counter || '_changed',
    raised || ' ' || tg_table_name || ' '
      || (case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end ->> id_column));
  return null;
end
$$;
