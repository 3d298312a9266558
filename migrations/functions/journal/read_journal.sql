-- What a process has to know of its journal: the journal's row, then one row for each lease.
create or replace function read_journal(journal_id text) returns setof journal_row language sql stable as $$
  select flush_number, flushed_through, closed, false, null, null::int8, null::boolean, null::int8, null::int8 from journals where id = journal_id
  union all
  select null, null, null, null, l.ledger, l.amount, l.reclaimed, a.wallet, a.leased
    from leases l join ledgers a on a.id = l.ledger where l.journal = journal_id;
$$;
