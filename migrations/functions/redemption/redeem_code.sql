-- Credits a code to an account, once, however often and by however many it is sent. Gives
--   done       credited now
--   repeated   this account was credited with it before (at)
--   used | revoked | expired (at) | unknown
--   throttled  too many unknown codes; at says when the next may be sent
create or replace function redeem_code(
  code_hash bytea, account int8, redeemer text, max_wrong int4, within_seconds int4
) returns table (outcome text, code_id int8, amount_nanos int8, at timestamptz) language plpgsql as $$
declare
  ledger_id text := 'account:' || account;
  wrong timestamptz[];
  code record;
begin
  insert into redemption_throttles (account_id) values (account) on conflict do nothing;
  select array(select w from unnest(t.wrong_at) as w where w > now() - within_seconds * interval '1 s' order by w)
    into wrong from redemption_throttles t where t.account_id = account for update;
  if cardinality(wrong) >= max_wrong then
    outcome := 'throttled';
    at := wrong[cardinality(wrong) - max_wrong + 1] + within_seconds * interval '1 s';
    return next;
    return;
  end if;
  select c.id, c.account_id, c.redeemed_at, c.revoked_at, b.expires_at, b.amount_nanos into code
    from redemption_codes c join redemption_batches b on b.id = c.batch_id
   where c.hash = code_hash for update of c;
  if not found then
    update redemption_throttles t set wrong_at = wrong || clock_timestamp() where t.account_id = account;
    outcome := 'unknown';
    return next;
    return;
  end if;
  code_id := code.id;
  if code.account_id = account then
    outcome := 'repeated';
    at := code.redeemed_at;
    amount_nanos := code.amount_nanos;
  elsif code.redeemed_at is not null then
    outcome := 'used';
  elsif code.revoked_at is not null then
    outcome := 'revoked';
  elsif code.expires_at <= now() then
    outcome := 'expired';
    at := code.expires_at;
  else
    perform open_ledgers(array[ledger_id], array[account]);
    perform from ledgers where id = ledger_id for update;
    perform transfer_money(ledger_id, 'redemption:' || code.id, 'credit', 'funding', 'wallet', code.amount_nanos, 'code:' || code.id);
    update redemption_codes c set redeemed_at = now(), account_id = account, redeemed_by = redeemer where c.id = code.id;
    -- Requests may be waiting for just this.
    perform pg_notify('money', 'room ' || ledger_id);
    outcome := 'done';
    at := now();
    amount_nanos := code.amount_nanos;
  end if;
  return next;
end
$$;
