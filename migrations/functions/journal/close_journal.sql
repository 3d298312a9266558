-- Closes a journal whose owner is gone or going: its leases return. Gives whether it did.
create or replace function close_journal(journal_id text, expected_flush int8) returns boolean language plpgsql as $$
declare
  ids text[];
  reference text := 'close:' || journal_id;
begin
  update journals set flush_number = flush_number + 1, closed = true, closed_at = now()
    where id = journal_id and flush_number = expected_flush and not closed;
  if not found then return false; end if;
  select array_agg(a.id) into ids from (
    select id from ledgers where id in (select ledger from leases where journal = journal_id) order by id for update
  ) as a;
  insert into transfers (key, kind, ledger, from_side, to_side, amount, reference)
    select reference || ':' || l.ledger, 'return', l.ledger, 'leased', 'wallet', l.amount, reference
      from leases l where l.journal = journal_id;
  update ledgers a set wallet = a.wallet + l.amount, leased = a.leased - l.amount
    from leases l where l.journal = journal_id and a.id = l.ledger;
  perform pg_notify('money', 'room ' || ledger) from leases where journal = journal_id and reclaimed;
  delete from leases where journal = journal_id;
  return true;
end
$$;
