-- Whether the response was complete; others would make latencies look better than they are.
create or replace function usage_completed(reason text) returns boolean language sql immutable parallel safe as $$
  select reason in ('completed', 'completed_usage_missing', 'empty_answer');
$$;
