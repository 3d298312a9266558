-- Double entry: every movement of money is a transfer between two sides of one ledger, never changed
-- again. A ledger belongs to a customer (its balance) or to one period of a key's spending limit.
--
--   balance   funding -> wallet <-> leased -> revenue      charges beyond everything: loss -> revenue
--   limit   allowance -> wallet <-> leased -> spent        the same, for a limit: excess -> spent
--
-- The house's sides (left and right) have no stored balance: one hot row would serialise everyone; they
-- are sums over transfers. wallet, leased and held are projections of the transfers, changed only by the
-- statement that inserts them.

create table ledgers (
  -- account:<account id>, or limit:<key id>:<period>:<its first day>. Byte order puts every balance
  -- before every limit; rows are always locked in ascending id, so two operations cannot deadlock.
  id text collate "C" primary key,
  kind text not null check (kind in ('balance', 'limit')),
  account_id int8 not null references accounts (id),
  -- Only of a limit.
  key_id int8,
  period text check (period in ('day', 'week', 'month', 'total')),
  period_start date,
  -- What a limit has been funded with so far.
  allowance int8 not null default 0 check (allowance >= 0),
  -- Free to be leased or held.
  wallet int8 not null default 0 constraint wallet_not_negative check (wallet >= 0),
  -- Split among processes, see leases.
  leased int8 not null default 0 constraint leased_not_negative check (leased >= 0),
  -- Held by tasks.
  held int8 not null default 0 constraint held_not_negative check (held >= 0),
  check ((kind = 'limit') = (key_id is not null and period is not null and period_start is not null))
) with (fillfactor = 70); -- room for the new version of a row on its own page
create index ledgers_account on ledgers (account_id);

create table transfers (
  id int8 generated always as identity primary key,
  -- Idempotency: the same operation repeated breaks this and changes nothing.
  key text not null constraint transfers_key_unique unique,
  kind text not null check (kind in (
    'opening', 'credit', 'debit', 'allowance', 'lease', 'return', 'post', 'quarantine',
    'hold', 'settle', 'release')),
  -- No foreign key: the same statement updates the ledger's row, and ticks insert thousands of these.
  ledger text collate "C" not null,
  from_side text not null check (from_side in
    ('funding', 'wallet', 'leased', 'held', 'loss', 'allowance', 'excess')),
  to_side text not null check (to_side in
    ('funding', 'wallet', 'leased', 'held', 'revenue', 'allowance', 'spent')),
  amount int8 not null check (amount > 0),
  -- What it was for: a tick, a task, an account.
  reference text not null,
  -- An operator's words.
  reason text,
  at timestamptz not null default now(),
  check (from_side <> to_side)
);
create index transfers_ledger on transfers (ledger, id);

create trigger transfers_are_immutable before update or delete or truncate on transfers
  for each statement execute function refuse_change();

-- Makes the ledgers that do not exist yet; all else about them is in their id.
create function open_ledgers(ids text[], account_ids int8[]) returns void language sql as $$
  insert into ledgers (id, kind, account_id, key_id, period, period_start)
  select l.id,
         case when part[1] = 'limit' then 'limit' else 'balance' end,
         l.account_id,
         case when part[1] = 'limit' then part[2]::int8 end,
         case when part[1] = 'limit' then part[3] end,
         case when part[1] = 'limit' then part[4]::date end
    from unnest(ids, account_ids) as l (id, account_id), string_to_array(l.id, ':') as part
   where not exists (select from ledgers where ledgers.id = l.id)
   order by l.id collate "C"
  on conflict (id) do nothing;
$$;

-- Moves money between two sides of one ledger. Breaks transfers_key_unique on a repetition, a *_not_negative
-- check when there is too little.
create function transfer_money(
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

-- An account's opening balance, once: the key is the account, so that applying a file again grants nothing.
create function grant_opening_balance(account int8, amount_nanos int8) returns boolean language plpgsql as $$
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

-- An operator's credit (amount > 0) or debit (< 0). Gives
--   done          moved now
--   repeated      this key moved the same before
--   conflict      this key moved something else before
--   recalling     the money is there but leased to processes, which have been asked for it: try again soon
--   insufficient  the account has less than that
create function transfer_by_operator(account int8, amount_nanos int8, idempotency_key text, words text)
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
    perform recall_leases(array[ledger_id], '');
    outcome := 'recalling';
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
