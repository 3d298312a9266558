-- A day that was sealed and dropped can get rows again, where the database's clock jumped ahead and back. They are sealed
-- beside what was.
alter table usage_days drop constraint usage_days_pkey;
create index usage_days_day on usage_days (day, ledger);
