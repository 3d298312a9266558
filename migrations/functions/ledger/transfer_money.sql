-- Moves money between two sides of one ledger. Breaks transfers_key_unique on a repetition, a *_not_negative
-- check when there is too little.
create or replace function transfer_money(
  ledger_id text, transfer_key text, transfer_kind text, source text, target text,
  amount_nanos int8, transfer_reference text, transfer_reason text default null
) returns void language plpgsql as $$
begin
  insert into transfers (key, kind, ledger, from_side, to_side, amount, reference, reason)
    values (transfer_key, transfer_kind, ledger_id, source, target, amount_nanos, transfer_reference, transfer_reason);
  update ledgers set
      wallet = wallet + amount_nanos * ((target = 'wallet')::int - (source = 'wallet')::int),
      leased = leased + amount_nanos * ((target = 'leased')::int - (source = 'leased')::int),
      held = held + amount_nanos * ((target = 'held')::int - (source = 'held')::int)
    where id = ledger_id;
  if not found then raise exception 'there is no ledger %', ledger_id; end if;
end
$$;
