-- Asks every process but one for what it does not hold of these ledgers.
create or replace function reclaim_leases(ledger_ids text[], except_journal text) returns void language sql as $$
  with reclaimed as (
    update leases set reclaimed = true
     where ledger = any(ledger_ids) and journal <> except_journal and not reclaimed
     returning ledger
  )
  select pg_notify('money', 'reclaim ' || ledger || ' ' || except_journal) from (select distinct ledger from reclaimed) as each;
$$;
