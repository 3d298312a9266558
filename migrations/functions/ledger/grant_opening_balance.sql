-- An account's opening balance, once: the key is the account, so that applying a file again grants nothing.
create or replace function grant_opening_balance(account int8, amount_nanos int8) returns boolean language plpgsql as $$
declare
  ledger_id text := 'account:' || account;
begin
  perform open_ledgers(array[ledger_id], array[account]);
  perform from ledgers where id = ledger_id for update;
  if amount_nanos = 0 or exists (select from transfers where key = 'opening:' || account) then return false; end if;
  perform transfer_money(ledger_id, 'opening:' || account, 'opening', 'funding', 'wallet', amount_nanos, ledger_id);
  return true;
end
$$;
