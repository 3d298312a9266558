-- A private upstream passes any id on; as soon as two accounts may use it, ids must be somebody's. So the catalog counts
-- the accounts of each group up to two, and is read anew where that number may have changed: not for every account.
create or replace function note_accounts_of_group() returns trigger language plpgsql as $$
declare
  raised int8;
  touched text[] := array[new.group_name];
begin
  if tg_op = 'UPDATE' then touched := touched || old.group_name; end if;
  if not exists (
    select from unnest(touched) as t (name)
     where (select count(*) from (select from accounts where group_name = t.name limit 3) as counted) <= 2
  ) then
    return null;
  end if;
  update change_counters set version = version + 1, changed_by = pg_current_xact_id()
    where name = 'catalog' and changed_by <> pg_current_xact_id();
  select version into raised from change_counters where name = 'catalog';
  perform pg_notify('catalog_changed', raised || ' accounts ' || new.id);
  return null;
end
$$;
