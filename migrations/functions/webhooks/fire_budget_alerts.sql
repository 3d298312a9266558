-- Compares what each budget has counted in its running period with its percentages and fires those reached for the first
-- time; a refused request makes a hard budget's ledger one of the exhausted, which have reached 100. Of several processes that do this
-- at once, one writes the row of an alert. Gives how many fired.
create or replace function fire_budget_alerts(exhausted text[], deliveries_kept int4) returns int4 language plpgsql as $$
declare
  fired int8[];
  alerts int4;
begin
  with running as (
    select b.*, date_trunc(b.period, now() at time zone 'utc')::date as period_start from budgets b
     where cardinality(b.alert_percents) > 0
  ), counted as (
    select r.*, l.allowance - l.wallet - l.leased - l.held as spent, l.id = any(exhausted) and r.hard as is_exhausted
      from running r join ledgers l on l.id = 'budget:' || r.id || ':' || r.period || ':' || r.period_start
  ), reached as (
    insert into budget_alerts (budget_id, period, period_start, percent)
      select c.id, c.period, c.period_start, p.percent
        from counted c, unnest(c.alert_percents) as p (percent)
       where c.spent::numeric * 100 >= c.amount_nanos::numeric * p.percent or c.is_exhausted and p.percent <= 100
    on conflict do nothing
    returning budget_id, percent
  ), told as (
    -- One message if several percentages are reached at once: the highest.
    insert into webhook_deliveries (account_id, url, format, event, data)
      select c.account_id, t.url, t.format, 'budget.reached', jsonb_build_object(
               'budget', c.id::text, 'budget_name', c.name, 'account', c.account_id::text, 'account_name', a.name,
               'percent', r.percent, 'spent_nanos', c.spent::text, 'amount_nanos', c.amount_nanos::text,
               'period', c.period, 'period_start', c.period_start, 'hard', c.hard)
        from (select budget_id, max(percent) as percent from reached group by budget_id) as r
        join counted c on c.id = r.budget_id
        join accounts a on a.id = c.account_id,
             jsonb_to_recordset(c.alert_targets) as t (format text, url text)
    returning account_id
  )
  select (select count(*) from reached), (select array_agg(distinct account_id) from told) into alerts, fired;
  if alerts > 0 then
    delete from budget_alerts where period_start < now() - interval '70 days';
  end if;
  if fired is not null then
    perform trim_deliveries(account, deliveries_kept) from unnest(fired) as f (account);
    perform pg_notify('webhooks', 'due');
  end if;
  return alerts;
end
$$;
