create or replace function refuse_step_back() returns trigger language plpgsql as $$
begin
  raise exception 'task % cannot go from % % to % %', old.id, old.state, old.progress, new.state, new.progress
    using errcode = 'restrict_violation';
end
$$;
