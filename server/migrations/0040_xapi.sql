-- The newest position of each tenant's statements: microseconds since 1970. Writers move it on under a lock that they
-- keep until they commit, so statements become visible in the order of their positions.
create table statement_log (
  tenant_id text primary key references tenant,
  position bigint not null
) with (fillfactor = 20);

-- position: when it was stored, which is unique in the tenant. payload: the statement as JSON, without `stored`.
-- keys: what filters find it by, as hashes. refers_to: the statement that its object refers to, and voids: to void it.
create table statement (
  tenant_id text not null references tenant,
  statement_id uuid not null,
  position bigint not null,
  payload text not null,
  bytes integer not null,
  keys uuid[] not null,
  refers_to uuid,
  voids boolean not null default false,
  primary key (tenant_id, statement_id)
);
create unique index statement_in_order on statement (tenant_id, position);
create index statement_by_reference on statement (tenant_id, refers_to, position) where refers_to is not null;

-- Which statements a filter finds. source: the position of the statement that has the key, which is the statement
-- itself or one that it refers to, directly or through others.
create table statement_match (
  tenant_id text not null references tenant,
  key uuid not null,
  position bigint not null,
  source bigint not null,
  primary key (tenant_id, key, position, source)
);

create table voided_statement (
  tenant_id text not null references tenant,
  position bigint not null,
  primary key (tenant_id, position)
);

create table statement_attachment (
  tenant_id text not null references tenant,
  statement_id uuid not null,
  sha2 text not null,
  content_type text not null,
  content bytea not null,
  primary key (tenant_id, statement_id, sha2)
);

-- Each distinct definition of an activity, in the order of arrival.
create table activity_definition (
  tenant_id text not null references tenant,
  activity_key uuid not null,
  definition_key uuid not null,
  position bigint not null,
  activity text not null,
  primary key (tenant_id, activity_key, definition_key)
);

-- State, activity profiles and agent profiles. agent_key, activity_key and registration are zero where a document of
-- that kind has none.
create table xapi_document (
  tenant_id text not null references tenant,
  kind text not null,
  agent_key uuid not null,
  activity_key uuid not null,
  registration uuid not null,
  document_key uuid not null,
  document_id text not null,
  content_type text not null,
  content bytea not null,
  etag text not null,
  updated_at timestamptz not null,
  about text not null,
  primary key (tenant_id, kind, agent_key, activity_key, document_key, registration)
);
