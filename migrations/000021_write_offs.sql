-- What the platform gave for nothing, newest first, and its sum: such rows are few, so that only they are in the index.
-- Partitions of days to come get theirs when they are attached.
create index usage_written_off on usage (posted_at, request_id) include (written_off_nanos) where written_off_nanos > 0;
