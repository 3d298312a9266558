-- Where a stored response lives is known already; the same is now kept of everything else that vendors keep and give an
-- id to (items, containers, sounds). By id first: a request names ids, and an id of another account must be found too.
alter table stored_responses rename to issued_ids;
alter table issued_ids rename column response_id to id;
alter table issued_ids drop constraint stored_responses_pkey;
alter table issued_ids add constraint issued_ids_pkey primary key (id, account_id);
alter index stored_responses_by_age rename to issued_ids_by_age;

-- For programs before this migration, which run on beside newer ones while those are rolled out.
create view stored_responses as
  select id as response_id, account_id, upstream_id, credential_id, created_at from issued_ids;

-- A private upstream passes any id on; as soon as two accounts may use it, ids must be somebody's. So the catalog counts
-- the accounts of each group up to two, and is read anew where that number may have changed: not for every account.
create function note_accounts_of_group() returns trigger language plpgsql as $$
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
create constraint trigger catalog_changed after insert or update of group_name on accounts
  deferrable initially deferred for each row execute function note_accounts_of_group();

-- Ids of this vendor account that every account may use: stored prompts, vector stores, files, skills.
alter table upstreams add column shared_ids text[] not null default '{}';
