-- How far renders are, for whoever watches them: a row for each render that is on its way, overwritten by the worker that is at
-- it, and gone at its end. Nothing of it is worth a disk: a crash of the database forgets it, and the next report is there again.
-- release: 2

create unlogged table render_progress (
  render_id text primary key,
  -- Somebody looks until then; without, a worker reports seldom and makes no previews.
  watched_until timestamptz,
  -- Of the render: an overtaken worker changes nothing. Null where nobody has reported yet.
  attempt integer,
  stage text check (stage in ('waiting_for_engine', 'loading_model', 'rendering', 'encoding', 'storing')),
  -- Of the whole render; never less than before.
  fraction real check (fraction between 0 and 1),
  step integer,
  steps integer,
  outputs_done integer not null default 0,
  -- Jobs before it in the engine's own queue.
  position integer,
  -- Grows with every report.
  revision integer not null default 0,
  -- The newest preview: a JPEG.
  preview bytea,
  preview_index integer,
  preview_revision integer not null default 0,
  preview_width integer,
  preview_height integer,
  reported_at timestamptz not null default clock()
) with (fillfactor = 50);
