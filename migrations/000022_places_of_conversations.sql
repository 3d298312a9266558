-- Upstreams of one signer accept each other's signed and encrypted state: keys of one organization at one vendor.
alter table upstreams add column signer text;

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
