-- Takes an amount from every ledger's wallet or from none:
--   done
--   reclaiming           the money is there but leased to processes, which have been asked for it: try again soon
--   insufficient <id>    that ledger has less, leases included, and the least of all
create or replace function take_hold(holder text, ledger_ids text[], allowances int8[], amount_nanos int8)
returns text language plpgsql as $$
declare
  each record;
  part int8;
  short text[] := '{}';
  least_id text;
  least int8 := amount_nanos;
begin
  perform from ledgers where id = any(ledger_ids) order by id for update;
  for each in
    select l.id, l.wallet, l.leased, l.allowance, n.allowance as allowed
      from ledgers l join unnest(ledger_ids, allowances) as n (ledger, allowance) on n.ledger = l.id order by l.id
  loop
    -- As in a flush: a limit is funded at first use and follows its key's limit, as far as money is there.
    part := greatest(coalesce(each.allowed, each.allowance) - each.allowance, -each.wallet);
    if each.allowed is not null and part <> 0 then
      perform transfer_money(each.id, holder || ':allowance:' || gen_random_uuid(), 'allowance',
        case when part > 0 then 'allowance' else 'wallet' end, case when part > 0 then 'wallet' else 'allowance' end,
        abs(part), holder);
      update ledgers set allowance = allowance + part where id = each.id;
      each.wallet := each.wallet + part;
    end if;
    if each.wallet + each.leased < least then
      least := each.wallet + each.leased;
      least_id := each.id;
    end if;
    if each.wallet < amount_nanos then short := short || each.id; end if;
  end loop;
  if least_id is not null then return 'insufficient ' || least_id; end if;
  if short <> '{}' then
    perform reclaim_leases(short, '');
    return 'reclaiming';
  end if;
  if amount_nanos > 0 then
    perform transfer_money(l.id, holder || ':hold:' || l.id, 'hold', 'wallet', 'held', amount_nanos, holder)
      from unnest(ledger_ids) as l (id) order by l.id;
  end if;
  return 'done';
end
$$;
