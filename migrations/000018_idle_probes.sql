-- Whether the gateway tries the upstream now and then while nobody asks it.
alter table upstreams add column probe boolean not null default false;
