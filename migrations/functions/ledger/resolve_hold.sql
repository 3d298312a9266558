-- Resolves a hold: charges so much of it and gives back the rest; a charge of null releases it. The key "end"
-- exists once for each hold and ledger, so that a second resolution breaks transfers_key_unique.
create or replace function resolve_hold(holder text, ledger_ids text[], held_nanos int8, charged_nanos int8)
returns void language plpgsql as $$
declare
  each record;
  charged int8 := coalesce(charged_nanos, 0);
  kind text := case when charged_nanos is null then 'release' else 'settle' end;
begin
  if held_nanos = 0 then return; end if;
  perform from ledgers where id = any(ledger_ids) order by id for update;
  for each in select l.id, l.kind from ledgers l where l.id = any(ledger_ids) order by l.id loop
    if charged > 0 then
      perform transfer_money(each.id, holder || ':end:' || each.id, kind, 'held',
        case each.kind when 'balance' then 'revenue' else 'spent' end, charged, holder);
    end if;
    if charged < held_nanos then
      perform transfer_money(each.id, holder || case when charged > 0 then ':rest:' else ':end:' end || each.id, kind,
        'held', 'wallet', held_nanos - charged, holder);
      perform pg_notify('money', 'room ' || each.id);
    end if;
  end loop;
end
$$;
