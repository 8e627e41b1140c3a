create table projects (
  id text primary key,
  account_id text not null references accounts,
  title text not null,
  -- The one project that takes the work which names none; found by this flag, never by its title.
  is_api boolean not null default false,
  created_at timestamptz not null default clock(),
  updated_at timestamptz not null default clock()
);
create unique index projects_one_api on projects (account_id) where is_api;
create index projects_newest on projects (account_id, created_at desc, id desc);

create table assets (
  id text primary key,
  account_id text not null references accounts,
  project_id text,
  render_id text,
  -- 0-based among the outputs of its render.
  position integer,
  type text not null check (type in ('image', 'video')),
  generation_type text,
  storage_key text not null,
  thumb_key text,
  content_type text not null,
  size_bytes bigint not null,
  width integer,
  height integer,
  duration double precision,
  aspect_ratio text,
  nsfw boolean not null default false,
  favorite boolean not null default false,
  prompt_id text,
  created_at timestamptz not null default clock()
);
create unique index assets_of_render on assets (render_id, position) where render_id is not null;
create index assets_newest on assets (account_id, created_at desc, id desc);
create index assets_of_project on assets (project_id, created_at desc, id desc) where project_id is not null;

-- Styles of an account's own, listed to it beside the platform's.
create table styles (
  id text primary key,
  account_id text not null references accounts,
  name text not null,
  type text not null check (type in ('image', 'video')),
  created_at timestamptz not null default clock()
);
create index styles_of_account on styles (account_id, created_at);
