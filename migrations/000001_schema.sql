

-- All tables, indexes, constraints and triggers. The functions are in functions/, one file each; migrate creates those
-- that tables need before this file runs.

-- Accounts, their groups and their API keys, and the counters by which caches notice a change.

-- One row per cached part of the database. A change raises the row in the transaction that made it, so
-- whoever sees the new version sees the change too: a cache that polls this row can miss a
-- notification and still be right within its beat.
create table change_counters (
  name text primary key,
  version int8 not null default 1,
  -- The transaction that raised it last: many changes in one transaction raise it once.
  changed_by xid8 not null default '0'
);

insert into change_counters (name) values ('keys'), ('catalog');

create table groups (
  name text primary key check (length(name) between 1 and 64),
  -- Price factor in parts per million: 1000000 is 1.
  factor_ppm int8 not null check (factor_ppm >= 0)
);
-- Where an account goes that names no group.
insert into groups (name, factor_ppm) values ('default', 1000000);

-- Disabled, never deleted: the ledger speaks of them for ever.
create table accounts (
  id int8 generated always as identity primary key,
  name text not null constraint accounts_name_unique unique check (length(name) between 1 and 200),
  group_name text not null constraint accounts_group_exists references groups (name) on update cascade,
  disabled boolean not null default false,
  -- Keys of tags that its requests may have; end_user = the end user that a request names is one too.
  tag_keys text[] not null default '{}' check (cardinality(tag_keys) <= 20),
  created_at timestamptz not null default now(),
  -- Printed on monthly statements.
  legal_name text check (length(legal_name) between 1 and 200),
  -- Of several lines.
  address text check (length(address) between 1 and 1000),
  tax_id text check (length(tax_id) between 1 and 100)
);
create index accounts_group on accounts (group_name);

-- Who signs in. Disabled, never deleted: the audit log refers to them for ever.
create table users (
  id int8 generated always as identity primary key,
  -- The name under which they sign in.
  email text not null constraint users_email_unique unique
    check (email = lower(email) and length(email) between 3 and 254),
  name text not null check (length(name) between 1 and 100),
  -- Argon2id with its parameters and salt, under a secret that is not in the database in clear (PHC string);
  -- null = signs in through an identity provider only.
  password_hash text,
  -- The password was made by the gateway: before anything else they choose their own.
  must_change_password boolean not null default false,
  -- Null = no operator. Every role of operators sees all accounts; what each may change is a table of the program.
  operator_role text check (operator_role in ('read_only', 'billing', 'operator')),
  -- The identity provider whose groups gave that role, and may take it; null = somebody gave it by hand.
  operator_role_by text check (operator_role_by is null or operator_role is not null),
  disabled boolean not null default false,
  -- Somebody who had the right to has vouched for the address: an invitation, an operator, an identity provider.
  -- False of who registered by themselves: an identity provider's word for the address is no proof that it is theirs.
  email_trusted boolean not null,
  -- In which e-mail is written; null = unknown.
  language text check (language in ('en', 'zh')),
  -- Until then a password lets them in though settings require an identity provider: a command has reset it.
  password_until timestamptz,
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz
);

create table api_keys (
  id int8 generated always as identity primary key,
  account_id int8 not null references accounts (id),
  name text not null check (length(name) between 1 and 200),
  disabled boolean not null default false,
  expires_at timestamptz,
  -- Set once and never taken back.
  revoked_at timestamptz,
  -- Whitelist of model ids; null = every model of the account's group.
  models text[],
  limit_nanos int8 check (limit_nanos >= 0),
  limit_period text check (limit_period in ('day', 'week', 'month', 'total')),
  requests_per_minute int4 check (requests_per_minute > 0),
  tokens_per_minute int4 check (tokens_per_minute > 0),
  concurrency int4 check (concurrency > 0),
  -- Addresses and ranges from which the key may be used; null = any.
  allowed_addresses text[] check (cardinality(allowed_addresses) between 1 and 100),
  created_at timestamptz not null default now(),
  -- The user who made the key; null = the catalog file, the command line, or a time before there were users.
  created_by int8 references users (id),
  -- Made for a page of the dashboard, for minutes: no list shows it.
  playground boolean not null default false,
  check ((limit_nanos is null) = (limit_period is null))
);
-- A name is free again once its key is revoked.
create unique index api_keys_name_unique on api_keys (account_id, name) where revoked_at is null;
-- The keys' list, newest first.
create index api_keys_account on api_keys (account_id, id);

-- Secrets of API keys. Several per key while a rotation's grace lasts, so that rotating keeps the key's id
-- and with it its spending limit. Only the keyed hash is here: a dump gives no key away, nor lets a
-- short key be guessed without the hashing secret.
create table api_key_secrets (
  hash bytea primary key check (length(hash) = 32),
  key_id int8 not null references api_keys (id),
  -- A few characters of both ends, for users to tell keys apart.
  hint text not null check (length(hint) <= 16),
  -- A key brought along that looks like a generated one but lacks its checksum (other services use the same
  -- form). While there is one, a wrong checksum is no reason to refuse a key unseen.
  lookalike boolean not null,
  -- The environment variable the catalog file took it from, so that an export can name it.
  reference text,
  -- Null for the current secret; the end of the grace for one that was rotated out.
  expires_at timestamptz,
  created_at timestamptz not null default now()
);
create unique index api_key_secrets_current on api_key_secrets (key_id) where expires_at is null;
create index api_key_secrets_key on api_key_secrets (key_id);
create index api_key_secrets_lookalike on api_key_secrets (lookalike) where lookalike;

-- Sealed columns are called "sealed", stand in a table with an "id", and are bound to "<table>:<id>":
-- rotating the master key finds them by this rule.
create table key_hashing_secrets (
  id int4 primary key check (id = 1),
  sealed text not null
);

-- How much a part of an account may spend per period: everything, or the requests of one person's keys, of one key,
-- for one model. Several given ones must all fit. What it counts cannot change, as its ledgers have counted it.
create table budgets (
  id int8 generated always as identity primary key,
  account_id int8 not null references accounts (id),
  name text not null check (length(name) between 1 and 100),
  user_id int8 references users (id),
  key_id int8 references api_keys (id),
  model text,
  amount_nanos int8 not null check (amount_nanos between 1 and 1000000000000000000),
  -- Calendar periods in UTC.
  period text not null check (period in ('day', 'week', 'month')),
  -- True: requests that don't fit are refused. False: it alerts only.
  hard boolean not null,
  -- Percentages of the amount at which its alerts fire, once each per period.
  alert_percents int4[] not null check (cardinality(alert_percents) <= 10 and 0 < all(alert_percents)),
  -- Where its alerts go: [{"format": "signed" | "slack" | "teams" | "email", "url"}, ...]
  alert_targets jsonb not null check (jsonb_typeof(alert_targets) = 'array'),
  created_at timestamptz not null default now(),
  constraint budgets_name_unique unique (account_id, name)
);
create index budgets_key on budgets (key_id) where key_id is not null;

-- While a rotation of the master key runs: the new key sealed under the old one, by which gateways that
-- know only the old one learn it. The column has another name because it must not be re-sealed.
create table master_key_handovers (
  id int4 primary key check (id = 1),
  sealed_under_old text not null,
  created_at timestamptz not null default now()
);

create constraint trigger keys_changed after update or delete on accounts
  deferrable initially deferred for each row execute function note_change('keys', 'id');
create constraint trigger keys_changed after insert or update or delete on api_keys
  deferrable initially deferred for each row execute function note_change('keys', 'id');
create constraint trigger keys_changed after insert or update or delete on api_key_secrets
  deferrable initially deferred for each row execute function note_change('keys', 'key_id');
create constraint trigger keys_changed after insert or update or delete on budgets
  deferrable initially deferred for each row execute function note_change('keys', 'account_id');
create constraint trigger catalog_changed after insert or update or delete on groups
  deferrable initially deferred for each row execute function note_change('catalog', 'name');

create constraint trigger catalog_changed after insert or update of group_name on accounts
  deferrable initially deferred for each row execute function note_accounts_of_group();

-- What is sold (models, prices), who serves it (upstreams) and how the gateway behaves (settings).

-- The price book. A row never changes: usage records and open tasks point at the row they were
-- accepted under, and a receipt must show that price for ever. A new price is a new row. One that was written ahead of the
-- moment from which it holds can be withdrawn until then.
create table prices (
  id int8 generated always as identity primary key,
  -- No foreign key: the row outlives its model.
  model_id text not null,
  -- Of tokens, {"<name>": "<nanos per 1,000,000>"}: text, because a JSON number would lose digits.
  rates jsonb not null,
  -- What changes them (steps, tiers, speeds, regions, hours), and prices of calls, units and requests. null = none.
  dimensions jsonb,
  -- {"perImage": {"1k": "<nanos>"}, "perSecond": {"720p": "<nanos>"}}
  media jsonb not null default '{}',
  created_at timestamptz not null default now(),
  -- Of a row that was written ahead: when it begins to hold. null = when it was written.
  valid_from timestamptz
);
create index prices_model on prices (model_id, id);

create trigger prices_are_immutable before update or truncate on prices
  for each statement execute function refuse_change();
create trigger prices_that_held_stay before delete on prices
  for each row when (old.valid_from is null or old.valid_from <= now()) execute function refuse_change();

create table models (
  id text primary key check (length(id) between 1 and 200),
  -- Media families (imagegen, videoa ...); null = text.
  family text,
  variant text,
  owned_by text not null,
  -- Unix seconds, as shown to callers.
  created int8 not null,
  endpoints text[] not null,
  -- null = every group.
  groups text[],
  context_tokens int4 check (context_tokens > 0),
  max_output_tokens int4 check (max_output_tokens > 0),
  price_id int8 references prices (id),
  -- Rows of the price book that were written ahead, by rising valid_from: each takes the place of price_id at its moment.
  coming_price_ids int8[] not null default '{}',
  quirks jsonb not null default '{}',
  -- A second name of this model: price, upstreams, groups and all else are that model's.
  alias_of text,
  -- Models that answer in its place: [{"model", "on": ["unavailable", ...]}, ...], in order; null = none.
  fallbacks jsonb,
  -- What its upstreams of one priority are preferred by; null = their weights alone.
  upstream_order text check (upstream_order in ('latency', 'cost'))
);

create table upstreams (
  id int8 generated always as identity primary key,
  name text not null constraint upstreams_name_unique unique check (length(name) between 1 and 200),
  kind text not null,
  base_url text not null,
  -- null = the kind's own list, whatever a later version of the program makes of it.
  protocols text[],
  -- {"<our model>": "<theirs>"}
  models jsonb not null,
  groups text[],
  priority int4 not null,
  weight float8 not null check (weight > 0),
  max_concurrency int4 not null check (max_concurrency > 0),
  -- The keys of the catalog file that were given; the others have the program's defaults.
  timeouts jsonb not null,
  enabled boolean not null,
  -- Ids of this vendor account that every account may use: stored prompts, vector stores, files, skills.
  shared_ids text[] not null default '{}',
  -- Whether the gateway tries the upstream now and then while nobody asks it.
  probe boolean not null default false,
  -- Upstreams of one signer accept each other's signed and encrypted state: keys of one organization at one vendor.
  signer text,
  -- What its vendor bills: {"factor": "<parts per million>", "prices": {"<our model>": a price row}}. null = the list prices.
  cost jsonb,
  -- Tiers in which its vendor may serve what asks for none, and the region in which it serves what names none. {} and null = not declared.
  unasked_tiers text[] not null default '{}',
  region text,
  -- The vendor or server that it is; the base URL stands here also where it is the preset's. null = none is named.
  preset text,
  -- What an operator tunes of it; null = nothing. Secrets among it are sealed.
  options json,
  sealed text
);

create table upstream_credentials (
  id int8 generated always as identity primary key,
  upstream_id int8 not null references upstreams (id) on delete cascade,
  name text not null,
  sealed text not null,
  -- The environment variable the catalog file took it from, so that an export can name it.
  reference text,
  enabled boolean not null
);
create index upstream_credentials_upstream on upstream_credentials (upstream_id);

-- One row: the settings that the catalog file sets; the others have the program's defaults.
create table settings (
  id int4 primary key check (id = 1),
  overrides jsonb not null
);
insert into settings (id, overrides) values (1, '{}');

create constraint trigger catalog_changed after insert or update or delete on models
  deferrable initially deferred for each row execute function note_change('catalog', 'id');
create constraint trigger catalog_changed after insert or update or delete on upstreams
  deferrable initially deferred for each row execute function note_change('catalog', 'id');
create constraint trigger catalog_changed after insert or update or delete on upstream_credentials
  deferrable initially deferred for each row execute function note_change('catalog', 'id');
create constraint trigger catalog_changed after update on settings
  deferrable initially deferred for each row execute function note_change('catalog', 'id');

-- Double entry: every movement of money is a transfer between two sides of one ledger, never changed
-- again. A ledger belongs to a customer (its balance) or to one period of a key's spending limit.
--
--   balance   funding -> wallet <-> leased -> revenue      charges beyond everything: loss -> revenue
--   limit   allowance -> wallet <-> leased -> spent        the same, for a limit: excess -> spent
--
-- The platform's sides (left and right) have no stored balance: one hot row would serialise everyone; they
-- are sums over transfers. wallet, leased and held are projections of the transfers, changed only by the
-- statement that inserts them.

create table ledgers (
  -- account:<account id>, budget:<budget id>:<period>:<its first day>, or limit:<key id>:<period>:<its first day>. Byte
  -- order puts every balance first; rows are always locked in ascending id, so two operations cannot deadlock.
  id text collate "C" primary key,
  kind text not null check (kind in ('balance', 'budget', 'limit')),
  account_id int8 not null references accounts (id),
  -- Only of a budget. It may be deleted; its ledgers stay, since transfers and usage rows name them.
  budget_id int8,
  -- Only of a limit.
  key_id int8,
  period text check (period in ('day', 'week', 'month', 'total')),
  period_start date,
  -- What a budget or limit has been funded with so far.
  allowance int8 not null default 0 check (allowance >= 0),
  -- Free to be leased or held.
  wallet int8 not null default 0 constraint wallet_not_negative check (wallet >= 0),
  -- Split among processes, see leases.
  leased int8 not null default 0 constraint leased_not_negative check (leased >= 0),
  -- Held by tasks.
  held int8 not null default 0 constraint held_not_negative check (held >= 0),
  check ((kind = 'budget') = (budget_id is not null)),
  check ((kind = 'limit') = (key_id is not null)),
  check ((kind = 'balance') = (period is null) and (kind = 'balance') = (period_start is null))
) with (fillfactor = 70); -- room for the new version of a row on its own page
create index ledgers_account on ledgers (account_id);

create table transfers (
  id int8 generated always as identity primary key,
  -- Idempotency: the same operation repeated breaks this and changes nothing.
  key text not null constraint transfers_key_unique unique,
  kind text not null check (kind in (
    'opening', 'credit', 'debit', 'allowance', 'lease', 'return', 'post', 'quarantine',
    'hold', 'settle', 'release')),
  -- No foreign key: the same statement updates the ledger's row, and a flush inserts thousands of these.
  ledger text collate "C" not null,
  from_side text not null check (from_side in
    ('funding', 'wallet', 'leased', 'held', 'loss', 'allowance', 'excess')),
  to_side text not null check (to_side in
    ('funding', 'wallet', 'leased', 'held', 'revenue', 'allowance', 'spent')),
  amount int8 not null check (amount > 0),
  -- What it was for: a flush, a task, an account.
  reference text not null,
  -- An operator's words.
  reason text,
  at timestamptz not null default now(),
  check (from_side <> to_side)
);
create index transfers_ledger on transfers (ledger, id);

create trigger transfers_are_immutable before update or delete or truncate on transfers
  for each statement execute function refuse_change();

-- The budget leases of text requests. A process owns one journal; a lease is what that process may spend of one
-- ledger without asking. Requests never touch these rows: one flush at a time does, for all of them.

create table journals (
  -- Drawn by the process.
  id text primary key,
  -- Raised by every flush and by whoever closes the journal: a statement that does not know the current
  -- number changes nothing.
  flush_number int8 not null default 0,
  -- Watermark: records up to here are in the usage log, as a unique request id cannot stand on a partitioned table.
  flushed_through int8 not null default 0,
  -- Can still be posted, never leased.
  closed boolean not null default false,
  -- Names the process to users.
  label text not null,
  opened_at timestamptz not null default now(),
  closed_at timestamptz
) with (fillfactor = 50);
create index journals_open on journals (id) where not closed;

create table leases (
  journal text not null references journals (id),
  ledger text collate "C" not null,
  amount int8 not null check (amount > 0),
  -- Another process needs it: the owner releases what it does not hold.
  reclaimed boolean not null default false,
  primary key (journal, ledger)
) with (fillfactor = 70);
create index leases_ledger on leases (ledger);
create index leases_reclaimed on leases (journal) where reclaimed;

-- Records that the database refused. The platform absorbs the hold; an operator should look into it.
create table quarantined_records (
  journal text not null,
  record_number int8 not null,
  ledger text not null,
  hold_nanos int8 not null,
  begin_record text not null,
  end_record text not null,
  refusal text not null,
  at timestamptz not null default now(),
  primary key (journal, record_number)
);

-- What records charge to one ledger, and one transfer of a flush.
create type ledger_charge as (ledger text, account_id int8, charge int8);
create type transfer_part as (ledger text, kind text, from_side text, to_side text, amount int8);

-- What a process believes of its journal; the first row has no ledger.
create type journal_row as (
  flush_number int8, flushed_through int8, closed boolean, applied boolean,
  ledger text, lease int8, reclaimed boolean, wallet int8, leased int8);

-- The usage log: one row per finished text request, the price it was accepted under, and its charge.
-- Partitioned by the day it was posted, by the database's clock: a day that is over gets no more rows, so
-- that sealing its sums and dropping it loses nothing.
create table usage (
  posted_at timestamptz not null default now(),
  request_id text not null,
  accepted_at timestamptz not null,
  ended_at timestamptz not null,
  account_id int8 not null,
  key_id int8 not null,
  model text not null,
  -- What the caller asked for, where that is another name: an alias of the model, or the model that it answered for.
  asked_model text,
  endpoint text not null,
  streamed boolean not null,
  upstream text,
  upstream_model text,
  -- What the caller saw; 0 = gone before any.
  status int4 not null,
  reason text not null,
  error_code text,
  attempts int4 not null,
  first_byte_ms int4,
  total_ms int4 not null,
  -- True where a bucket is the gateway's estimate; the fields whose reported value was impossible.
  estimated boolean not null,
  hostile text[] not null,
  input_uncached int4 check (input_uncached >= 0),
  cache_read int4 check (cache_read >= 0),
  cache_write_5m int4 check (cache_write_5m >= 0),
  cache_write_1h int4 check (cache_write_1h >= 0),
  output_visible int4 check (output_visible >= 0),
  output_reasoning int4 check (output_reasoning >= 0),
  -- The vendor's own usage object.
  raw jsonb,
  -- Frozen at acceptance: the price row, its rates ("<nanos>" per 1,000,000 tokens), the group's factor.
  price_id int8 not null,
  rates jsonb not null,
  factor_ppm int8 not null,
  hold_nanos int8 not null check (hold_nanos >= 0),
  charge_nanos int8 not null check (charge_nanos >= 0),
  -- Every ledger that was charged: the balance and the limits that applied.
  ledgers text[] not null,
  losses text[] not null,
  journal text not null,
  -- The end record's number in that journal; null where nobody ended the request.
  record_number int8,
  -- What tasks used: {"images": {"1k": 1}, "videoSeconds": {"720p": 5}}.
  media jsonb,
  -- A charge is never above its hold. What a request costs beyond it, the hold grows by before the end is written, as
  -- far as there is money in every ledger together; the rest is written off. Null for tasks and interrupted requests.
  written_off_nanos int8 check (written_off_nanos >= 0),
  -- Counts that the vendor reported and that are not possible: [{"field", "reported", "most"}, ...]
  implausible jsonb,
  -- Where the request was sent last, and why there; for operators. Null where nobody was asked, and for tasks.
  -- The name of the upstream's credential.
  credential text,
  -- affinity, first_choice, moved, pinned, state, failover
  chosen text,
  -- What the gateway wrote into a request without a limit, as the caller's money covered no more.
  output_limit int4,
  -- Text charges that are more than the six counts at the rates above: {"row", "terms", "unpriced", "lines"}; see charge-text.ts.
  charged jsonb,
  -- What vendors bill us for all attempts of a text request, charged or not. Null for tasks.
  cost_nanos int8 check (cost_nanos >= 0),
  -- Each attempt of it; see attempt-cost.ts. Null = at most one, which used what is charged, at the model's list price.
  costs jsonb,
  -- "<key>=<value>", by key; null = none.
  tags text[]
) partition by range (posted_at);
create index usage_request on usage (request_id);
create index usage_account on usage (account_id, posted_at);

create trigger usage_is_immutable before update or delete on usage
  for each row execute function refuse_change();

-- What remains of a day whose partition was dropped: ledger verify counts these in its place. A day can be here twice,
-- where the database's clock jumped forward and back: it gets rows again after it was dropped.
create table usage_days (
  day date not null,
  ledger text collate "C" not null,
  requests int8 not null,
  charge_nanos int8 not null
);
create index usage_days_day on usage_days (day, ledger);
create trigger usage_days_are_immutable before update or delete or truncate on usage_days
  for each statement execute function refuse_change();

-- Ids of what vendors keep (stored responses, items, containers, audio) and where that is: only the vendor account that
-- issued an id can use it. By id first: a request names ids, and an id of another account must be found too.
create table issued_ids (
  id text not null,
  account_id int8 not null,
  upstream_id int8 not null,
  credential_id int8 not null,
  created_at timestamptz not null default now(),
  primary key (id, account_id)
);
create index issued_ids_by_age on issued_ids (created_at);

-- Images and videos. A task's row is its place in the queue, its record and what its money was taken for.

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

  -- Of the submit, as in usage.
  tags text[],

  deadline_at timestamptz not null,
  -- The queue: when a worker should take it up next; null = nothing is left to do. A claim moves it to the
  -- claim's expiry, so that a task whose worker died comes up again by itself.
  due_at timestamptz default now(),
  -- Raised by every claim and by every end of one: whoever does not know it changes nothing but upstream_task and immediate_result.
  fence int8 not null default 0,
  -- Passes over the upstreams in which none took it, and polls since it was submitted or failed.
  submit_attempts int4 not null default 0,
  polls int4 not null default 0,

  -- Where it is made: exactly there it is asked for, whatever is disabled meanwhile. No foreign keys, as what is
  -- removed from the catalog must not take the record along.
  upstream_id int8,
  credential_id int8,
  upstream_name text,
  upstream_model text,
  -- Committed before the upstream is called: with this and without an answer nobody knows whether a task exists there.
  intended_at timestamptz,
  -- What the upstream answered, set once by whoever has it: its id for the task, or (immediate_result) the result itself.
  upstream_task text,
  immediate_result text,

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
) with (fillfactor = 60); -- rows change with every poll
create unique index tasks_idempotency on tasks (account_id, idempotency_key) where idempotency_key is not null;
create index tasks_due on tasks (due_at) where due_at is not null;
create index tasks_waiting on tasks (model) where intended_at is null and state = 'NOT_START';
create index tasks_of_account on tasks (account_id, accepted_at desc);
create index tasks_of_request on tasks (request_id);
create index tasks_finished on tasks (finished_at) where finished_at is not null;

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
  -- Null = what is told has no task's record to send; it brings its own data along.
  task_id text references tasks (id) on delete cascade,
  -- 0 = an e-mail to a person, of no account.
  account_id int8 not null,
  -- Of an e-mail "mailto:" and one address.
  url text not null,
  -- How it is written: as a signed webhook, as a message to a channel of Slack or Teams, or as an e-mail.
  format text not null default 'signed' check (format in ('signed', 'slack', 'teams', 'email')),
  event text not null default 'task.finished',
  data jsonb,
  created_at timestamptz not null default now(),
  -- As of tasks: a queue with fences.
  due_at timestamptz default now(),
  fence int8 not null default 0,
  attempts int4 not null default 0,
  delivered_at timestamptz,
  unique (task_id),
  check ((task_id is null) = (data is not null))
);
create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null;
create index webhook_deliveries_of_account on webhook_deliveries (account_id, id) where task_id is null;

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

-- Media that accounts have registered for use in videos, and who keeps it.
create table assets (
  id text primary key,
  account_id int8 not null references accounts (id),
  -- Where it is kept: only there it can be used. No foreign keys, as an upstream that comes back has it still.
  upstream_id int8 not null,
  credential_id int8 not null,
  upstream_asset text not null,
  asset_type text not null check (asset_type in ('Image', 'Video', 'Audio')),
  name text not null,
  -- As last heard from the upstream; a read asks anew.
  status text not null,
  created_at timestamptz not null default now()
);
create index assets_of_account on assets (account_id, created_at desc);

-- What users may do in which account, how they prove who they are, what they did.

create table account_members (
  user_id int8 not null references users (id),
  account_id int8 not null references accounts (id),
  role text not null check (role in ('viewer', 'member', 'owner')),
  -- The identity provider whose groups or domain gave it, and may take it; null = somebody gave it by hand.
  role_by text,
  created_at timestamptz not null default now(),
  primary key (user_id, account_id)
);
create index account_members_account on account_members (account_id, user_id);

-- A browser that is signed in. The cookie holds a secret of 250 bits; here is its keyed hash only.
create table sessions (
  id int8 generated always as identity primary key,
  user_id int8 not null references users (id),
  hash bytea not null unique check (length(hash) = 32),
  created_at timestamptz not null default now(),
  -- True to the minute: not every request writes.
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  address text not null,
  user_agent text not null check (length(user_agent) <= 300),
  -- Id of the identity provider that vouched for its user; null = a password did.
  provider text
) with (fillfactor = 80);
create index sessions_user on sessions (user_id);
create index sessions_expired on sessions (expires_at);

-- What scripts show instead.
create table console_tokens (
  id int8 generated always as identity primary key,
  user_id int8 not null references users (id),
  name text not null check (length(name) between 1 and 100),
  hash bytea not null unique check (length(hash) = 32),
  -- A few characters of both ends, for users to tell tokens apart.
  hint text not null check (length(hint) <= 16),
  -- Which of the operations that its user reaches it reaches too.
  scopes text[] not null
    check (cardinality(scopes) > 0 and scopes <@ array['read', 'billing', 'keys', 'all']),
  -- The one account whose operations it reaches; null = whatever its user reaches.
  account_id int8 references accounts (id),
  -- Addresses and ranges from which it may be used; null = any.
  allowed_addresses text[] check (cardinality(allowed_addresses) between 1 and 100),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz
);
create index console_tokens_user on console_tokens (user_id, id);

create table user_totps (
  id int8 generated always as identity primary key,
  user_id int8 not null unique references users (id),
  sealed text not null,
  -- Null until a first code has shown that the app and we agree; counts from then on only.
  confirmed_at timestamptz,
  -- The latest time step whose code was used: none works twice.
  last_step int8 not null default 0,
  -- Keyed hashes of the codes that work once each where the phone is lost.
  recovery_hashes bytea[] not null default '{}'
);

create table oidc_identities (
  issuer text not null,
  subject text not null,
  user_id int8 not null references users (id),
  created_at timestamptz not null default now(),
  -- By which operators name a link that they make or undo: an issuer is a URL.
  id int8 generated always as identity,
  primary key (issuer, subject)
);
create unique index oidc_identities_id on oidc_identities (id);
create index oidc_identities_user on oidc_identities (user_id);

-- A link that makes whoever opens it a member of an account, an operator, or both.
create table invitations (
  id int8 generated always as identity primary key,
  hash bytea not null unique check (length(hash) = 32),
  email text not null check (email = lower(email) and length(email) between 3 and 254),
  account_id int8 references accounts (id),
  role text check (role in ('viewer', 'member', 'owner')),
  operator_role text check (operator_role in ('read_only', 'billing', 'operator')),
  invited_by int8 not null references users (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  check ((account_id is null) = (role is null)),
  check (account_id is not null or operator_role is not null)
);
create index invitations_account on invitations (account_id, id) where accepted_at is null;
create index invitations_email on invitations (email) where accepted_at is null;

-- A link by which somebody who forgot the password chooses another one, once, within an hour. It was sent by e-mail.
create table password_resets (
  hash bytea primary key check (length(hash) = 32),
  user_id int8 not null references users (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_resets_user on password_resets (user_id, created_at);
create index password_resets_expired on password_resets (expires_at);

-- Failed attempts to sign in, for all processes to count; kept for an hour. The address that somebody typed is
-- there as a keyed hash, since people type passwords into the wrong field.
create table sign_in_failures (
  id int8 generated always as identity primary key,
  email_hash bytea not null,
  address text not null,
  at timestamptz not null default now()
);
create index sign_in_failures_email on sign_in_failures (email_hash, at);
create index sign_in_failures_address on sign_in_failures (address, at);
create index sign_in_failures_at on sign_in_failures (at);

-- Who changed what. Only ever added to.
create table audit_entries (
  id int8 generated always as identity primary key,
  at timestamptz not null default now(),
  -- Null = nobody who was signed in, as for an attempt to get in, or the program itself.
  user_id int8 references users (id),
  -- The console token by which they came; null = a browser.
  token_id int8,
  -- Noun and verb: key.revoke.
  action text not null,
  subject text not null,
  account_id int8 references accounts (id),
  -- Never a secret.
  before jsonb,
  after jsonb,
  request_id text not null,
  address text not null,
  -- Who it was where nobody was signed in: `cli (NAME)` = a command that this user of the machine ran.
  program text
);
-- Lists are read newest first, by one of these or all; (at, id) is the page's mark.
create index audit_entries_at on audit_entries (at desc, id desc);
create index audit_entries_account on audit_entries (account_id, at desc, id desc);
create index audit_entries_user on audit_entries (user_id, at desc, id desc);
create index audit_entries_action on audit_entries (action, at desc, id desc);
create index audit_entries_program on audit_entries (program, at desc, id desc) where program is not null;

create trigger audit_entries_stand before update or delete on audit_entries
  for each row execute function refuse_audit_change();

-- Sums over the usage log, so that pages answer at once however many requests there were, and months stay visible
-- after their rows have left. A trigger adds to them in the very statement that inserts usage: whoever writes the
-- log, flush or task, the sums equal it (`ledger verify` recomputes them).
--
-- Locks: a statement locks its sums in the order of their keys, hours before keys before latencies, and a
-- transaction locks sums before ledgers. Whoever inserts usage by several statements in one transaction takes
-- usage_hours as a whole first (lock_rollups), as its rows would come out of order.

-- By the hour in which the request was posted, in UTC as all hours here.
create table usage_hours (
  account_id int8 not null,
  hour timestamptz not null,
  model text collate "C" not null,
  -- '' where none was asked.
  upstream text collate "C" not null,
  endpoint text collate "C" not null,
  requests int8 not null,
  errors int8 not null,
  -- Requests whose usage the gateway had to estimate.
  estimated int8 not null,
  input_uncached int8 not null,
  cache_read int8 not null,
  cache_write_5m int8 not null,
  cache_write_1h int8 not null,
  output_visible int8 not null,
  output_reasoning int8 not null,
  images int8 not null,
  video_seconds int8 not null,
  charge_nanos int8 not null,
  primary key (account_id, hour, model, upstream, endpoint)
) with (fillfactor = 70); -- counters that move four times a second stay on their page
create index usage_hours_all on usage_hours (hour);

-- The same by key, and by the day only: an account may have thousands of keys.
create table usage_keys (
  account_id int8 not null,
  key_id int8 not null,
  day date not null,
  requests int8 not null,
  errors int8 not null,
  input_tokens int8 not null,
  output_tokens int8 not null,
  charge_nanos int8 not null,
  -- When the last of them ended.
  last_at timestamptz not null,
  -- As in spending_days.
  cost_nanos numeric not null,
  margin_nanos numeric not null,
  unknown_costs int8 not null,
  unknown_charge_nanos int8 not null,
  primary key (account_id, key_id, day)
) with (fillfactor = 70);
create index usage_keys_account on usage_keys (account_id, day);
create index usage_keys_all on usage_keys (day);

-- How long responses took, by day: to the first byte, and in all.
create table usage_latencies (
  account_id int8 not null,
  day date not null,
  model text collate "C" not null,
  upstream text collate "C" not null,
  kind text collate "C" not null check (kind in ('first_byte', 'total')),
  bucket int2 not null,
  requests int8 not null,
  primary key (account_id, day, model, upstream, kind, bucket)
) with (fillfactor = 70);
create index usage_latencies_all on usage_latencies (day);

-- What the sums must be, read off the log.
create view usage_hours_of_log as
  select account_id, date_trunc('hour', posted_at, 'UTC') as hour, model collate "C" as model,
         coalesce(upstream, '') collate "C" as upstream, endpoint collate "C" as endpoint,
         count(*) as requests, count(*) filter (where usage_failed(reason)) as errors,
         count(*) filter (where estimated) as estimated,
         coalesce(sum(input_uncached), 0)::int8 as input_uncached, coalesce(sum(cache_read), 0)::int8 as cache_read,
         coalesce(sum(cache_write_5m), 0)::int8 as cache_write_5m,
         coalesce(sum(cache_write_1h), 0)::int8 as cache_write_1h,
         coalesce(sum(output_visible), 0)::int8 as output_visible,
         coalesce(sum(output_reasoning), 0)::int8 as output_reasoning,
         coalesce(sum(sum_of_units(media -> 'images')) filter (where media is not null), 0)::int8 as images,
         coalesce(sum(sum_of_units(media -> 'videoSeconds')) filter (where media is not null), 0)::int8 as video_seconds,
         sum(charge_nanos)::int8 as charge_nanos
    from usage group by 1, 2, 3, 4, 5;

create view usage_keys_of_log as
  select account_id, key_id, (posted_at at time zone 'utc')::date as day, count(*) as requests,
         count(*) filter (where usage_failed(reason)) as errors,
         sum(coalesce(input_uncached, 0)::int8 + coalesce(cache_read, 0) + coalesce(cache_write_5m, 0)
           + coalesce(cache_write_1h, 0))::int8 as input_tokens,
         sum(coalesce(output_visible, 0)::int8 + coalesce(output_reasoning, 0))::int8 as output_tokens,
         sum(charge_nanos)::int8 as charge_nanos, max(ended_at) as last_at, coalesce(sum(cost_nanos), 0) as cost_nanos,
         coalesce(sum(charge_nanos - coalesce(cost_nanos, 0)) filter (where unknown = 0), 0) as margin_nanos,
         sum(unknown)::int8 as unknown_costs,
         coalesce(sum(charge_nanos) filter (where unknown > 0), 0)::int8 as unknown_charge_nanos
    from (select *, unknown_costs(cost_nanos, costs, upstream) as unknown from usage) as u group by 1, 2, 3;

create view usage_latencies_of_log as
  select account_id, (posted_at at time zone 'utc')::date as day, model collate "C" as model,
         coalesce(upstream, '') collate "C" as upstream, l.kind, latency_bucket(l.ms) as bucket, count(*) as requests
    from usage, lateral (values ('first_byte' collate "C", first_byte_ms), ('total', total_ms)) as l (kind, ms)
   where usage_completed(reason) and l.ms is not null
   group by 1, 2, 3, 4, 5, 6;

create trigger usage_rolls_up after insert on usage referencing new table as posted
  for each statement execute function roll_up_usage();

-- The request log by key, and by reason. Filters by model, endpoint, upstream and failure need no index of their own:
-- usage_hours says in which hours such requests were.
create index usage_key on usage (key_id, posted_at);
create index usage_account_reason on usage (account_id, posted_at) where reason <> 'completed';

-- Redemption codes, balance alerts, and the indexes of statements.

-- What an operator made at once: codes of the same amount, until the same day.
create table redemption_batches (
  id int8 generated always as identity primary key,
  amount_nanos int8 not null check (amount_nanos > 0),
  -- For whom or what; operators read it.
  note text not null check (length(note) <= 500),
  -- Null = for ever.
  expires_at timestamptz,
  -- Who made it, for users.
  created_by text not null,
  created_at timestamptz not null default now()
);

create table redemption_codes (
  id int8 generated always as identity primary key,
  batch_id int8 not null references redemption_batches (id),
  -- Keyed, as of API keys: a dump gives no money away.
  hash bytea not null constraint redemption_codes_hash_unique unique check (length(hash) = 32),
  -- The first characters, for users to tell codes apart.
  hint text not null check (length(hint) <= 16),
  revoked_at timestamptz,
  redeemed_at timestamptz,
  -- Whose balance it went to, and who sent it, for users.
  account_id int8 references accounts (id),
  redeemed_by text,
  check ((redeemed_at is null) = (account_id is null) and (redeemed_at is null) = (redeemed_by is null)),
  check (redeemed_at is null or revoked_at is null)
);
create index redemption_codes_batch on redemption_codes (batch_id, id);

-- When an account last sent codes that do not exist; the row is also the lock by which its attempts take turns, so
-- that many at once are counted like many in a row.
create table redemption_throttles (
  account_id int8 primary key references accounts (id),
  wrong_at timestamptz[] not null default '{}'
);

-- Where an owner wants to be told that the money runs out.
create table balance_alerts (
  -- The account's.
  id int8 primary key references accounts (id),
  threshold_nanos int8 not null check (threshold_nanos > 0),
  -- A signed webhook, e-mail addresses, or both.
  url text,
  emails text[] not null default '{}' check (cardinality(emails) <= 10),
  -- It was told, and the balance has not been at the threshold again since.
  below boolean not null default false,
  fired_at timestamptz,
  check (url is not null or cardinality(emails) > 0)
);

-- Which alerts of budgets have fired, so that each does once per period. Those of past periods go after some weeks.
create table budget_alerts (
  budget_id int8 not null references budgets (id) on delete cascade,
  period text not null,
  period_start date not null,
  percent int4 not null,
  fired_at timestamptz not null default now(),
  primary key (budget_id, period, period_start, percent)
);

-- The statement's filters that would otherwise look through all the flushes for a few rows. Partial, so that flushes, which
-- insert thousands, do not pay for them.
create index transfers_funding on transfers (ledger, id) where kind in ('opening', 'credit', 'debit');
create index transfers_tasks on transfers (ledger, id) where kind in ('hold', 'settle', 'release');
create index transfers_loss on transfers (id) include (amount) where from_side = 'loss';
-- A monthly statement lists the refunds of tasks among the days, and not their holds and charges, of which there are more.
create index transfers_refunds on transfers (ledger, id) where kind = 'release';

-- What moved an account's balance on each day: statements by day read this in place of the flushes, of which a day has up to
-- hundreds of thousands. Written by the statement that inserts the transfers, under the lock of the ledger's row.
create table balance_days (
  account_id int8 not null,
  day date not null,
  -- Opening balance, credits and codes; debits.
  credited_nanos int8 not null,
  debited_nanos int8 not null,
  -- What text requests took from the balance, and what images and videos did.
  text_nanos int8 not null,
  task_nanos int8 not null,
  -- What requests were charged beyond the balance. The platform paid it, so the balance did not change by it.
  absorbed_nanos int8 not null,
  primary key (account_id, day)
) with (fillfactor = 70);

create view balance_days_of_transfers as
  select substr(ledger, 9)::int8 as account_id, (at at time zone 'utc')::date as day,
         coalesce(sum(amount) filter (where from_side = 'funding'), 0)::int8 as credited_nanos,
         coalesce(sum(amount) filter (where to_side = 'funding'), 0)::int8 as debited_nanos,
         coalesce(sum(amount) filter (where kind = 'post' and from_side <> 'loss'), 0)::int8 as text_nanos,
         coalesce(sum(amount) filter (where kind = 'settle'), 0)::int8 as task_nanos,
         coalesce(sum(amount) filter (where from_side = 'loss'), 0)::int8 as absorbed_nanos
    from transfers
   where ledger like 'account:%' and kind <> 'quarantine' and (from_side = 'funding' or to_side in ('funding', 'revenue'))
   group by 1, 2;

create trigger transfers_sum_days after insert on transfers referencing new table as moved
  for each statement execute function sum_balance_days();

-- Live traffic reads the newest seconds of the usage log of all accounts at once. Rows arrive in this order, so the
-- index grows at its right edge alone.
create index usage_posted on usage (posted_at);

-- The latest failures of an upstream.
create index usage_upstream_failed on usage (upstream, posted_at) where usage_failed(reason);

-- What an upstream brought, by day.
create index usage_hours_upstream on usage_hours (upstream, hour);

-- Every attempt of a text request with what its vendor bills us for it. A request's charge stands with the last.
create view attempt_costs as
  select posted_at, request_id, account_id, model, 1::int8 as attempt, coalesce(upstream, '') as upstream, upstream_model,
         credential, cost_nanos, null::int8 as stated_nanos, null::text as used, charge_nanos
    from usage where costs is null and attempts > 0 and cost_nanos is not null
  union all
  select u.posted_at, u.request_id, u.account_id, u.model, c.attempt, coalesce(c.upstream, u.upstream, ''),
         coalesce(c.upstream_model, u.upstream_model), coalesce(c.credential, u.credential), c.nanos, c.stated, c.used,
         case when c.attempt = jsonb_array_length(u.costs) then u.charge_nanos else 0 end
    from usage u, rows from (jsonb_to_recordset(u.costs) as (
           upstream text, upstream_model text, credential text, nanos int8, stated int8, used text)) with ordinality
           as c (upstream, upstream_model, credential, nanos, stated, used, attempt)
   where u.costs is not null;

-- The same by day, beside what those very requests were charged: the margin. Kept when the days' rows have left.
create table cost_days (
  day date not null,
  account_id int8 not null,
  model text collate "C" not null,
  -- '' where nobody knows who was asked.
  upstream text collate "C" not null,
  attempts int8 not null,
  -- Of these, such as the vendor may bill without having said what they used.
  unknown int8 not null,
  charge_nanos int8 not null,
  -- Costs are numeric: vendors may state absurd ones, whose sum must not keep a charge from being posted.
  cost_nanos numeric not null,
  -- Where the vendor states its cost itself: how often, what was charged, what our prices make of it, what it says.
  stated_attempts int8 not null,
  stated_charge_nanos int8 not null,
  stated_cost_nanos numeric not null,
  stated_nanos numeric not null,
  primary key (day, account_id, model, upstream)
) with (fillfactor = 70);
create index cost_days_upstream on cost_days (upstream, day);
create index cost_days_account on cost_days (account_id, day);

create view cost_days_of_log as
  select (posted_at at time zone 'utc')::date as day, account_id, model collate "C" as model, upstream collate "C" as upstream,
         count(*) as attempts, count(*) filter (where used = 'unknown') as unknown, sum(charge_nanos)::int8 as charge_nanos,
         sum(cost_nanos) as cost_nanos, count(stated_nanos) as stated_attempts,
         coalesce(sum(charge_nanos) filter (where stated_nanos is not null), 0)::int8 as stated_charge_nanos,
         coalesce(sum(cost_nanos) filter (where stated_nanos is not null), 0) as stated_cost_nanos,
         coalesce(sum(stated_nanos), 0) as stated_nanos
    from attempt_costs group by 1, 2, 3, 4;

create trigger usage_sums_costs after insert on usage referencing new table as posted
  for each statement execute function sum_attempt_costs();

-- What was spent, for operators to sum over all accounts: a request stands with the upstream that was asked last, the cost of
-- each attempt with the attempt's own. Kept when the days' rows have left.
create table spending_days (
  day date not null,
  account_id int8 not null,
  model text collate "C" not null,
  -- '' where none was asked.
  upstream text collate "C" not null,
  requests int8 not null,
  errors int8 not null,
  input_tokens int8 not null,
  output_tokens int8 not null,
  charge_nanos int8 not null,
  -- As far as it is known. Numeric, as in cost_days.
  cost_nanos numeric not null,
  -- Charges less costs of the requests whose cost is wholly known.
  margin_nanos numeric not null,
  -- Attempts whose cost is not known, tasks included, and what their requests were charged.
  unknown_costs int8 not null,
  unknown_charge_nanos int8 not null,
  primary key (day, account_id, model, upstream)
) with (fillfactor = 70);
create index spending_days_account on spending_days (account_id, day);

create view spending_days_of_log as
  select day, account_id, model collate "C" as model, upstream collate "C" as upstream, sum(requests)::int8 as requests,
         sum(errors)::int8 as errors, sum(input_tokens)::int8 as input_tokens, sum(output_tokens)::int8 as output_tokens,
         sum(charge_nanos)::int8 as charge_nanos, sum(cost_nanos) as cost_nanos,
         coalesce(sum(charge_nanos - cost_nanos) filter (where known), 0) as margin_nanos,
         sum(unknown)::int8 as unknown_costs,
         coalesce(sum(charge_nanos) filter (where not known), 0)::int8 as unknown_charge_nanos
    from (
      select (posted_at at time zone 'utc')::date as day, account_id, model, coalesce(upstream, '') as upstream,
             1 as requests, usage_failed(reason)::int4 as errors,
             coalesce(input_uncached, 0)::int8 + coalesce(cache_read, 0) + coalesce(cache_write_5m, 0)
               + coalesce(cache_write_1h, 0) as input_tokens,
             coalesce(output_visible, 0)::int8 + coalesce(output_reasoning, 0) as output_tokens, charge_nanos,
             case when costs is null then coalesce(cost_nanos, 0) else 0 end as cost_nanos,
             unknown_costs(cost_nanos, costs, upstream) = 0 as known,
             case when costs is null then unknown_costs(cost_nanos, costs, upstream) else 0 end as unknown
        from usage
      union all
      select (u.posted_at at time zone 'utc')::date, u.account_id, u.model, coalesce(c.upstream, u.upstream, ''),
             0, 0, 0, 0, 0, c.nanos, unknown_costs(u.cost_nanos, u.costs, u.upstream) = 0,
             (c.used is not distinct from 'unknown')::int4
        from usage u, jsonb_to_recordset(u.costs) as c (upstream text, nanos int8, used text)
       where u.costs is not null
    ) as part
   group by 1, 2, 3, 4;

create trigger usage_sums_spending after insert on usage referencing new table as posted
  for each statement execute function sum_spending();

-- Which values of tags have sums of their own, and how many of each key. Rows of past months are of no use any more.
create table tag_values (
  account_id int8 not null,
  month timestamptz not null,
  tag_key text collate "C" not null,
  value text collate "C" not null,
  primary key (account_id, month, tag_key, value)
);
create type tag_value as (account_id int8, month timestamptz, tag_key text, value text);

create table tag_value_counts (
  account_id int8 not null,
  month timestamptz not null,
  tag_key text collate "C" not null,
  named int4 not null,
  primary key (account_id, month, tag_key)
);

-- The sums of spending_days by tag: a request of several tags stands with each of them.
create table spending_tags (
  day date not null,
  account_id int8 not null,
  tag_key text collate "C" not null,
  -- '' = values beyond those that have sums of their own.
  value text collate "C" not null,
  model text collate "C" not null,
  requests int8 not null,
  errors int8 not null,
  input_tokens int8 not null,
  output_tokens int8 not null,
  charge_nanos int8 not null,
  cost_nanos numeric not null,
  margin_nanos numeric not null,
  unknown_costs int8 not null,
  unknown_charge_nanos int8 not null,
  primary key (day, account_id, tag_key, value, model)
) with (fillfactor = 70);
create index spending_tags_key on spending_tags (tag_key, day);
create index spending_tags_account on spending_tags (account_id, tag_key, day);

create trigger usage_sums_tags after insert on usage referencing new table as posted
  for each statement execute function sum_tags();

-- Few requests have tags, of which each may be rare.
create index usage_tags on usage using gin (tags) where tags is not null;

-- What upstreams served requests with and their models had no price for, as `charged` lists it, for operators to price. The
-- function keeps the latest 1,000, as vendors make up words.
create table unpriced_usage (
  model text collate "C" not null,
  upstream text collate "C" not null,
  -- "tier turbo", "call file_search", "audioInput"
  what text collate "C" not null,
  requests int8 not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- The latest of them.
  request_id text not null,
  primary key (model, upstream, what)
) with (fillfactor = 70);

create trigger usage_unpriced after insert on usage referencing new table as posted
  for each statement execute function sum_unpriced_usage();

-- The demo's mark: a start without a catalog file puts the demo into an empty database only, and afterwards moves
-- nothing but the address of its sandbox, whose port is another at every start.
create table demo (
  id int4 primary key default 1 check (id = 1),
  -- Where its upstream was last pointed at; what points elsewhere now is somebody's own.
  sandbox_url text not null,
  applied_at timestamptz not null default now()
);

-- What the platform gave for nothing, newest first, and its sum: such rows are few, so that only they are in the index.
-- Partitions of days to come get theirs when they are attached.
create index usage_written_off on usage (posted_at, request_id) include (written_off_nanos) where written_off_nanos > 0;

-- Conversations that were answered elsewhere than at the first choice of their key. All of it may be lost: what is not here
-- is asked for at its first choice, whose refusal sends it on. So it is written without a log, and read at a start only.
create unlogged table moved_conversations (
  -- A keyed hash of account, model and conversation.
  key bytea primary key,
  upstream_id int8 not null,
  credential_id int8 not null,
  -- Values of the history, counted from its beginning, that other signers have made.
  foreign_values int4 not null,
  used_at timestamptz not null default now()
);
create index moved_conversations_by_use on moved_conversations (used_at);

-- State of calls for chat clients that send nothing of a call back but its id. It lives for a day and may be lost: a
-- conversation goes on without. So it is not logged, and gone after a crash of the database.
create unlogged table call_states (
  -- A hash of account and call: ids alone come again in other conversations.
  call_key bytea primary key,
  -- Not "sealed": after a change of the master key it is forgotten rather than sealed anew.
  sealed_state text not null,
  created_at timestamptz not null default now()
);

create index call_states_by_age on call_states (created_at);

-- Requests of known keys that were refused, failed or took several attempts: what was told, and what each attempt met. They
-- are posted in batches and may be lost with a process; no money depends on them. Days are dropped after
-- settings.refusal_retention_days. Rows of a key and of a minute are bounded, failure_hours and error_hours count all.
create table failed_requests (
  posted_at timestamptz not null default now(),
  request_id text not null,
  accepted_at timestamptz not null,
  account_id int8 not null,
  key_id int8 not null,
  endpoint text not null,
  -- Null = it named none that its caller may use.
  model text,
  -- 0 = the client disconnected first.
  status int4 not null,
  -- Empty = it was answered after all.
  code text not null,
  -- What the caller was told.
  message text not null,
  -- Which limit refused it.
  limit_name text,
  upstream text,
  total_ms int4 not null,
  -- It held money: usage has it too.
  in_usage_log boolean not null,
  -- See FailedAttempt in failed-request.ts; for operators.
  attempts jsonb not null,
  vendor_ids text[] not null
) partition by range (posted_at);
create index failed_requests_request on failed_requests (request_id);
create index failed_requests_vendor_ids on failed_requests using gin (vendor_ids);
create index failed_requests_account on failed_requests (account_id, posted_at);
create index failed_requests_key on failed_requests (key_id, posted_at);
-- Over all accounts the usage log has the others.
create index failed_requests_refused on failed_requests (posted_at) where not in_usage_log;
create index failed_requests_model on failed_requests (model, posted_at) where not in_usage_log;
-- Of expressions, as these have statistics of their own: the planner would take the codes of all failures for those of refused
-- requests, which have others, and look through all of them.
create index failed_requests_code on failed_requests ((case when not in_usage_log then code end), posted_at);
create index failed_requests_status on failed_requests ((case when not in_usage_log then status end), posted_at);

-- How many failed, exactly, however few of them have a row. An hour of each of the three tables has a bounded number of rows;
-- 'other' counts the rest.
create table failure_hours (
  hour timestamptz not null,
  account_id int8 not null,
  code text collate "C" not null,
  requests int8 not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  last_request_id text not null,
  primary key (hour, account_id, code)
) with (fillfactor = 70);

-- The same by what the vendor said to the last attempt, without its numbers and ids; '' = no upstream was asked.
create table error_hours (
  hour timestamptz not null,
  code text collate "C" not null,
  upstream text collate "C" not null,
  message text collate "C" not null,
  requests int8 not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  last_request_id text not null,
  primary key (hour, code, upstream, message)
) with (fillfactor = 70);

-- Requests with keys that nobody knows.
create table unknown_keys (
  hour timestamptz not null,
  address text collate "C" not null,
  -- The key's first characters; '' = it has no key in a header.
  prefix text collate "C" not null,
  requests int8 not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  last_request_id text not null,
  primary key (hour, address, prefix)
) with (fillfactor = 70);

-- Operators look over all accounts: each filter finds the newest by an index, be they few or many.
create index usage_failures on usage (posted_at) where status >= 400 or status = 0;
create index usage_status on usage (status, posted_at) where status <> 200;
create index usage_error_code on usage (error_code, posted_at) where error_code is not null;
create index usage_model on usage (model, posted_at);
create index usage_upstream on usage (upstream, posted_at);
