-- Accepts a task: its row, its frozen price and its hold, or nothing. Gives
--   accepted | existing (this id or this idempotency key is known; which task it is) | full (too many wait for this
--   model) | what take_hold gives
create or replace function accept_task(facts jsonb, order_text text, ledger_ids text[], allowances int8[])
returns table (outcome text, task_id text) language plpgsql as $$
declare
  wanted record;
begin
  select * into wanted from jsonb_to_record(facts) as f (
    id text, request text, account int8, key int8, group_name text, medium text, family text, model text, action text,
    units jsonb, open_ended boolean, violation text, deadline_ms int8, price int8, rates jsonb, factor int8, hold int8,
    idempotency_key text, body_digest text, webhook_url text, max_waiting int8, tags text[]);
  perform open_ledgers(ledger_ids, array_fill(wanted.account, array[cardinality(ledger_ids)]));
  -- From here on submits of one account take turns, so that none misses another's idempotency key.
  perform from ledgers where id = any(ledger_ids) order by id for update;
  select t.id into task_id from tasks t
   where t.id = wanted.id or (t.account_id = wanted.account and t.idempotency_key = wanted.idempotency_key);
  if found then
    outcome := 'existing';
    return next;
    return;
  end if;
  if wanted.violation is null and wanted.max_waiting <= (select count(*) from (
       select from tasks t where t.model = wanted.model and t.intended_at is null and t.state = 'NOT_START'
       limit wanted.max_waiting) as waiting) then
    outcome := 'full';
    return next;
    return;
  end if;
  outcome := take_hold('task:' || wanted.id, ledger_ids, allowances, wanted.hold);
  if outcome = 'done' then
    insert into tasks (
      id, request_id, account_id, key_id, group_name, medium, family, model, action, order_json, units, open_ended,
      violation, deadline_at, price_id, rates, factor_ppm, hold_nanos, ledgers, idempotency_key, body_digest, webhook_url,
      tags)
    values (
      wanted.id, wanted.request, wanted.account, wanted.key, wanted.group_name, wanted.medium, wanted.family, wanted.model, wanted.action,
      order_text, wanted.units, wanted.open_ended, wanted.violation, now() + wanted.deadline_ms * interval '1 ms', wanted.price,
      wanted.rates, wanted.factor, wanted.hold, ledger_ids, wanted.idempotency_key, wanted.body_digest, wanted.webhook_url, wanted.tags);
    perform pg_notify('tasks', 'due');
    outcome := 'accepted';
    task_id := wanted.id;
  end if;
  return next;
end
$$;
