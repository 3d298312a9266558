-- Those who sign in: people, what they may do in which account, how they prove who they are, what they did.

-- Disabled, never deleted: the audit log speaks of them for ever.
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
  is_operator boolean not null default false,
  disabled boolean not null default false,
  -- Somebody who had the right to has vouched for the address: an invitation, an operator, an identity provider.
  -- False of who registered by themselves: an identity provider's word for the address is no proof that it is theirs.
  email_trusted boolean not null,
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz
);

create table account_members (
  user_id int8 not null references users (id),
  account_id int8 not null references accounts (id),
  role text not null check (role in ('viewer', 'member', 'owner')),
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
  user_agent text not null check (length(user_agent) <= 300)
) with (fillfactor = 80);
create index sessions_user on sessions (user_id);
create index sessions_expired on sessions (expires_at);

-- What scripts show instead.
create table console_tokens (
  id int8 generated always as identity primary key,
  user_id int8 not null references users (id),
  name text not null check (length(name) between 1 and 100),
  hash bytea not null unique check (length(hash) = 32),
  -- A few characters of both ends, for people to tell tokens apart.
  hint text not null check (length(hint) <= 16),
  read_only boolean not null,
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
  primary key (issuer, subject)
);
create index oidc_identities_user on oidc_identities (user_id);

-- A link that makes whoever opens it a member of an account, an operator, or both.
create table invitations (
  id int8 generated always as identity primary key,
  hash bytea not null unique check (length(hash) = 32),
  email text not null check (email = lower(email) and length(email) between 3 and 254),
  account_id int8 references accounts (id),
  role text check (role in ('viewer', 'member', 'owner')),
  makes_operator boolean not null,
  invited_by int8 not null references users (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  check ((account_id is null) = (role is null)),
  check (account_id is not null or makes_operator)
);
create index invitations_account on invitations (account_id, id) where accepted_at is null;
create index invitations_email on invitations (email) where accepted_at is null;

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
  address text not null
);
-- Lists are read newest first, by one of these or all; (at, id) is the page's mark.
create index audit_entries_at on audit_entries (at desc, id desc);
create index audit_entries_account on audit_entries (account_id, at desc, id desc);
create index audit_entries_user on audit_entries (user_id, at desc, id desc);
create index audit_entries_action on audit_entries (action, at desc, id desc);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only ever added to' using errcode = 'restrict_violation';
end
$$;
create trigger audit_entries_stand before update or delete on audit_entries
  for each row execute function refuse_audit_change();

-- Who made the key; null = the catalog file, the command line, or a time before there were people.
alter table api_keys add column created_by int8 references users (id);
