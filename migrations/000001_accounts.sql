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

-- Row trigger: raises counter <name> and notifies channel <name>_changed with
-- "<version> <table> <id>". Every use is deferred to the commit: the counter's row lock is then the last one a
-- transaction takes and is held for a moment only, so it can neither deadlock nor queue.
create function note_change() returns trigger language plpgsql as $$
declare
  counter text := tg_argv[0];
  id_column text := tg_argv[1];
  raised int8;
begin
  update change_counters set version = version + 1, changed_by = pg_current_xact_id()
    where name = counter and changed_by <> pg_current_xact_id();
  select version into raised from change_counters where name = counter;
  perform pg_notify(
    counter || '_changed',
    raised || ' ' || tg_table_name || ' '
      || (case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end ->> id_column));
  return null;
end
$$;

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
  created_at timestamptz not null default now()
);
create index accounts_group on accounts (group_name);

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
  created_at timestamptz not null default now(),
  check ((limit_nanos is null) = (limit_period is null))
);
-- A name is free again once its key is revoked.
create unique index api_keys_name_unique on api_keys (account_id, name) where revoked_at is null;

-- What callers show. Several per key while a rotation's grace lasts, so that rotating keeps the key's id
-- and with it its spending limit. Only the keyed hash is here: a dump gives no key away, nor lets a
-- short key be guessed without the hashing secret.
create table api_key_secrets (
  hash bytea primary key check (length(hash) = 32),
  key_id int8 not null references api_keys (id),
  -- A few characters of both ends, for people to tell keys apart.
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
create constraint trigger catalog_changed after insert or update or delete on groups
  deferrable initially deferred for each row execute function note_change('catalog', 'name');
