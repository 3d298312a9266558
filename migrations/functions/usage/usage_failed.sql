-- Whether the request came to nothing for the caller's or an upstream's fault; other reasons are responses, or the
-- caller's own leaving.
create or replace function usage_failed(reason text) returns boolean language sql immutable parallel safe as $$
  select reason in ('upstream_failed', 'upstream_failed_after_output', 'upstream_timeout',
    'upstream_timeout_after_output', 'rejected', 'no_upstream', 'interrupted');
$$;
