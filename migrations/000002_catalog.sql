-- What is sold (models, prices), who serves it (upstreams) and how the gateway behaves (settings).

-- The price book. A row never changes: usage records and open tasks point at the row they were
-- accepted under, and a receipt must show that price for ever. A new price is a new row.
create table prices (
  id int8 generated always as identity primary key,
  -- No foreign key: the row outlives its model.
  model_id text not null,
  -- Nanos per 1,000,000 tokens; null = no price of its own.
  input int8 check (input >= 0),
  output int8 check (output >= 0),
  reasoning int8 check (reasoning >= 0),
  cache_read int8 check (cache_read >= 0),
  cache_write_5m int8 check (cache_write_5m >= 0),
  cache_write_1h int8 check (cache_write_1h >= 0),
  -- {"<vendor's name>": "<nanos>"}: text, because a JSON number would lose digits.
  extras jsonb not null default '{}',
  -- {"perImage": {"1k": "<nanos>"}, "perSecond": {"720p": "<nanos>"}}
  media jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create index prices_model on prices (model_id, id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed or removed', tg_table_name
    using hint = 'Add a new row instead.', errcode = 'restrict_violation';
end
$$;
create trigger prices_are_immutable before update or delete or truncate on prices
  for each statement execute function refuse_change();

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
  quirks jsonb not null default '{}'
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
  enabled boolean not null
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

-- One row: the settings of the catalog file that were given; the others have the program's defaults.
create table settings (
  id int4 primary key check (id = 1),
  given jsonb not null
);
insert into settings (id, given) values (1, '{}');

create constraint trigger catalog_changed after insert or update or delete on models
  deferrable initially deferred for each row execute function note_change('catalog', 'id');
create constraint trigger catalog_changed after insert or update or delete on upstreams
  deferrable initially deferred for each row execute function note_change('catalog', 'id');
create constraint trigger catalog_changed after insert or update or delete on upstream_credentials
  deferrable initially deferred for each row execute function note_change('catalog', 'id');
create constraint trigger catalog_changed after update on settings
  deferrable initially deferred for each row execute function note_change('catalog', 'id');
