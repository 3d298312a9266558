-- Where a stored response lives: only the vendor account that made it can continue it.
create table stored_responses (
  response_id text not null,
  account_id bigint not null,
  upstream_id bigint not null,
  credential_id bigint not null,
  created_at timestamptz not null default now(),
  primary key (account_id, response_id)
);

create index stored_responses_by_age on stored_responses (created_at);
