-- The purses of text requests. A process owns one spool; a lease is what that process may spend of one
-- ledger without asking. Requests never touch these rows: one tick at a time does, for all of them.

create table spools (
  -- Drawn by the process.
  id text primary key,
  -- Raised by every tick and by whoever closes the spool: a statement that does not know the current
  -- number changes nothing.
  tick int8 not null default 0,
  -- Watermark: lines up to here are in the usage log, as a unique request id cannot stand on a partitioned table.
  posted int8 not null default 0,
  -- Can still be posted, never leased.
  closed boolean not null default false,
  -- Who it is, for people.
  label text not null,
  opened_at timestamptz not null default now(),
  closed_at timestamptz
) with (fillfactor = 50);
create index spools_open on spools (id) where not closed;

create table leases (
  spool text not null references spools (id),
  ledger text collate "C" not null,
  amount int8 not null check (amount > 0),
  -- Somebody else needs it: the owner gives back what it does not hold.
  recalled boolean not null default false,
  primary key (spool, ledger)
) with (fillfactor = 70);
create index leases_ledger on leases (ledger);
create index leases_recalled on leases (spool) where recalled;

-- Lines the database refuses. The house bears the hold, and somebody should look.
create table quarantined_lines (
  spool text not null,
  line int8 not null,
  ledger text not null,
  hold_nanos int8 not null,
  begin_line text not null,
  end_line text not null,
  refusal text not null,
  at timestamptz not null default now(),
  primary key (spool, line)
);

-- Asks every process but one for what it does not hold of these ledgers.
create function recall_leases(ledger_ids text[], except_spool text) returns void language sql as $$
  with recalled as (
    update leases set recalled = true
     where ledger = any(ledger_ids) and spool <> except_spool and not recalled
     returning ledger
  )
  select pg_notify('money', 'recall ' || ledger || ' ' || except_spool) from (select distinct ledger from recalled) as each;
$$;

-- What lines charge to one ledger, and one movement of a tick.
create type ledger_charge as (ledger text, account_id int8, charge int8);
create type transfer_part as (ledger text, kind text, from_side text, to_side text, amount int8);

-- What a process believes of its spool; the first row has no ledger.
create type spool_row as (
  tick int8, posted int8, closed boolean, applied boolean,
  ledger text, lease int8, recalled boolean, wallet int8, leased int8);

create function read_spool(spool_id text) returns setof spool_row language sql stable as $$
  select tick, posted, closed, false, null, null::int8, null::boolean, null::int8, null::int8 from spools where id = spool_id
  union all
  select null, null, null, null, l.ledger, l.amount, l.recalled, a.wallet, a.leased
    from leases l join ledgers a on a.id = l.ledger where l.spool = spool_id;
$$;

-- One tick, steps (1) to (6). What a purse asks:
--   {"ledger", "account", "allowance"?, "give": "<nanos>", "recall_seen": bool, "wants": ["<nanos>", ...], "ahead": "<nanos>"}
-- Gives the spool and the purses that were named, charged or recalled; where the tick has moved it
-- changes nothing and gives everything.
create function tick_spool(
  spool_id text, expected_tick int8, posted_upto int8,
  numbers int8[], balances text[], holds int8[], begin_lines text[], end_lines text[],
  interrupted_lines text[], asks jsonb
) returns setof spool_row language plpgsql as $$
declare
  own spools;
  charges ledger_charge[];
  touched text[];
begin
  -- (1)
  update spools set tick = tick + 1 where id = spool_id and tick = expected_tick returning * into own;
  if not found then
    return query select * from read_spool(spool_id);
    return;
  end if;
  -- (2)
  perform ensure_usage_day();
  charges := log_lines(own.id, own.posted, numbers, balances, holds, begin_lines, end_lines);
  perform log_interrupted(own.id, interrupted_lines);
  own.posted := greatest(own.posted, posted_upto);
  update spools set posted = own.posted where id = spool_id and posted <> own.posted;
  -- (3) (4) (5)
  touched := move_purses(own, charges, asks);
  -- (6)
  return query
    select own.tick, own.posted, own.closed, true, null::text, null::int8, null::boolean, null::int8, null::int8;
  return query
    select null::int8, null::int8, null::boolean, null::boolean, a.id, coalesce(l.amount, 0), coalesce(l.recalled, false), a.wallet, a.leased
      from ledgers a left join leases l on l.spool = spool_id and l.ledger = a.id
     where a.id = any(touched || array(select r.ledger from leases r where r.spool = spool_id and r.recalled));
end
$$;

-- Takes the charges (from the lease, then the wallet, then the house), takes what is given back, and
-- grants the longest prefix of the wants that fits, plus something ahead. Gives the ledgers concerned.
create function move_purses(own spools, charges ledger_charge[], asks jsonb) returns text[] language plpgsql as $$
declare
  reference text := 'tick:' || own.id || ':' || own.tick;
  each record;
  ids text[];
  -- Per ledger, changed in the end by one statement each.
  wallets int8[]; leaseds int8[]; leases_after int8[]; allowances int8[]; recalleds boolean[];
  short text[] := '{}'; roomy text[] := '{}';
  moved transfer_part[] := '{}';
  wallet int8; lease int8; part int8; rest int8; want int8; granted int8; fits boolean; house text; income text;
begin
  perform open_ledgers(array_agg(n.ledger), array_agg(n.account_id)) from (
    select distinct on (c.ledger) c.ledger, c.account_id
      from (select ledger, account_id from unnest(charges)
            union all select a.ledger, a.account from jsonb_to_recordset(asks) as a (ledger text, account int8)) as c
  ) as n;
  select array_agg(l.id) into ids from (
    select id from ledgers
     where id in (select ledger from unnest(charges) union select a.ledger from jsonb_to_recordset(asks) as a (ledger text))
     order by id for update
  ) as l;
  if ids is null then return '{}'; end if;

  for each in
    select a.id, a.kind, a.wallet, a.leased, a.allowance,
           coalesce(l.amount, 0) as lease, coalesce(l.recalled, false) as recalled, coalesce(c.charge, 0) as charge,
           p.allowance as allowed, coalesce(p.give, 0) as give, coalesce(p.recall_seen, false) as recall_seen,
           coalesce(p.wants, '{}') as wants, coalesce(p.ahead, 0) as ahead
      from ledgers a
      left join leases l on l.spool = own.id and l.ledger = a.id
      left join (select ledger, sum(charge)::int8 as charge from unnest(charges) group by ledger) c on c.ledger = a.id
      left join jsonb_to_recordset(asks) as p
        (ledger text, allowance int8, give int8, recall_seen boolean, wants int8[], ahead int8) on p.ledger = a.id
     where a.id = any(ids)
     order by a.id
  loop
    wallet := each.wallet;
    lease := each.lease;
    house := case each.kind when 'balance' then 'loss' else 'excess' end;
    income := case each.kind when 'balance' then 'revenue' else 'spent' end;

    -- A limit is funded at first use and follows its key's limit from then on, as far as money is there.
    if each.allowed is not null and each.allowed <> each.allowance then
      part := greatest(each.allowed - each.allowance, -wallet);
      if part > 0 then
        moved := moved || (each.id, 'allowance', 'allowance', 'wallet', part)::transfer_part;
      elsif part < 0 then
        moved := moved || (each.id, 'allowance', 'wallet', 'allowance', -part)::transfer_part;
      end if;
      wallet := wallet + part;
      each.allowance := each.allowance + part;
    end if;

    rest := each.charge;
    part := least(rest, lease);
    if part > 0 then moved := moved || (each.id, 'post', 'leased', income, part)::transfer_part; end if;
    lease := lease - part;
    rest := rest - part;
    part := least(rest, wallet);
    if part > 0 then moved := moved || (each.id, 'post', 'wallet', income, part)::transfer_part; end if;
    wallet := wallet - part;
    rest := rest - part;
    if rest > 0 then moved := moved || (each.id, 'post', house, income, rest)::transfer_part; end if;

    part := least(each.give, lease);
    if part > 0 then
      moved := moved || (each.id, 'return', 'leased', 'wallet', part)::transfer_part;
      -- Whoever recalled it, or will soon, is waiting.
      if each.recalled then roomy := roomy || each.id; end if;
    end if;
    lease := lease - part;
    wallet := wallet + part;

    if not own.closed then
      granted := 0;
      fits := true;
      foreach want in array each.wants loop
        fits := want <= wallet - granted;
        exit when not fits;
        granted := granted + want;
      end loop;
      if fits then
        -- A quarter of what remains at most, so that other processes find some without a recall.
        granted := granted + least(each.ahead, (wallet - granted) / 4);
      else
        short := short || each.id;
      end if;
      if granted > 0 then moved := moved || (each.id, 'lease', 'wallet', 'leased', granted)::transfer_part; end if;
      lease := lease + granted;
      wallet := wallet - granted;
    end if;

    wallets := wallets || wallet;
    leaseds := leaseds || (each.leased - each.lease + lease);
    leases_after := leases_after || lease;
    allowances := allowances || each.allowance;
    recalleds := recalleds || (each.recalled and not each.recall_seen);
  end loop;

  insert into transfers (key, kind, ledger, from_side, to_side, amount, reference)
    select reference || ':' || m.ledger || ':' || m.kind || ':' || m.from_side, m.kind, m.ledger, m.from_side, m.to_side, m.amount, reference
      from unnest(moved) as m;
  update ledgers a set wallet = n.wallet, leased = n.leased, allowance = n.allowance
    from unnest(ids, wallets, leaseds, allowances) as n (id, wallet, leased, allowance)
   where a.id = n.id and (a.wallet, a.leased, a.allowance) <> (n.wallet, n.leased, n.allowance);
  delete from leases l using unnest(ids, leases_after) as n (ledger, amount)
   where l.spool = own.id and l.ledger = n.ledger and n.amount = 0;
  insert into leases as l (spool, ledger, amount, recalled)
    select own.id, n.ledger, n.amount, n.recalled
      from unnest(ids, leases_after, recalleds) as n (ledger, amount, recalled) where n.amount > 0
  on conflict (spool, ledger) do update set amount = excluded.amount, recalled = excluded.recalled
    where (l.amount, l.recalled) <> (excluded.amount, excluded.recalled);

  if short <> '{}' then perform recall_leases(short, own.id); end if;
  perform pg_notify('money', 'room ' || ledger) from unnest(roomy) as r (ledger);
  return ids;
end
$$;

-- Closes a spool whose owner is gone or going: its leases return. Gives whether it did.
create function close_spool(spool_id text, expected_tick int8) returns boolean language plpgsql as $$
declare
  ids text[];
  reference text := 'close:' || spool_id;
begin
  update spools set tick = tick + 1, closed = true, closed_at = now()
    where id = spool_id and tick = expected_tick and not closed;
  if not found then return false; end if;
  select array_agg(a.id) into ids from (
    select id from ledgers where id in (select ledger from leases where spool = spool_id) order by id for update
  ) as a;
  insert into transfers (key, kind, ledger, from_side, to_side, amount, reference)
    select reference || ':' || l.ledger, 'return', l.ledger, 'leased', 'wallet', l.amount, reference
      from leases l where l.spool = spool_id;
  update ledgers a set wallet = a.wallet + l.amount, leased = a.leased - l.amount
    from leases l where l.spool = spool_id and a.id = l.ledger;
  perform pg_notify('money', 'room ' || ledger) from leases where spool = spool_id and recalled;
  delete from leases where spool = spool_id;
  return true;
end
$$;
