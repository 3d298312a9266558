-- Deliveries of tasks go with their tasks; of the others an account keeps its last ones.
create or replace function trim_deliveries(account int8, kept int4) returns void language sql as $$
  delete from webhook_deliveries
   where account_id = account and task_id is null and id <= (
     select id from webhook_deliveries where account_id = account and task_id is null
      order by id desc offset kept limit 1);
$$;
