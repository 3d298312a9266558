-- Pictures and videos. A task's row is its place in the queue, its record and what its money was taken for.

-- How far a task is; it only ever moves up.
create function task_rank(state text) returns int4 language sql immutable parallel safe as $$
  select array_position(array['NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'], state);
$$;

create table tasks (
  id text primary key,
  -- Of the submit; receipts are found by it.
  request_id text not null,
  account_id int8 not null references accounts (id),
  key_id int8 not null,
  -- Of the account at acceptance: whose upstreams may serve it.
  group_name text not null,
  medium text not null check (medium in ('image', 'video')),
  family text not null,
  model text not null,
  action text not null check (action in ('generate', 'textGenerate')),
  -- MediaOrder as JSON. Text, because a prompt may hold what jsonb refuses (U+0000, half a surrogate pair).
  order_json text not null,
  -- MediaUnits that the hold covers; open_ended: the model chooses the duration, these are the longest.
  units jsonb not null,
  open_ended boolean not null,
  -- Why it must fail without an upstream call.
  violation text,

  state text not null default 'NOT_START' check (task_rank(state) is not null),
  progress int4 not null default 0 check (progress between 0 and 100),
  fail_reason text not null default '',
  accepted_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  -- TaskResult as JSON; late: of a task that had failed and was refunded before.
  result text,
  late_result text,

  deadline_at timestamptz not null,
  -- The queue: when a worker should look at it next; null = nothing is left to do. A claim moves it to the end of
  -- the claim's lease, so that a task whose worker died comes up again by itself.
  due_at timestamptz default now(),
  -- Raised by every claim and by every end of one: whoever does not know it changes nothing but upstream_task and made.
  fence int8 not null default 0,
  -- Rounds through the upstreams in which none took it, and looks at it since it was submitted or failed.
  rounds int4 not null default 0,
  looks int4 not null default 0,

  -- Where it is made: exactly there it is asked for, whatever is disabled meanwhile. No foreign keys, as what is
  -- removed from the catalog must not take the record along.
  upstream_id int8,
  credential_id int8,
  upstream_name text,
  upstream_model text,
  -- Committed before the upstream is called: with this and without an answer nobody knows whether a task exists there.
  intended_at timestamptz,
  -- What the upstream answered, set once by whoever has it: its id for the task, or (made) the result itself.
  upstream_task text,
  made text,

  -- Frozen at acceptance: the price row, its rates ({"perImage": {"1k": "<nanos>"}}), the group's factor.
  price_id int8 not null,
  rates jsonb not null,
  factor_ppm int8 not null,
  hold_nanos int8 not null check (hold_nanos >= 0),
  -- Every ledger that holds it: the balance and the limits that apply.
  ledgers text[] not null,
  charge_nanos int8 check (charge_nanos between 0 and hold_nanos),

  idempotency_key text,
  body_digest text,
  webhook_url text,
  check ((finished_at is null) = (state not in ('SUCCESS', 'FAILURE'))),
  check ((charge_nanos is null) = (finished_at is null))
) with (fillfactor = 60); -- rows change with every look at their upstream
create unique index tasks_idempotency on tasks (account_id, idempotency_key) where idempotency_key is not null;
create index tasks_due on tasks (due_at) where due_at is not null;
create index tasks_waiting on tasks (model) where intended_at is null and state = 'NOT_START';
create index tasks_of_account on tasks (account_id, accepted_at desc);
create index tasks_of_request on tasks (request_id);
create index tasks_finished on tasks (finished_at) where finished_at is not null;

create function refuse_step_back() returns trigger language plpgsql as $$
begin
  raise exception 'task % cannot go from % % to % %', old.id, old.state, old.progress, new.state, new.progress
    using errcode = 'restrict_violation';
end
$$;
-- What a caller saw once stays true, whatever a vendor says later and whatever bug we have.
create trigger tasks_move_forward before update on tasks for each row
  when (old.finished_at is not null
          and (old.state, old.charge_nanos, old.result) is distinct from (new.state, new.charge_nanos, new.result)
        or task_rank(new.state) < task_rank(old.state) or new.progress < old.progress
        or old.upstream_task is not null and old.upstream_task is distinct from new.upstream_task)
  execute function refuse_step_back();

-- A model under a credential of an upstream that answered 429: not asked before then, by any process.
create table task_coolings (
  upstream_id int8 not null,
  credential_id int8 not null,
  upstream_model text not null,
  until timestamptz not null,
  primary key (upstream_id, credential_id, upstream_model)
);

-- What is to be told to a webhook; the body is the task's record, which no longer changes.
create table webhook_deliveries (
  id int8 generated always as identity primary key,
  task_id text not null references tasks (id) on delete cascade,
  account_id int8 not null,
  url text not null,
  created_at timestamptz not null default now(),
  -- As of tasks: a queue with fences.
  due_at timestamptz default now(),
  fence int8 not null default 0,
  attempts int4 not null default 0,
  delivered_at timestamptz,
  unique (task_id)
);
create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null;

-- The log of what became of each attempt.
create table webhook_attempts (
  delivery_id int8 not null references webhook_deliveries (id) on delete cascade,
  attempt int4 not null,
  at timestamptz not null default now(),
  -- Of the answer; null = there was none.
  status int4,
  failure text,
  duration_ms int4 not null,
  primary key (delivery_id, attempt)
);

-- What an account's deliveries are signed with.
create table webhook_secrets (
  id int8 primary key references accounts (id),
  sealed text not null
);

-- What tasks used stands in the usage log beside tokens: {"images": {"1k": 1}, "videoSeconds": {"720p": 5}}.
alter table usage add column media jsonb;

-- Takes an amount from every ledger's wallet or from none:
--   done
--   recalling            the money is there but leased to processes, which have been asked for it: try again soon
--   insufficient <id>    that ledger has less, leases included
create function take_hold(holder text, ledger_ids text[], allowances int8[], amount_nanos int8)
returns text language plpgsql as $$
declare
  each record;
  part int8;
  short text[] := '{}';
begin
  perform from ledgers where id = any(ledger_ids) order by id for update;
  for each in
    select l.id, l.wallet, l.leased, l.allowance, n.allowance as allowed
      from ledgers l join unnest(ledger_ids, allowances) as n (ledger, allowance) on n.ledger = l.id order by l.id
  loop
    -- As in a tick: a limit is funded at first use and follows its key's limit, as far as money is there.
    part := greatest(coalesce(each.allowed, each.allowance) - each.allowance, -each.wallet);
    if each.allowed is not null and part <> 0 then
      perform transfer_money(each.id, holder || ':allowance:' || gen_random_uuid(), 'allowance',
        case when part > 0 then 'allowance' else 'wallet' end, case when part > 0 then 'wallet' else 'allowance' end,
        abs(part), holder);
      update ledgers set allowance = allowance + part where id = each.id;
      each.wallet := each.wallet + part;
    end if;
    if each.wallet + each.leased < amount_nanos then return 'insufficient ' || each.id; end if;
    if each.wallet < amount_nanos then short := short || each.id; end if;
  end loop;
  if short <> '{}' then
    perform recall_leases(short, '');
    return 'recalling';
  end if;
  if amount_nanos > 0 then
    perform transfer_money(l.id, holder || ':hold:' || l.id, 'hold', 'wallet', 'held', amount_nanos, holder)
      from unnest(ledger_ids) as l (id) order by l.id;
  end if;
  return 'done';
end
$$;

-- Resolves a hold: charges so much of it and gives back the rest; a charge of null releases it. The key "end"
-- exists once for each hold and ledger, so that a second resolution breaks transfers_key_unique.
create function resolve_hold(holder text, ledger_ids text[], held_nanos int8, charged_nanos int8)
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

-- Accepts a task: its row, its frozen price and its hold, or nothing. Gives
--   accepted | existing (this id or this idempotency key is known; which task it is) | full (too many wait for this
--   model) | what take_hold gives
create function accept_task(facts jsonb, order_text text, ledger_ids text[], allowances int8[])
returns table (outcome text, task_id text) language plpgsql as $$
declare
  wanted record;
begin
  select * into wanted from jsonb_to_record(facts) as f (
    id text, request text, account int8, key int8, group_name text, medium text, family text, model text, action text,
    units jsonb, open_ended boolean, violation text, deadline_ms int8, price int8, rates jsonb, factor int8, hold int8,
    idempotency_key text, body_digest text, webhook_url text, most_waiting int8);
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
  if wanted.violation is null and wanted.most_waiting <= (select count(*) from (
       select from tasks t where t.model = wanted.model and t.intended_at is null and t.state = 'NOT_START'
       limit wanted.most_waiting) as waiting) then
    outcome := 'full';
    return next;
    return;
  end if;
  outcome := take_hold('task:' || wanted.id, ledger_ids, allowances, wanted.hold);
  if outcome = 'done' then
    insert into tasks (
      id, request_id, account_id, key_id, group_name, medium, family, model, action, order_json, units, open_ended,
      violation, deadline_at, price_id, rates, factor_ppm, hold_nanos, ledgers, idempotency_key, body_digest, webhook_url)
    values (
      wanted.id, wanted.request, wanted.account, wanted.key, wanted.group_name, wanted.medium, wanted.family, wanted.model, wanted.action,
      order_text, wanted.units, wanted.open_ended, wanted.violation, now() + wanted.deadline_ms * interval '1 ms', wanted.price,
      wanted.rates, wanted.factor, wanted.hold, ledger_ids, wanted.idempotency_key, wanted.body_digest, wanted.webhook_url);
    perform pg_notify('tasks', 'due');
    outcome := 'accepted';
    task_id := wanted.id;
  end if;
  return next;
end
$$;

-- Moves a claimed task to its final state with all that follows: money, usage log, webhook, word to those who wait.
-- facts: {"state", "fail_reason", "reason", "charge": "<nanos>"?, "media": used units, "estimated", "raw"?,
-- "late_ms": when to look for a late success?}. False = the claim is over or the task was final before.
create function finish_task(finished_id text, claim int8, facts jsonb, result_text text)
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
      made = null,
      charge_nanos = least(coalesce(fact.charge, 0), t.hold_nanos),
      started_at = case when fact.state = 'SUCCESS' then coalesce(t.started_at, t.intended_at, t.accepted_at) else t.started_at end,
      finished_at = greatest(now(), t.started_at, t.accepted_at),
      due_at = now() + fact.late_ms * interval '1 ms',
      fence = t.fence + 1,
      looks = 0
    where t.id = finished_id and t.fence = claim and t.finished_at is null
    returning * into task;
  if not found then return false; end if;
  perform resolve_hold('task:' || task.id, task.ledgers, task.hold_nanos,
    case when task.state = 'SUCCESS' then task.charge_nanos end);
  perform ensure_usage_day();
  insert into usage (
    request_id, accepted_at, ended_at, account_id, key_id, model, endpoint, streamed, upstream, upstream_model, status,
    reason, attempts, total_ms, estimated, hostile, media, raw, price_id, rates, factor_ppm, hold_nanos, charge_nanos,
    ledgers, losses, spool)
  values (
    task.request_id, task.accepted_at, task.finished_at, task.account_id, task.key_id, task.model, task.medium || 's',
    false, task.upstream_name, task.upstream_model, 200, fact.reason, task.rounds + (task.upstream_id is not null)::int4,
    least(extract(epoch from task.finished_at - task.accepted_at) * 1000, 2147483647)::int4, fact.estimated, '{}',
    fact.media, fact.raw, task.price_id, task.rates, task.factor_ppm, task.hold_nanos, task.charge_nanos,
    task.ledgers, '{}', 'tasks');
  if task.webhook_url is not null then
    insert into webhook_deliveries (task_id, account_id, url) values (task.id, task.account_id, task.webhook_url);
    perform pg_notify('webhooks', 'due');
  end if;
  perform pg_notify('tasks', 'done ' || task.id);
  return true;
end
$$;
