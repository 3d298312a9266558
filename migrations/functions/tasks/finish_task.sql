-- Moves a claimed task to its final state with all that follows: money, usage log, webhook, word to those who wait.
-- facts: {"state", "fail_reason", "reason", "charge": "<nanos>"?, "media": used units, "estimated", "raw"?,
-- "late_ms": when to poll for a late success?}. False = the claim is over or the task was final before.
-- The usage is written before the hold is resolved, since sums are locked before ledgers.
create or replace function finish_task(finished_id text, claim int8, facts jsonb, result_text text)
returns boolean language plpgsql as $$
declare
  task tasks;
  fact record;
begin
  select * into fact from jsonb_to_record(facts) as f (
    state text, fail_reason text, reason text, charge int8, media jsonb, estimated boolean, raw jsonb, late_ms int8);
  update tasks t set
      state = fact.state,
      progress = 100,
      fail_reason = fact.fail_reason,
      result = result_text,
      immediate_result = null,
      charge_nanos = least(coalesce(fact.charge, 0), t.hold_nanos),
      started_at = case when fact.state = 'SUCCESS' then coalesce(t.started_at, t.intended_at, t.accepted_at) else t.started_at end,
      finished_at = greatest(now(), t.started_at, t.accepted_at),
      due_at = now() + fact.late_ms * interval '1 ms',
      fence = t.fence + 1,
      polls = 0
    where t.id = finished_id and t.fence = claim and t.finished_at is null
    returning * into task;
  if not found then return false; end if;
  perform ensure_usage_day();
  insert into usage (
    request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, upstream, upstream_model, status,
    reason, attempts, total_ms, estimated, hostile, media, raw, price_id, rates, factor_ppm, hold_nanos, charge_nanos,
    ledgers, losses, journal, tags)
  values (
    task.request_id, task.accepted_at, task.finished_at, task.account_id, task.key_id, task.model, task.medium || 's',
    false, task.upstream_name, task.upstream_model, 200, fact.reason, task.submit_attempts + (task.upstream_id is not null)::int4,
    least(extract(epoch from task.finished_at - task.accepted_at) * 1000, 2147483647)::int4, fact.estimated, '{}',
    fact.media, fact.raw, task.price_id, task.rates, task.factor_ppm, task.hold_nanos, task.charge_nanos,
    task.ledgers, '{}', 'tasks', task.tags);
  perform resolve_hold('task:' || task.id, task.ledgers, task.hold_nanos,
    case when task.state = 'SUCCESS' then task.charge_nanos end);
  if task.webhook_url is not null then
    insert into webhook_deliveries (task_id, account_id, url) values (task.id, task.account_id, task.webhook_url);
    perform pg_notify('webhooks', 'due');
  end if;
  perform pg_notify('tasks', 'done ' || task.id);
  return true;
end
$$;
