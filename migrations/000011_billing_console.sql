-- Money as people meet it: codes that top an account up, word of a low balance, and the statement's indexes.

-- What an operator made at once: codes of the same amount, until the same day.
create table redemption_batches (
  id int8 generated always as identity primary key,
  amount_nanos int8 not null check (amount_nanos > 0),
  -- For whom or what; operators read it.
  note text not null check (length(note) <= 500),
  -- Null = for ever.
  expires_at timestamptz,
  -- Who made it, for people.
  created_by text not null,
  created_at timestamptz not null default now()
);

create table redemption_codes (
  id int8 generated always as identity primary key,
  batch_id int8 not null references redemption_batches (id),
  -- Keyed, as of API keys: a dump gives no money away.
  hash bytea not null constraint redemption_codes_hash_unique unique check (length(hash) = 32),
  -- The first characters, for people to tell codes apart.
  hint text not null check (length(hint) <= 16),
  revoked_at timestamptz,
  redeemed_at timestamptz,
  -- Whose balance it went to, and who sent it, for people.
  account_id int8 references accounts (id),
  redeemed_by text,
  check ((redeemed_at is null) = (account_id is null) and (redeemed_at is null) = (redeemed_by is null)),
  check (redeemed_at is null or revoked_at is null)
);
create index redemption_codes_batch on redemption_codes (batch_id, id);

-- When an account last sent codes that do not exist; the row is also the lock by which its attempts take turns, so
-- that many at once are counted like many in a row.
create table redemption_throttles (
  account_id int8 primary key references accounts (id),
  wrong_at timestamptz[] not null default '{}'
);

-- Credits a code to an account, once, however often and by however many it is sent. Gives
--   done       credited now
--   repeated   this account was credited with it before (at)
--   used | revoked | expired (at) | unknown
--   throttled  too many unknown codes; at says when the next may be sent
create function redeem_code(
  code_hash bytea, account int8, redeemer text, most_wrong int4, within_seconds int4
) returns table (outcome text, code_id int8, amount_nanos int8, at timestamptz) language plpgsql as $$
declare
  ledger_id text := 'account:' || account;
  wrong timestamptz[];
  code record;
begin
  insert into redemption_throttles (account_id) values (account) on conflict do nothing;
  select array(select w from unnest(t.wrong_at) as w where w > now() - within_seconds * interval '1 s' order by w)
    into wrong from redemption_throttles t where t.account_id = account for update;
  if cardinality(wrong) >= most_wrong then
    outcome := 'throttled';
    at := wrong[cardinality(wrong) - most_wrong + 1] + within_seconds * interval '1 s';
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

-- Where an owner wants to be told that the money runs out.
create table balance_alerts (
  -- The account's.
  id int8 primary key references accounts (id),
  threshold_nanos int8 not null check (threshold_nanos > 0),
  url text not null,
  -- It was told, and the balance has not been at the threshold again since.
  below boolean not null default false,
  fired_at timestamptz
);

-- Webhooks tell of more than tasks now: what has no task's record to send brings its own data along.
alter table webhook_deliveries
  alter column task_id drop not null,
  add column event text not null default 'task.finished',
  add column data jsonb,
  add check ((task_id is null) = (data is not null));
create index webhook_deliveries_of_account on webhook_deliveries (account_id, id) where task_id is null;

-- Deliveries of tasks go with their tasks; of the others an account keeps its last ones.
create function trim_deliveries(account int8, kept int4) returns void language sql as $$
  delete from webhook_deliveries
   where account_id = account and task_id is null and id <= (
     select id from webhook_deliveries where account_id = account and task_id is null
      order by id desc offset kept limit 1);
$$;

-- Compares every alert with its balance: fires those that fell below, arms those that rose again. Of several processes
-- that do this at once, one finds the crossing. Gives how many fired.
create function fire_balance_alerts(deliveries_kept int4) returns int4 language plpgsql as $$
declare
  fired int8[];
begin
  with crossed as (
    update balance_alerts a set
        below = not a.below,
        fired_at = case when a.below then a.fired_at else now() end
      from (select b.id, coalesce(l.wallet + l.leased, 0) as available
              from balance_alerts b left join ledgers l on l.id = 'account:' || b.id) as s
     where s.id = a.id and a.below <> (s.available < a.threshold_nanos)
    returning a.id, a.below, a.url, a.threshold_nanos, s.available
  ), told as (
    insert into webhook_deliveries (account_id, url, event, data)
      select c.id, c.url, 'balance.low', jsonb_build_object(
               'account', c.id::text, 'account_name', n.name,
               'threshold_nanos', c.threshold_nanos::text, 'available_nanos', c.available::text)
        from crossed c join accounts n on n.id = c.id where c.below
    returning account_id
  )
  select array_agg(account_id) into fired from told;
  if fired is null then return 0; end if;
  perform trim_deliveries(account, deliveries_kept) from unnest(fired) as f (account);
  perform pg_notify('webhooks', 'due');
  return cardinality(fired);
end
$$;

-- The statement's filters that would otherwise look through all the ticks for a few rows. Partial, so that ticks, which
-- insert thousands, do not pay for them.
create index transfers_funding on transfers (ledger, id) where kind in ('opening', 'credit', 'debit');
create index transfers_tasks on transfers (ledger, id) where kind in ('hold', 'settle', 'release');
create index transfers_loss on transfers (id) include (amount) where from_side = 'loss';

-- The first transfer at or after a moment, give or take what transactions overlapped: ids rise with time, so a search by
-- halves needs no index on the time, which every tick would pay for. Whoever wants it exact asks with some slack.
create function transfer_id_at(moment timestamptz) returns int8 language plpgsql stable as $$
declare
  low int8 := 0;
  high int8 := (select coalesce(max(id), 0) + 1 from transfers);
  middle int8;
  each record;
begin
  while low < high loop
    middle := (low + high) / 2;
    select t.id, t.at into each from transfers t where t.id >= middle order by t.id limit 1;
    if not found or each.at >= moment then
      high := middle;
    else
      low := each.id + 1;
    end if;
  end loop;
  return high;
end
$$;
