-- A1111's clients choose a model once and draw with it then, without naming it: what each key has chosen.
-- release: 2
create table facade_models (
  key_id text primary key references api_keys on delete cascade,
  model text not null,
  chosen_at timestamptz not null
);
