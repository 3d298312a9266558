-- Compares every alert with its balance: fires those that fell below, arms those that rose again. Of several processes
-- that do this at once, one finds the crossing. Gives how many fired.
create or replace function fire_balance_alerts(deliveries_kept int4) returns int4 language plpgsql as $$
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
    returning a.id, a.below, a.url, a.emails, a.threshold_nanos, s.available
  ), told as (
    insert into webhook_deliveries (account_id, url, format, event, data)
      select c.id, t.url, t.format, 'balance.low', jsonb_build_object(
               'account', c.id::text, 'account_name', n.name,
               'threshold_nanos', c.threshold_nanos::text, 'available_nanos', c.available::text)
        from crossed c join accounts n on n.id = c.id,
             lateral (select c.url, 'signed' as format where c.url is not null
                      union all select 'mailto:' || e.address, 'email' from unnest(c.emails) as e (address)) as t
       where c.below
    returning account_id
  )
  select array_agg(distinct account_id) into fired from told;
  if fired is null then return 0; end if;
  perform trim_deliveries(account, deliveries_kept) from unnest(fired) as f (account);
  perform pg_notify('webhooks', 'due');
  return cardinality(fired);
end
$$;
