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
