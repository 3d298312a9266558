-- Steps (3) to (5) of a flush: takes the charges (from the lease, then the wallet, then the platform), takes what is
-- released, and grants the growth of made responses as far as the wallet has it, then the longest prefix of the demands
-- that fits, plus a prefetch. Gives the ledgers concerned.
create or replace function move_leases(own journals, charges ledger_charge[], deltas jsonb) returns text[] language plpgsql as $$
declare
  reference text := 'flush:' || own.id || ':' || own.flush_number;
  each record;
  ids text[];
  -- Per ledger, changed in the end by one statement each.
  wallets int8[]; leaseds int8[]; leases_after int8[]; allowances int8[]; reclaimeds boolean[];
  short text[] := '{}'; roomy text[] := '{}';
  moved transfer_part[] := '{}';
  wallet int8; lease int8; part int8; rest int8; demand int8; granted int8; fits boolean; platform text; income text;
begin
  perform open_ledgers(array_agg(n.ledger), array_agg(n.account_id)) from (
    select distinct on (c.ledger) c.ledger, c.account_id
      from (select ledger, account_id from unnest(charges)
            union all select a.ledger, a.account from jsonb_to_recordset(deltas) as a (ledger text, account int8)) as c
  ) as n;
  select array_agg(l.id) into ids from (
    select id from ledgers
     where id in (select ledger from unnest(charges) union select a.ledger from jsonb_to_recordset(deltas) as a (ledger text))
     order by id for update
  ) as l;
  if ids is null then return '{}'; end if;

  for each in
    select a.id, a.kind, a.wallet, a.leased, a.allowance,
           coalesce(l.amount, 0) as lease, coalesce(l.reclaimed, false) as reclaimed, coalesce(c.charge, 0) as charge,
           p.allowance as allowed, coalesce(p.release, 0) as release, coalesce(p.answers_reclaim, false) as answers_reclaim,
           coalesce(p.grow, 0) as grow, coalesce(p.demands, '{}') as demands, coalesce(p.prefetch, 0) as prefetch
      from ledgers a
      left join leases l on l.journal = own.id and l.ledger = a.id
      left join (select ledger, sum(charge)::int8 as charge from unnest(charges) group by ledger) c on c.ledger = a.id
      left join jsonb_to_recordset(deltas) as p
        (ledger text, allowance int8, release int8, answers_reclaim boolean, grow int8, demands int8[], prefetch int8) on p.ledger = a.id
     where a.id = any(ids)
     order by a.id
  loop
    wallet := each.wallet;
    lease := each.lease;
    platform := case each.kind when 'balance' then 'loss' else 'excess' end;
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
    if rest > 0 then moved := moved || (each.id, 'post', platform, income, rest)::transfer_part; end if;

    part := least(each.release, lease);
    if part > 0 then
      moved := moved || (each.id, 'return', 'leased', 'wallet', part)::transfer_part;
      -- A process that reclaimed it, or will soon, is waiting.
      if each.reclaimed then roomy := roomy || each.id; end if;
    end if;
    lease := lease - part;
    wallet := wallet + part;

    if not own.closed then
      -- A response that is complete already comes before requests that are waiting, and takes what there is.
      granted := least(each.grow, wallet);
      fits := true;
      foreach demand in array each.demands loop
        fits := demand <= wallet - granted;
        exit when not fits;
        granted := granted + demand;
      end loop;
      if fits then
        -- A quarter of what remains at most, so that other processes find some without a reclaim.
        granted := granted + least(each.prefetch, (wallet - granted) / 4);
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
    reclaimeds := reclaimeds || (each.reclaimed and not each.answers_reclaim);
  end loop;

  insert into transfers (key, kind, ledger, from_side, to_side, amount, reference)
    select reference || ':' || m.ledger || ':' || m.kind || ':' || m.from_side, m.kind, m.ledger, m.from_side, m.to_side, m.amount, reference
      from unnest(moved) as m;
  update ledgers a set wallet = n.wallet, leased = n.leased, allowance = n.allowance
    from unnest(ids, wallets, leaseds, allowances) as n (id, wallet, leased, allowance)
   where a.id = n.id and (a.wallet, a.leased, a.allowance) <> (n.wallet, n.leased, n.allowance);
  delete from leases l using unnest(ids, leases_after) as n (ledger, amount)
   where l.journal = own.id and l.ledger = n.ledger and n.amount = 0;
  insert into leases as l (journal, ledger, amount, reclaimed)
    select own.id, n.ledger, n.amount, n.reclaimed
      from unnest(ids, leases_after, reclaimeds) as n (ledger, amount, reclaimed) where n.amount > 0
  on conflict (journal, ledger) do update set amount = excluded.amount, reclaimed = excluded.reclaimed
    where (l.amount, l.reclaimed) <> (excluded.amount, excluded.reclaimed);

  if short <> '{}' then perform reclaim_leases(short, own.id); end if;
  perform pg_notify('money', 'room ' || ledger) from unnest(roomy) as r (ledger);
  return ids;
end
$$;
