-- The demo's mark: a start without a catalog file puts the demo into an empty database only, and afterwards moves
-- nothing but the address of its sandbox, whose port is another at every start.
create table demo (
  id int4 primary key default 1 check (id = 1),
  -- Where its upstream was last pointed at; what points elsewhere now is somebody's own.
  sandbox_url text not null,
  applied_at timestamptz not null default now()
);

-- Databases that an earlier version made: it left no mark, so the demo is known by what it consists of.
insert into demo (sandbox_url)
  select base_url from upstreams
  where name = 'sandbox' and kind = 'sandbox' and base_url ~ '^http://127\.0\.0\.1:[0-9]+$'
    and exists (select from accounts where name = 'demo');

-- Who it was where nobody was signed in: `cli (NAME)` = a command that this user of the machine ran.
alter table audit_entries add column program text;
create index audit_entries_program on audit_entries (program, at desc, id desc) where program is not null;
