-- An operator's credit (amount > 0) or debit (< 0). Gives
--   done          moved now
--   repeated      this key moved the same before
--   conflict      this key moved something else before
--   reclaiming    the money is there but leased to processes, which have been asked for it: try again soon
--   insufficient  the account has less than that
create or replace function transfer_by_operator(account int8, amount_nanos int8, idempotency_key text, words text)
returns table (outcome text, available_nanos int8) language plpgsql as $$
declare
  ledger_id text := 'account:' || account;
  transfer_key text := 'operator:' || idempotency_key;
  ledger ledgers;
  earlier transfers;
begin
  perform open_ledgers(array[ledger_id], array[account]);
  select * into ledger from ledgers where id = ledger_id for update;
  select * into earlier from transfers where key = transfer_key;
  available_nanos := ledger.wallet + ledger.leased;
  if found then
    outcome := case when earlier.ledger = ledger_id and earlier.amount = abs(amount_nanos)
        and (earlier.kind = 'credit') = (amount_nanos > 0) then 'repeated' else 'conflict' end;
  elsif amount_nanos > 0 then
    perform transfer_money(ledger_id, transfer_key, 'credit', 'funding', 'wallet', amount_nanos, ledger_id, words);
    outcome := 'done';
  elsif ledger.wallet >= -amount_nanos then
    perform transfer_money(ledger_id, transfer_key, 'debit', 'wallet', 'funding', -amount_nanos, ledger_id, words);
    outcome := 'done';
  elsif available_nanos >= -amount_nanos then
    perform reclaim_leases(array[ledger_id], '');
    outcome := 'reclaiming';
  else
    outcome := 'insufficient';
  end if;
  if outcome = 'done' then
    available_nanos := available_nanos + amount_nanos;
    -- Requests may be waiting for just this.
    if amount_nanos > 0 then perform pg_notify('money', 'room ' || ledger_id); end if;
  end if;
  return next;
end
$$;
