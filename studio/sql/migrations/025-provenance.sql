-- What made an output is kept with it, so that it can be told, and made again: the seed that its job was given, the version of
-- the model, the backend, and the seconds that its job took there. Null: nobody knows, or the engine takes no seed.
-- release: 2

alter table assets
  add column seed bigint,
  add column model_version integer,
  add column backend text,
  add column run_seconds real;
