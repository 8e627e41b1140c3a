-- Files of clients: what was sent, what became of it, and which generations wait for it. The bytes are the studio's.

create table uploads (
  id text primary key,
  account_id text not null references accounts on delete cascade,
  -- receiving: its bytes are on their way to the studio, and nobody sees it yet. coming: an address that a create
  -- named, still to be fetched.
  status text not null check (status in ('receiving', 'coming', 'processing', 'ready', 'rejected')),
  -- A mask or an import for one generation: shown to nobody, and removed when that has long ended.
  hidden boolean not null default false,
  -- Where it is fetched from, as long as it is coming.
  source_url text,
  project_id text,
  type text check (type in ('image', 'video', 'audio')),
  url text,
  file_name text,
  content_type text,
  size_bytes bigint,
  width double precision,
  height double precision,
  -- Of what came as text, a mask as a data URL: the text itself is kept nowhere.
  sha256 bytea check (length(sha256) = 32),
  error text,
  created_at timestamptz not null default clock(),
  processing_since timestamptz,
  -- Who receives, fetches or removes it, and until when unless he says so again.
  lease_owner text,
  lease_until timestamptz,
  -- Not fetched, asked about or removed before this.
  due_at timestamptz not null default clock(),
  tries integer not null default 0,

  check ((lease_owner is null) = (lease_until is null)),
  check ((status = 'coming') = (source_url is not null)),
  check (hidden or status = 'receiving' or (type is not null and url is not null and file_name is not null
                                            and content_type is not null and size_bytes is not null)),
  check (status not in ('processing', 'ready') or (type is not null and processing_since is not null))
) with (fillfactor = 70);

create index uploads_of_account on uploads (account_id);
-- Each loop's own work: few rows among many.
create index uploads_receiving on uploads (lease_until) where status = 'receiving';
create index uploads_coming on uploads (due_at) where status = 'coming';
create index uploads_processing on uploads (due_at) include (account_id) where status = 'processing';
create index uploads_hidden on uploads (due_at) where hidden and status in ('ready', 'rejected');

-- Which generations name an upload that was not ready when they were accepted, or that is there for them alone.
create table generation_uploads (
  upload_id text not null references uploads on delete cascade,
  generation_id text not null references generations on delete cascade,
  primary key (upload_id, generation_id)
);

create index generation_uploads_by_generation on generation_uploads (generation_id);
