-- Makes the ledgers that do not exist yet; all else about them is in their id.
create or replace function open_ledgers(ids text[], account_ids int8[]) returns void language sql as $$
  insert into ledgers (id, kind, account_id, budget_id, key_id, period, period_start)
  select l.id,
         case part[1] when 'account' then 'balance' else part[1] end,
         l.account_id,
         case when part[1] = 'budget' then part[2]::int8 end,
         case when part[1] = 'limit' then part[2]::int8 end,
         part[3],
         part[4]::date
    from unnest(ids, account_ids) as l (id, account_id), string_to_array(l.id, ':') as part
   where not exists (select from ledgers where ledgers.id = l.id)
   order by l.id collate "C"
  on conflict (id) do nothing;
$$;
