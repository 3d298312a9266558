-- The view balance_days_of_transfers once more, over the rows of one statement.
create or replace function sum_balance_days() returns trigger language plpgsql as $$
begin
  insert into balance_days as d
    select substr(ledger, 9)::int8, (at at time zone 'utc')::date,
           coalesce(sum(amount) filter (where from_side = 'funding'), 0),
           coalesce(sum(amount) filter (where to_side = 'funding'), 0),
           coalesce(sum(amount) filter (where kind = 'post' and from_side <> 'loss'), 0),
           coalesce(sum(amount) filter (where kind = 'settle'), 0),
           coalesce(sum(amount) filter (where from_side = 'loss'), 0)
      from moved
     where ledger like 'account:%' and kind <> 'quarantine' and (from_side = 'funding' or to_side in ('funding', 'revenue'))
     group by 1, 2 order by 1, 2
  on conflict (account_id, day) do update set
    credited_nanos = d.credited_nanos + excluded.credited_nanos, debited_nanos = d.debited_nanos + excluded.debited_nanos,
    text_nanos = d.text_nanos + excluded.text_nanos, task_nanos = d.task_nanos + excluded.task_nanos,
    absorbed_nanos = d.absorbed_nanos + excluded.absorbed_nanos;
  return null;
end
$$;
