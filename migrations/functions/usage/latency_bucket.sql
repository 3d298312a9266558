-- Four buckets to an octave: bucket b counts from 2^(b/4) to below 2^((b+1)/4) ms, so that a percentile read off
-- them is right within a tenth.
create or replace function latency_bucket(ms int4) returns int2 language sql immutable parallel safe as $$
  select floor(4 * ln(greatest(ms, 1)::float8) / ln(2::float8))::int2;
$$;
