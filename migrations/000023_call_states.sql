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
