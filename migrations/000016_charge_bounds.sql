-- A charge is never above its hold. What a request costs beyond it, the hold grows by before the end is written, as far
-- as there is money in every ledger together; the rest is written off.
alter table usage
  -- Null where the program did not know of it yet: such a charge may be above its hold.
  add column written_off_nanos int8 check (written_off_nanos >= 0),
  -- Counts that the vendor reported and that are not possible: [{"field", "reported", "most"}, ...]
  add column implausible jsonb;

-- As before, with a thirtieth field and three more in an end line: what was held in the end, what is written off, and
-- what is not possible.
create or replace function insert_usage_rows(spool_id text, numbers int8[], lines text[]) returns ledger_charge[] language sql as $$
  with inserted as (
    insert into usage (
      request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, upstream, upstream_model,
      status, reason, error_code, attempts, first_byte_ms, total_ms, estimated, hostile,
      input_uncached, cache_read, cache_write_5m, cache_write_1h, output_visible, output_reasoning, raw,
      price_id, rates, factor_ppm, hold_nanos, charge_nanos, ledgers, losses, spool, line,
      written_off_nanos, implausible)
    select
      f[3], to_timestamp(f[1]::int8 / 1000.0), to_timestamp(f[2]::int8 / 1000.0), f[4]::int8, f[5]::int8, f[6], f[10],
      f[11]::boolean, f[14], f[15], f[16]::int4, f[17], null::text, f[18]::int4, f[19]::int4, f[20]::int4,
      f[21]::boolean, '{}'::text[], f[22]::int4, f[23]::int4, f[24]::int4, f[25]::int4, f[26]::int4, f[27]::int4,
      f[28]::jsonb, f[7]::int8, f[8]::jsonb, f[9]::int8, f[12]::int8, f[29]::int8, string_to_array(f[13], ','),
      '{}'::text[], spool_id, l.number, f[30]::int8, null::jsonb
      from unnest(numbers, lines) as l (number, line), string_to_array(l.line, E'\t', '') as f
     where l.line not like '{%'
    union all
    select
      b.request, to_timestamp(b.at / 1000.0), to_timestamp(e.at / 1000.0), b.account, b.key, b.model, b.endpoint,
      b.streamed, e.upstream, e.upstream_model, e.status, e.reason, e.error_code, e.attempts, e.first_byte_ms,
      e.total_ms, coalesce(e.estimated, false), coalesce(e.hostile, '{}'),
      (e.usage ->> 'inputUncached')::int4, (e.usage ->> 'cacheRead')::int4, (e.usage ->> 'cacheWrite5m')::int4,
      (e.usage ->> 'cacheWrite1h')::int4, (e.usage ->> 'outputVisible')::int4, (e.usage ->> 'outputReasoning')::int4,
      e.raw, b.price, coalesce(e.rates, b.rates), b.factor, coalesce(e.hold, b.hold), e.charge, b.ledgers, coalesce(e.losses, '{}'), spool_id, l.number,
      coalesce(e.written_off, case when e.charge <= coalesce(e.hold, b.hold) then 0 end), e.implausible
      from unnest(numbers, lines) as l (number, line),
           jsonb_to_record(split_part(l.line, E'\t', 1)::jsonb) as b (
             at int8, request text, account int8, key int8, model text, endpoint text, streamed boolean,
             price int8, rates jsonb, factor int8, hold int8, ledgers text[]),
           jsonb_to_record(split_part(l.line, E'\t', 2)::jsonb) as e (
             at int8, upstream text, upstream_model text, status int4, reason text, error_code text, attempts int4,
             first_byte_ms int4, total_ms int4, estimated boolean, hostile text[], usage jsonb, raw jsonb,
             charge int8, losses text[], rates jsonb, hold int8, written_off int8, implausible jsonb)
     where l.line like '{%'
    returning account_id, ledgers, charge_nanos
  )
  select coalesce(array_agg((c.ledger, c.account_id, c.charge)::ledger_charge), '{}') from (
    select l.ledger, i.account_id, sum(i.charge_nanos)::int8 as charge
      from inserted i, unnest(i.ledgers) as l (ledger) group by 1, 2
  ) as c;
$$;

-- As before, with one more wish of a purse, "grow": "<nanos>", granted before the wants as far as the wallet has it.
create or replace function move_purses(own spools, charges ledger_charge[], asks jsonb) returns text[] language plpgsql as $$
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
           coalesce(p.grow, 0) as grow, coalesce(p.wants, '{}') as wants, coalesce(p.ahead, 0) as ahead
      from ledgers a
      left join leases l on l.spool = own.id and l.ledger = a.id
      left join (select ledger, sum(charge)::int8 as charge from unnest(charges) group by ledger) c on c.ledger = a.id
      left join jsonb_to_recordset(asks) as p
        (ledger text, allowance int8, give int8, recall_seen boolean, grow int8, wants int8[], ahead int8) on p.ledger = a.id
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
      -- An answer that is made already comes before those that are asked for, and takes what there is.
      granted := least(each.grow, wallet);
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
