-- One flush, steps (1) to (6). A lease delta is
--   {"ledger", "account", "allowance"?, "release": "<nanos>", "answers_reclaim": bool, "grow": "<nanos>",
--    "demands": ["<nanos>", ...], "prefetch": "<nanos>"}
-- Gives the journal and the leases that were named, charged or reclaimed; where the flush number has moved it
-- changes nothing and gives everything.
create or replace function flush_journal(
  journal_id text, expected_flush int8, batch_through int8,
  numbers int8[], balances text[], holds int8[], row_texts text[], interrupted_records text[], deltas jsonb
) returns setof journal_row language plpgsql as $$
declare
  own journals;
  charges ledger_charge[];
  touched text[];
begin
  -- (1)
  update journals set flush_number = flush_number + 1 where id = journal_id and flush_number = expected_flush returning * into own;
  if not found then
    return query select * from read_journal(journal_id);
    return;
  end if;
  -- (2)
  perform ensure_usage_day();
  if cardinality(interrupted_records) > 0 then perform lock_rollups(); end if;
  charges := log_rows(own.id, own.flushed_through, numbers, balances, holds, row_texts);
  perform log_interrupted(own.id, interrupted_records);
  own.flushed_through := greatest(own.flushed_through, batch_through);
  update journals set flushed_through = own.flushed_through where id = journal_id and flushed_through <> own.flushed_through;
  -- (3) (4) (5)
  touched := move_leases(own, charges, deltas);
  -- (6)
  return query
    select own.flush_number, own.flushed_through, own.closed, true, null::text, null::int8, null::boolean, null::int8, null::int8;
  return query
    select null::int8, null::int8, null::boolean, null::boolean, a.id, coalesce(l.amount, 0), coalesce(l.reclaimed, false), a.wallet, a.leased
      from ledgers a left join leases l on l.journal = journal_id and l.ledger = a.id
     where a.id = any(touched || array(select r.ledger from leases r where r.journal = journal_id and r.reclaimed));
end
$$;
