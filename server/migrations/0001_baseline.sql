-- The database of Lectern. Tables are grouped by the module that writes them. On Citus, tables whose primary key begins
-- with tenant_id are distributed by it, all others are reference tables: see db/distribute.ts. Functions that the
-- service calls are created after the migrations: see db/functions.ts.

-- Searches: an index of all parts of a text, within a tenant.
create extension if not exists btree_gin;
create extension if not exists pg_trgm;

-- platform: deployment-wide

create table setting (
  name text primary key,
  value text not null
);

-- One row for each job that runs by the clock. The node that moves `due` on runs it. failures: since the last success.
create table scheduled_job (
  name text primary key,
  due timestamptz not null,
  runs bigint not null default 0,
  succeeded_at timestamptz,
  took_seconds double precision,
  failures integer not null default 0
);

-- Responses to POST requests with an Idempotency-Key, for 24 hours. An empty tenant_id holds the operator's own calls.
-- Neither the client's key nor the request is stored, and they encrypt the response. about: SHA-256 of tenant and
-- LoginID if the request names a user. answer null: that user has been erased.
create table stored_answer (
  tenant_id text not null,
  key_hash bytea not null,
  request_hash bytea not null,
  expires_at timestamptz not null,
  answer bytea,
  about bytea,
  primary key (tenant_id, key_hash)
);
-- An erasure finds the responses to requests that name the user.
create index stored_answer_about on stored_answer (tenant_id, about) where about is not null;
create index stored_answer_old on stored_answer (expires_at);

-- tenants

-- status: 'suspended' refuses keys, sessions and links, and pauses webhooks. resumed_at: deadlines that a suspension
-- may have overrun count from here. deletion: the receipt of a deletion in progress. second_factor 'required':
-- administrators need a passkey to use the console. clock_offset: seconds by which the clock of a test tenant is ahead;
-- null: not a test tenant. reminders: when people are reminded. time_zone: in which days begin and end, for dates that
-- are sent. can_sign_in: whether an identity provider is enabled.
create table tenant (
  tenant_id text primary key,
  name text not null,
  password_hash text not null default 'opaque',
  return_origins text[],
  frame_origins text[],
  created_at timestamptz not null,
  updated_at timestamptz not null,
  status text not null default 'active' check (status in ('active', 'suspended', 'deleting')),
  resumed_at timestamptz,
  deletion jsonb,
  language text not null default 'en',
  reminders jsonb not null
    default '{"Enabled": false, "DaysBefore": [14, 3], "OnTheDay": true, "WeeklyWhenOverdue": true, "ManagerDigest": true}',
  clock_offset integer check (clock_offset between 0 and 630720000),
  second_factor text not null default 'optional',
  time_zone text not null default 'UTC',
  folded_id text collate "C" not null default '',
  folded_name text collate "C" not null default '',
  require_sign_in boolean not null default false,
  can_sign_in boolean not null default false,
  erased_certificates jsonb not null default '{"Show": "course", "For": null}',
  issuer_domains text[] not null default '{}'
);
-- Sign-in with the ID or the name of a tenant.
create index tenant_by_folded_id on tenant (folded_id);
create index tenant_by_folded_name on tenant (folded_name);
create index tenant_by_text on tenant using gin ((folded_id || ' ' || folded_name) gin_trgm_ops);
-- The tenant of /.well-known/did.json.
create index tenant_by_issuer_domain on tenant using gin (issuer_domains);
-- Each process reads the clocks that are ahead twice a second.
create index tenant_clock on tenant (tenant_id) where clock_offset > 0;

-- logo_name is part of the logo's URL: the start of its hash.
create table branding (
  tenant_id text primary key references tenant,
  colour text,
  logo bytea,
  logo_name text,
  logo_type text,
  logo_width integer,
  logo_height integer,
  updated_at timestamptz not null,
  check (num_nulls(logo, logo_name, logo_type, logo_width, logo_height) in (0, 5))
);

-- audit

-- One chain of entries for each tenant, and one for the deployment, whose tenant_id is empty. Nothing refers to a
-- tenant or a user, because the trail outlives them. No triggers: an attacker who can change rows can also drop a
-- trigger. The chain shows changes instead.
create table audit_entry (
  tenant_id text not null,
  audit_id uuid not null,
  number bigint not null,
  at timestamptz not null,
  action text not null,
  actor text not null,
  actor_id text,
  actor_user_id uuid,
  address text,
  request_id text,
  target text,
  target_id text,
  event_id uuid,
  data jsonb not null,
  hash text not null,
  primary key (tenant_id, audit_id)
);
create index audit_entry_by_id on audit_entry (audit_id);
create index audit_entry_in_order on audit_entry (tenant_id, number, audit_id);
create index audit_entry_of_action on audit_entry (tenant_id, action, audit_id);
create index audit_entry_of_event on audit_entry (tenant_id, event_id) where event_id is not null;
create index audit_entry_of_key on audit_entry (tenant_id, actor_id, audit_id);
create index audit_entry_of_target on audit_entry (tenant_id, target_id, audit_id);
create index audit_entry_of_user on audit_entry (tenant_id, actor_user_id, audit_id) where actor_user_id is not null;

-- The last entry of each chain; locked while an entry is appended. failures: sign-ins that failed since failures_from.
-- Beyond a limit they are counted and get no entry.
create table audit_chain (
  tenant_id text primary key,
  number bigint not null,
  at timestamptz not null,
  hash text not null,
  seal text not null,
  failures integer not null default 0,
  failures_from timestamptz
);

-- events

-- Where a tenant's log ends. A transaction moves this on just before it commits and keeps the row locked until then, so
-- positions become visible in order. The free space keeps its updates on the same page.
create table event_log (
  tenant_id text primary key references tenant,
  position bigint not null
) with (fillfactor = 20);

-- position: null until the end of the transaction that writes the event. That the tenant exists is checked once, in event_log.
create table event (
  tenant_id text not null,
  event_id uuid not null,
  type text not null,
  occurred_at timestamptz not null,
  user_id uuid,
  enroll_id uuid,
  course_id text,
  data jsonb not null,
  position bigint,
  primary key (tenant_id, event_id)
);
comment on index event_pkey is 'GET /events by EventID or newest first, replays of webhooks';
create unique index event_by_position on event (tenant_id, position);
comment on index event_by_position is 'GET /events, webhooks, reports';
create index event_of_enrolment on event (tenant_id, enroll_id, event_id) where enroll_id is not null;
comment on index event_of_enrolment is 'GET /events by EnrollID, GET /enrolment/{LoginID}/{EnrollID}/timeline';
create index event_of_user on event (tenant_id, user_id, event_id) where user_id is not null and enroll_id is null;
comment on index event_of_user is 'GET /events by LoginID: those without an enrolment';

-- webhooks

-- types null: all. position: how far in the log the deliveries of this endpoint have been made. owner: the node that
-- delivers; another one takes over when owned_until has passed. wake_at: when there is something to do even if nothing
-- happens. enabled_at: earlier attempts are due again, and their 72 hours count from then. kind: what the endpoint
-- receives; lti: scores, with the ID of its platform. username, password: credentials for another LRS; the password is
-- encrypted.
create table webhook (
  tenant_id text not null references tenant,
  webhook_id uuid not null,
  url text not null,
  description text,
  types text[],
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('failing', 'client')),
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  failing_since timestamptz,
  owner uuid,
  owned_until timestamptz,
  wake_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  enabled_at timestamptz,
  position bigint not null,
  kind text not null default 'events' check (kind in ('events', 'xapi', 'results', 'lti')),
  username text,
  password text,
  token_url text,
  scope text,
  actor text check (actor in ('email', 'account')),
  primary key (tenant_id, webhook_id)
);

-- One event for one endpoint. Those of a lane (an enrolment, else a user) are delivered one after the other, in the
-- order of their numbers. person_erased: an erasure came between a delivery and its response, which may repeat what was
-- delivered, so the response is not stored. statement_ids: those of a delivery to another LRS; event_id is the first.
create table webhook_delivery (
  tenant_id text not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  number bigint generated always as identity,
  event_id uuid not null,
  type text not null,
  lane uuid not null,
  reason text not null check (reason in ('event', 'replay', 'ping')),
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  created_at timestamptz not null,
  first_attempt_at timestamptz,
  attempted_at timestamptz,
  next_attempt_at timestamptz,
  url text,
  response_status integer,
  response_body text,
  error text,
  milliseconds integer,
  person_erased boolean not null default false,
  statement_ids uuid[],
  primary key (tenant_id, webhook_id, delivery_id),
  foreign key (tenant_id, webhook_id) references webhook on delete cascade
);
create index webhook_delivery_by_age on webhook_delivery (created_at) where status <> 'pending';
create index webhook_delivery_by_status on webhook_delivery (tenant_id, webhook_id, status, number);
create index webhook_delivery_failed on webhook_delivery (tenant_id, attempted_at) where status = 'failed';
create index webhook_delivery_in_order on webhook_delivery (tenant_id, webhook_id, number);
create index webhook_delivery_of_event on webhook_delivery (tenant_id, webhook_id, event_id, number);
create index webhook_delivery_of_lane on webhook_delivery (tenant_id, webhook_id, lane, number);

-- auth

-- Keys with which tenants sign documents that others verify. They are kept for ever: what a key has signed stays
-- verifiable and can be written again. private_jwk: encrypted. signs_from: what is signed later has this key.
create table tenant_key (
  tenant_id text not null references tenant,
  key_id uuid not null,
  algorithm text not null,
  public_jwk jsonb not null,
  private_jwk text not null,
  created_at timestamptz not null,
  signs_from timestamptz not null,
  primary key (tenant_id, key_id)
);

-- tenant_id null: a key of the operator.
create table api_key (
  key_id uuid primary key,
  tenant_id text references tenant,
  name text not null,
  secret_hash text not null unique,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_key_of_tenant on api_key (tenant_id, key_id);
-- Counts a tenant's usable keys.
create index api_key_usable on api_key (tenant_id, (coalesce(expires_at, 'infinity'))) where revoked_at is null;

-- users

-- admin_scopes: the maximum for an administrator who signs in with a password; null: all. password_changed_at: sessions
-- that began before then have ended, except password_changed_in; the same for passkeys. password_chosen: on a page of
-- this service. email_bounced_at: since when the email address is known not to exist. login_id and group_name are
-- sorted by code points, so that a prefix is a range of the index in every locale. The service folds folded_email,
-- sort_name and folded, the text that searches look through, so that they do not depend on the locale either
-- (lib/unicode.ts). time_factor: multiplies the time limits of courses; 0: no time limits. other_groups: the groups after
-- the first one, which is group_name. manager_login_id: may name somebody who does not exist yet. attributes: texts by
-- their names.
create table "user" (
  tenant_id text not null references tenant,
  user_id uuid not null,
  login_id text collate "C" not null,
  first_name text,
  last_name text,
  group_name text collate "C",
  email text,
  is_admin boolean not null default false,
  register boolean not null default false,
  enabled boolean not null default true,
  password_hash text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  admin_scopes text[],
  password_changed_at timestamptz,
  password_changed_in text,
  password_chosen boolean not null default false,
  passkeys_changed_at timestamptz,
  passkeys_changed_in text,
  email_bounced_at timestamptz,
  email_bounce_reason text,
  folded_email text collate "C",
  sort_name text collate "C" not null default '',
  folded text collate "C" not null default '',
  time_factor double precision not null default 1 check (time_factor = 0 or time_factor >= 1),
  other_groups text[] collate "C" not null default '{}',
  manager_login_id text collate "C",
  attributes jsonb not null default '{}',
  primary key (tenant_id, user_id),
  unique (tenant_id, login_id),
  check (group_name is not null or other_groups = '{}')
);
-- Whether an address has bounced.
create index user_bounced on "user" (tenant_id, folded_email, login_id)
  where email_bounced_at is not null;
-- LoginIDs that differ only in case. The expression must equal the one in users/similar-users.ts.
create index user_by_caseless_login on "user" (tenant_id, (lower(translate(normalize(btrim(login_id), nfd), 'ẞÆŒÞØĐÐŁĦŊΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣςΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ', 'ßæœþøđðłħŋαβγδεζηθικλμνξοπρσστυφχψωабвгдежзийклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ') collate "C") collate "C"));
create index user_by_email on "user" (tenant_id, folded_email, login_id) where folded_email is not null;
-- GET /user?Order=name
create index user_by_name on "user" (tenant_id, sort_name, login_id);
create index user_by_attribute on "user" using gin (tenant_id, attributes jsonb_path_ops);
create index user_by_lower_login on "user" (tenant_id, (lower(login_id) collate "C"));
comment on index user_by_lower_login is 'SCIM users by userName';
create index user_by_group on "user" (tenant_id, group_name, login_id);
create index user_by_manager on "user" (tenant_id, manager_login_id, login_id) where manager_login_id is not null;
create index user_disabled on "user" (tenant_id, login_id) where not enabled;
create index user_by_text on "user" using gin (tenant_id, folded gin_trgm_ops);

-- The other_groups of each user, for lists. Triggers on "user" write it.
create table user_group (
  tenant_id text not null,
  login_id text collate "C" not null,
  group_name text collate "C" not null,
  primary key (tenant_id, login_id, group_name),
  foreign key (tenant_id, login_id) references "user" (tenant_id, login_id) on delete cascade
);
create index user_group_by_name on user_group (tenant_id, group_name, login_id);

-- The wrong passwords of the last 15 minutes.
create table password_failure (
  tenant_id text not null,
  user_id uuid not null,
  failed_at timestamptz[] not null,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);

-- The newest invitation of each user. link_hashes: its links, each of which works until one is used. scopes: the
-- maximum for a password set by the link; null: all of a tenant's.
create table invitation (
  tenant_id text not null,
  user_id uuid not null,
  invitation_id uuid not null,
  link_hashes text[] not null,
  scopes text[],
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, user_id),
  unique (tenant_id, invitation_id),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
-- GET /invitation lists the pending ones.
create index invitation_open on invitation (tenant_id, invitation_id) where accepted_at is null and revoked_at is null;

-- Links with which users who forgot their password set another one. A user may have several.
create table password_reset (
  tenant_id text not null,
  link_hash text not null,
  user_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (tenant_id, link_hash),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create index password_reset_of_user on password_reset (tenant_id, user_id, created_at);

-- mail

-- content: what the text is made of, encrypted, until it is sent or given up. due_at: when a queued email is due; while
-- it is being sent, when another node may take over. expires_at: when its link stops working. urgent: somebody is
-- waiting for it. bounce_kind: 'permanent' or 'temporary'.
create table mail (
  tenant_id text not null,
  mail_id uuid not null,
  user_id uuid not null,
  kind text not null,
  urgent boolean not null default false,
  address text not null,
  content text,
  status text not null default 'queued',
  attempts integer not null default 0,
  answer text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  due_at timestamptz not null,
  attempted_at timestamptz,
  bounced_at timestamptz,
  bounce_kind text,
  bounce_reason text,
  folded_address text collate "C" not null default '',
  primary key (tenant_id, mail_id),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create index mail_age on mail (created_at);
-- POST /mail/bounce: the mail provider does not know the tenant of an email.
create index mail_by_id on mail (mail_id);
create index mail_by_status on mail (tenant_id, status, mail_id);
create index mail_due on mail (tenant_id, urgent, due_at) where status = 'queued';
create index mail_of_user on mail (tenant_id, user_id, mail_id);
create index mail_queued_of_user on mail (tenant_id, user_id, mail_id) where status = 'queued';

-- A tenant's two queues: when the next email is due (null: none is), and how many were sent in the hour that began
-- then.
create table mail_queue (
  tenant_id text not null,
  urgent boolean not null default false,
  wake_at timestamptz,
  hour_began_at timestamptz,
  sent integer not null default 0,
  primary key (tenant_id, urgent)
);
create index mail_queue_wake on mail_queue (wake_at);

-- How many emails an address got in the hour that began then, from all tenants. address_mark: a keyed hash.
create table mail_recipient (
  address_mark text not null,
  urgent boolean not null,
  hour_began_at timestamptz not null,
  sent integer not null,
  primary key (address_mark, urgent)
);
create index mail_recipient_age on mail_recipient (hour_began_at);

-- catalogue: deployment-wide

-- complete_when: the rule for completing a single file; null: the rule of its standard. path: the steps of a course made
-- of courses. owner_tenant_id: the tenant that made this path, and the only one that may change it; null: the operator.

create table course (
  course_id text primary key,
  title text not null,
  description text,
  language text,
  image_url text,
  url text,
  status text not null default 'published' check (status in ('draft', 'published', 'retired')),
  tenants text[],
  release_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  folded text collate "C" not null default '',
  complete_when jsonb,
  require_sign_in boolean not null default false,
  certificate jsonb,
  certificate_since timestamptz,
  retain_years integer,
  path jsonb,
  owner_tenant_id text,
  activity_id text,
  check (path is null or (release_id is null and url is null))
);
create index course_by_text on course using gin (folded gin_trgm_ops);
create index course_by_activity on course (activity_id, course_id) where activity_id is not null;
comment on index course_by_activity is 'Statements of content vendors that complete a course';

create table release (
  release_id uuid primary key,
  course_id text not null references course on delete cascade,
  number integer not null,
  standard text not null,
  title text not null,
  tree jsonb not null,
  warnings jsonb not null,
  files integer not null,
  bytes bigint not null,
  sha256 text not null,
  created_at timestamptz not null,
  unique (course_id, number)
);
alter table course add foreign key (release_id) references release;

-- The files of a release in an object store, under the key {sha256}.{upload_id}. Releases with the same file share the
-- object. Releases in the data folder have no rows.
create table release_file (
  release_id uuid not null references release on delete cascade,
  path text not null,
  bytes bigint not null,
  sha256 text not null,
  upload_id uuid not null,
  primary key (release_id, path)
);
create index release_file_of_object on release_file (sha256, upload_id);
comment on index release_file_of_object is 'Imports, which reuse objects, and the job that removes unused ones';

-- Objects that no release has, with the time when they were found. They are removed two days later, because an import in
-- progress may be about to use them.
create table storage_orphan (
  sha256 text not null,
  upload_id uuid not null,
  found_at timestamptz not null,
  primary key (sha256, upload_id)
);
create index storage_orphan_by_age on storage_orphan (found_at);
comment on index storage_orphan_by_age is 'The job that removes unused objects';

-- Imports from a URL, which a job carries out. updated_at: a running one that is older belongs to a process that died.
-- url: without its query once the import has ended, because the query may hold a signature.
create table package_import (
  import_id uuid primary key,
  course_id text not null references course on delete cascade,
  url text not null,
  is_current boolean not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
  release integer,
  code text,
  detail text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index package_import_due on package_import (created_at) where status in ('queued', 'running');

-- seats_taken: counted while seats is not null. limits_set: how often a limit was set. It is part of a unique index, so
-- setting a limit waits for enrolments that have locked the option's key: see catalogue/seats.ts. attempts: rules for
-- attempts, which are copied when a user is enrolled. due_after: an ISO 8601 period after the day of the enrolment.
create table enrol_option (
  course_id text not null references course on delete cascade,
  duration_id text not null,
  name text not null,
  duration text,
  starts_on text not null default 'enrolment' check (starts_on in ('enrolment', 'launch')),
  seats integer,
  groups text[],
  price_amount text,
  price_currency text,
  status text not null default 'published' check (status in ('draft', 'published', 'retired')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seats_taken integer not null default 0,
  attempts jsonb,
  limits_set integer not null default 0,
  due_after text,
  primary key (course_id, duration_id)
);
-- Makes limits_set part of a key.
create unique index enrol_option_limits on enrol_option (course_id, duration_id, limits_set);

-- enrolments

-- user_id null: an anonymous result of an erased user. ended_at null: the user's current enrolment on the course. It
-- ends by withdrawal, renewal or a later enrolment after its time; the result stays readable. commits: the highest
-- number; revision: how many were taken, as they may arrive out of order. holds_seat false: withdrawn early, so the
-- seat can be used again. group_name: the user's current group. au_bytes: stored by its AUs. attempt_rules null: one
-- attempt, which stays open. attempt_launch: the last launch before the current attempt. attempt_state: its own result,
-- and what counts of earlier ones; null: the result of the enrolment. end_set_at: when the end was last moved.
-- time_factor: as in "user"; null: the user's. due_at: advice, which ends nothing. path_enroll_id: the enrolment on the
-- path of which this is a part. withdrawn_with_path: it is reinstated with the path.
-- fillfactor here and below: commits update these rows without new index entries.
create table enrolment (
  tenant_id text not null,
  enroll_id uuid not null,
  user_id uuid,
  course_id text not null,
  duration_id text not null,
  release_id uuid references release,
  status text not null default 'enrolled'
    check (status in ('enrolled', 'in_progress', 'completed', 'expired', 'withdrawn')),
  status_before_end text check (status_before_end in ('enrolled', 'in_progress', 'completed')),
  completion text not null default 'unknown' check (completion in ('unknown', 'incomplete', 'completed')),
  success text not null default 'unknown' check (success in ('unknown', 'passed', 'failed')),
  score double precision,
  progress double precision not null default 0,
  total_seconds double precision not null default 0,
  override jsonb,
  duration text,
  starts_on text not null,
  enrolled_at timestamptz not null,
  started_at timestamptz,
  last_accessed_at timestamptz,
  completed_at timestamptz,
  expires_at timestamptz,
  ended_at timestamptz,
  changed_at timestamptz not null,
  launches integer not null default 0,
  commits integer not null default 0,
  revision integer not null default 0,
  reference text,
  metadata jsonb not null default '{}',
  holds_seat boolean not null default true,
  group_name text collate "C",
  au_bytes bigint not null default 0,
  attempt_rules jsonb,
  attempt_number integer not null default 1,
  attempt_launch integer not null default 0,
  attempt_state jsonb,
  end_set_at timestamptz,
  time_factor double precision check (time_factor = 0 or time_factor >= 1),
  due_at timestamptz,
  path_enroll_id uuid,
  withdrawn_with_path boolean not null default false,
  primary key (tenant_id, enroll_id),
  foreign key (course_id, duration_id) references enrol_option,
  foreign key (tenant_id, user_id) references "user"
) with (fillfactor = 90);
comment on index enrolment_pkey is 'GET /enrolment/{LoginID}/{EnrollID}, launches, commits';
create index enrolment_by_end on enrolment (tenant_id, expires_at, enroll_id)
  where ended_at is null and expires_at is not null;
comment on index enrolment_by_end is
  'GET /enrolment by ExpiresAfter and ExpiresBefore, the job that ends enrolments, reminders';
create index enrolment_by_due on enrolment (tenant_id, due_at, enroll_id)
  where ended_at is null and due_at is not null and status in ('enrolled', 'in_progress');
comment on index enrolment_by_due is 'GET /enrolment by DueBefore and in the order due';
create index enrolment_by_status on enrolment (tenant_id, status, enroll_id);
comment on index enrolment_by_status is 'GET /enrolment by Status';
create index enrolment_by_result on enrolment (tenant_id, (coalesce(override ->> 'Success', success)), enroll_id)
  where coalesce(override ->> 'Success', success) in ('passed', 'failed');
comment on index enrolment_by_result is 'GET /enrolment by Outcome';
create index enrolment_changed on enrolment (tenant_id, changed_at, enroll_id);
comment on index enrolment_changed is 'GET /enrolment by ChangedAfter';
create unique index enrolment_current on enrolment (tenant_id, user_id, course_id) where ended_at is null;
comment on index enrolment_current is 'POST /enrol/{LoginID}/{CourseID}: one current enrolment per user and course';
create index enrolment_by_completion on enrolment (tenant_id, completed_at) where completed_at is not null;
comment on index enrolment_by_completion is 'GET /report/record: what was completed in a period';
create index enrolment_overridden on enrolment (tenant_id, enroll_id) where completed_at is null and override is not null;
comment on index enrolment_overridden is 'GET /report/record: enrolments that were completed by an override only';
create index enrolment_of_course on enrolment (tenant_id, course_id, status, enroll_id);
comment on index enrolment_of_course is 'GET /enrolment by CourseID, with Status';
create index enrolment_of_group on enrolment (tenant_id, group_name, enroll_id) where group_name is not null;
comment on index enrolment_of_group is 'GET /enrolment by GroupName';
create index enrolment_of_option on enrolment (course_id, duration_id, tenant_id, enroll_id);
comment on index enrolment_of_option is
  'GET /enrolment by DurationID, and PUT /course/{CourseID}/option/{DurationID}, which counts seats in all tenants';
create index enrolment_of_path on enrolment (tenant_id, path_enroll_id, enroll_id) where path_enroll_id is not null;
comment on index enrolment_of_path is 'GET /enrolment by PathEnrollID, and the roll-up of paths';
create index enrolment_of_user on enrolment (tenant_id, user_id, enroll_id);
comment on index enrolment_of_user is 'GET /enrolment/{LoginID}, and the limit of enrolments per user';
create index enrolment_on_release on enrolment (release_id) where release_id is not null;
comment on index enrolment_on_release is 'DELETE /course/{CourseID}: whether an enrolment has a release of the course';

-- The other_groups of the users of enrolments, for lists.
create table enrolment_group (
  tenant_id text not null,
  enroll_id uuid not null,
  group_name text collate "C" not null,
  primary key (tenant_id, enroll_id, group_name),
  foreign key (tenant_id, enroll_id) references enrolment on delete cascade
);
create index enrolment_group_by_name on enrolment_group (tenant_id, group_name, enroll_id);
comment on index enrolment_group_by_name is 'GET /enrolment by GroupName';

-- Enrolling locks the user, so that a change of groups misses no enrolment.
create function follow_groups() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    update enrolment set group_name = new.group_name
    where tenant_id = new.tenant_id and user_id = new.user_id and group_name is distinct from new.group_name;
    if old.other_groups = new.other_groups then
      return null;
    end if;
    delete from user_group where tenant_id = new.tenant_id and login_id = new.login_id;
    delete from enrolment_group where tenant_id = new.tenant_id and enroll_id in (
      select own.enroll_id from enrolment own where own.tenant_id = new.tenant_id and own.user_id = new.user_id
    );
  end if;
  insert into user_group (tenant_id, login_id, group_name)
  select new.tenant_id, new.login_id, unnest(new.other_groups) on conflict do nothing;
  insert into enrolment_group (tenant_id, enroll_id, group_name)
  select new.tenant_id, own.enroll_id, unnest(new.other_groups) from enrolment own
  where own.tenant_id = new.tenant_id and own.user_id = new.user_id on conflict do nothing;
  return null;
end $$;

create trigger list_groups after insert on "user"
  for each row when (new.other_groups <> '{}') execute function follow_groups();
create trigger follow_groups after update of group_name, other_groups on "user"
  for each row when ((old.group_name, old.other_groups) is distinct from (new.group_name, new.other_groups))
  execute function follow_groups();

-- A user belongs to one tenant. Without this, PostgreSQL expects one enrolment per user, and may look for an enrolment
-- by course in all of the user's enrolments.
create statistics enrolment_of_users (dependencies) on tenant_id, user_id from enrolment;

-- launch_id: session tokens contain it, because after a restored backup the same number is given to another launch.
-- exit_number: of the commit with which the learner left. Later ones are refused.
create table launch (
  tenant_id text not null,
  enroll_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  last_seen_at timestamptz not null,
  ended_at timestamptz,
  return_url text,
  user_agent text,
  exit_number integer,
  launch_id uuid not null,
  primary key (tenant_id, enroll_id, number),
  foreign key (tenant_id, enroll_id) references enrolment
) with (fillfactor = 90);

-- The run-time data of one enrolment: here what spans its units, from its newest commit: of the latest launch, then with
-- the highest number. shared: what the tree state shares with the learner's other courses.
create table attempt (
  tenant_id text not null,
  enroll_id uuid not null,
  tree_state text,
  last_unit_id text,
  root jsonb,
  shared text,
  primary key (tenant_id, enroll_id),
  foreign key (tenant_id, enroll_id) references enrolment
) with (fillfactor = 80);

-- bytes: of `data` as JSON. All units of an enrolment have a limit together. jsonb would reject U+0000 and unpaired
-- surrogates, which compressing courses write.
create table attempt_unit (
  tenant_id text not null,
  enroll_id uuid not null,
  unit_id text not null,
  commit_number integer not null,
  data json not null,
  evidence jsonb not null,
  updated_at timestamptz not null,
  launch integer not null default 0,
  bytes integer not null default 0,
  primary key (tenant_id, enroll_id, unit_id),
  foreign key (tenant_id, enroll_id) references enrolment
) with (fillfactor = 80);

-- Each commit compresses a unit's data. LZ4 does that with a fraction of the CPU time, but a build may lack it.
do $$
begin
  if exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) then
    alter table attempt_unit alter column data set compression lz4;
  end if;
end
$$;

-- body_hash: a number may be repeated only by the same commit. refused: the code with which a commit was refused; null:
-- it counts. claimed: the result that a page claimed for the course without support by its data. The statements that
-- insert a commit lock its enrolment first, so it has no foreign key.
create table run_time_commit (
  tenant_id text not null,
  enroll_id uuid not null,
  number integer not null,
  launch integer not null,
  unit_id text not null,
  evidence jsonb not null,
  warnings text[],
  committed_at timestamptz not null,
  refused text,
  body_hash text,
  claimed jsonb,
  primary key (tenant_id, enroll_id, launch, number)
);
-- GET /enrolment/{LoginID}/{EnrollID}/explain shows the latest claims and refused reports.
create index run_time_commit_claimed on run_time_commit (tenant_id, enroll_id, committed_at) where claimed is not null;
create index run_time_commit_refused on run_time_commit (tenant_id, enroll_id, committed_at) where refused is not null;
-- A page of a timeline.
create index run_time_commit_in_order on run_time_commit (tenant_id, enroll_id, committed_at, number, launch);

-- Attempts that have ended. ended_by: 'launch' or 'reset'. discarded: a reset came later, so the result does not count.
-- kept_bytes: run-time data of this attempt and all earlier ones of the enrolment.
create table earlier_attempt (
  tenant_id text not null,
  enroll_id uuid not null,
  number integer not null,
  release_id uuid,
  first_launch integer not null,
  last_launch integer not null,
  finished_at timestamptz,
  ended_at timestamptz not null,
  ended_by text not null,
  reason text,
  discarded boolean not null default false,
  result jsonb not null,
  kept_bytes integer not null default 0,
  primary key (tenant_id, enroll_id, number),
  foreign key (tenant_id, enroll_id) references enrolment
);

create table earlier_unit (
  tenant_id text not null,
  enroll_id uuid not null,
  number integer not null,
  unit_id text not null,
  launch integer not null,
  commit_number integer not null,
  data json not null,
  bytes integer not null,
  evidence jsonb not null,
  updated_at timestamptz not null,
  primary key (tenant_id, enroll_id, number, unit_id),
  foreign key (tenant_id, enroll_id, number) references earlier_attempt
);

-- Sessions of AUs (cmi5) and of xAPI activities. mode: the launch mode, or 'Waived' for a decision of an administrator,
-- which has a session ID of its own. prepared: whether the AU has read the learner's preferences. verbs: those of its
-- statements defined by cmi5. ended_by: 'terminated', 'abandoned' or 'waived'.
create table au_session (
  tenant_id text not null,
  enroll_id uuid not null,
  session_id uuid not null,
  unit_id text not null,
  launch integer not null,
  mode text not null,
  token_hash text,
  prepared boolean not null default false,
  verbs text[] not null default '{}',
  opened_at timestamptz not null,
  last_statement_at timestamptz,
  ended_at timestamptz,
  ended_by text,
  primary key (tenant_id, enroll_id, session_id),
  foreign key (tenant_id, enroll_id) references enrolment
);
-- Opening a unit abandons the open session of the enrolment.
create index au_session_open on au_session (tenant_id, enroll_id) where ended_at is null;

-- enrolment-keys

-- Only a hash of a key is stored. user_id: only this user may redeem it.
create table enrolment_key (
  tenant_id text not null references tenant,
  key_id uuid not null,
  key_hash text not null,
  key_start text not null,
  course_ids text[] not null,
  duration_ids text[] not null,
  user_id uuid,
  group_name text,
  purchase_order text,
  valid_from timestamptz not null,
  valid_until timestamptz not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  redeemed_at timestamptz,
  redeemed_by uuid,
  enroll_ids uuid[],
  primary key (tenant_id, key_id),
  unique (tenant_id, key_hash),
  foreign key (tenant_id, redeemed_by) references "user",
  foreign key (tenant_id, user_id) references "user"
);
create index enrolment_key_of_order on enrolment_key (tenant_id, purchase_order, key_id)
  where purchase_order is not null;
create index enrolment_key_of_user on enrolment_key (tenant_id, user_id) where user_id is not null;
create index enrolment_key_open on enrolment_key (tenant_id, key_id) where redeemed_at is null and revoked_at is null;
create index enrolment_key_redeemed on enrolment_key (tenant_id, key_id) where redeemed_at is not null;
create index enrolment_key_redeemed_by on enrolment_key (tenant_id, redeemed_by) where redeemed_by is not null;
create index enrolment_key_revoked on enrolment_key (tenant_id, key_id)
  where revoked_at is not null and redeemed_at is null;

-- The unknown keys that a user tried in the last 15 minutes.
create table key_guess (
  tenant_id text not null,
  user_id uuid not null,
  guessed_at timestamptz[] not null default '{}',
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);

-- completions from elsewhere

-- One that was deleted stays, with the reason.
create table external_completion (
  tenant_id text not null references tenant,
  completion_id uuid not null,
  user_id uuid not null,
  course_id text collate "C" references course,
  title text,
  completed_at timestamptz not null,
  success text not null,
  score double precision,
  source text,
  evidence_text text,
  evidence_url text,
  reference text collate "C",
  created_at timestamptz not null,
  created_by text not null,
  deleted_at timestamptz,
  delete_reason text,
  primary key (tenant_id, completion_id),
  foreign key (tenant_id, user_id) references "user"
);
comment on index external_completion_pkey is 'GET /completion';
create index external_completion_by_completion on external_completion (tenant_id, completed_at) where deleted_at is null;
comment on index external_completion_by_completion is 'GET /report/record: what was completed in a period';
create unique index external_completion_by_reference on external_completion (tenant_id, reference) where deleted_at is null;
comment on index external_completion_by_reference is 'POST /completion with a Reference, GET /completion by Reference';
create index external_completion_of_course on external_completion (tenant_id, course_id, completion_id);
comment on index external_completion_of_course is 'GET /completion by CourseID';
create index external_completion_of_user on external_completion (tenant_id, user_id, completion_id);
comment on index external_completion_of_user is 'GET /completion by LoginID, obligations, training records, erasure';

-- requirements

-- rule: the record that clients send, with all defaults. voided: the releases whose completions no longer count.
-- pending_after: a change has been applied to the users up to this one; null: to all.
create table requirement (
  tenant_id text not null references tenant,
  requirement_id text collate "C" not null,
  rule jsonb not null,
  voided jsonb not null default '[]',
  pending_after uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, requirement_id)
);
create index requirement_pending on requirement (tenant_id, updated_at) where pending_after is not null;

-- How far the log of a tenant with requirements has been followed. Locked while its obligations are evaluated.
create table requirement_log (
  tenant_id text primary key references tenant,
  position bigint not null
);

-- How far the log of a tenant that is offered paths has been followed. swept_at, swept_course: changes of paths apply to
-- their enrolments up to this change, and this one up to the enrolment swept_after; null: to all of them.
create table path_log (
  tenant_id text primary key references tenant,
  position bigint not null,
  swept_at timestamptz not null,
  swept_course text collate "C" not null,
  swept_after uuid
);

-- follows: the previous cycle is still shown. assigned_on: the day from which DueAfter counts; null: the end of the
-- previous term. counts_from: completions from then on count; null: all. met_by: an enrolment, or a completion from
-- elsewhere. term_start, term: the term ends this many periods after that day. announced: the status of the last event.
-- next_change_at: when the job looks at it again. group_names, manager_login_id, attributes: of the user, as last seen.
-- earlier: former values, each with the time until which they held, for reports of earlier days.
create table obligation (
  tenant_id text not null,
  obligation_id uuid not null,
  requirement_id text collate "C" not null,
  user_id uuid,
  cycle integer not null,
  follows boolean not null,
  assigned_on text,
  counts_from timestamptz,
  opened_at timestamptz not null,
  due_at timestamptz not null,
  due_soon_at timestamptz not null,
  met_at timestamptz,
  met_by uuid,
  external boolean not null,
  term_start text,
  term integer not null,
  valid_until timestamptz,
  expiring_at timestamptz,
  exempt_at timestamptz,
  exempt_until timestamptz,
  exempt_reason text,
  left_at timestamptz,
  closed_at timestamptz,
  closed_reason text,
  enroll_id uuid,
  enrol_problem text,
  announced text not null,
  next_change_at timestamptz,
  changed_at timestamptz not null,
  group_names text[] not null default '{}',
  manager_login_id text collate "C",
  attributes jsonb not null default '{}',
  earlier jsonb not null default '[]',
  primary key (tenant_id, obligation_id),
  unique (tenant_id, user_id, requirement_id, cycle),
  foreign key (tenant_id, requirement_id) references requirement,
  foreign key (tenant_id, user_id) references "user"
) with (fillfactor = 90);
create index obligation_by_due on obligation (tenant_id, due_at, obligation_id);
comment on index obligation_by_due is 'GET /obligation';
create index obligation_by_validity on obligation (tenant_id, valid_until, obligation_id) where valid_until is not null;
comment on index obligation_by_validity is 'GET /obligation in the order of valid_until';
create index obligation_closed on obligation (tenant_id, due_at, obligation_id) where closed_at is not null;
create index obligation_exempt on obligation (tenant_id, due_at, obligation_id)
  where closed_at is null and exempt_at is not null;
create index obligation_met on obligation (tenant_id, due_at, obligation_id)
  where closed_at is null and exempt_at is null and met_at is not null;
create index obligation_next_change on obligation (tenant_id, next_change_at) where next_change_at is not null;
comment on index obligation_next_change is 'the job that evaluates obligations';
create index obligation_of_group on obligation using gin (tenant_id, group_names);
create index obligation_of_manager on obligation (tenant_id, manager_login_id, due_at, obligation_id)
  where manager_login_id is not null;
create index obligation_of_requirement on obligation (tenant_id, requirement_id, due_at, obligation_id);
create index obligation_open on obligation (tenant_id, due_at, obligation_id)
  where closed_at is null and exempt_at is null and met_at is null;
comment on index obligation_open is 'GET /obligation by Status: overdue, due_soon, not_due';

-- Present obligations by announced status, for reports. kind: all, group or manager; name: of the group, or the manager's
-- LoginID; '' for people without one.
create table obligation_count (
  tenant_id text not null references tenant,
  kind text not null,
  name text collate "C" not null,
  requirement_id text collate "C" not null,
  not_due integer not null,
  due_soon integer not null,
  overdue integer not null,
  met integer not null,
  expiring integer not null,
  expired integer not null,
  exempt integer not null,
  primary key (tenant_id, kind, name, requirement_id)
);

-- reminders

-- Up to which day the tenant's people to remind have been chosen.
create table reminder_log (
  tenant_id text primary key references tenant,
  day text not null
);

-- One email for each person and day; the key is what keeps two nodes from sending two. by_hand: somebody asked for it.
-- team: it reports on the people whose manager the person is. endings: the enrolments whose access ends soon.
-- is_pending: the email is still to be queued.
create table reminder (
  tenant_id text not null,
  day text not null,
  user_id uuid not null,
  by_hand boolean not null,
  team boolean not null default false,
  endings jsonb not null default '[]',
  is_pending boolean not null default true,
  mail_id uuid,
  primary key (tenant_id, day, user_id),
  foreign key (tenant_id, user_id) references "user"
);
create index reminder_of_user on reminder (tenant_id, user_id, day);
comment on index reminder_of_user is 'export and erasure';
create index reminder_pending on reminder (tenant_id, day, user_id) where is_pending;
comment on index reminder_pending is 'the job that queues reminders';

-- A tenant's own words, in one language.
create table reminder_text (
  tenant_id text not null references tenant,
  language text not null,
  subject text not null,
  intro text not null,
  closing text not null,
  primary key (tenant_id, language)
);

-- imports

-- A file of people or enrolments, or the members of a learning platform (platform_id). `line` is the last line that has
-- been worked off in the present phase.
create table import (
  tenant_id text not null references tenant,
  import_id uuid not null,
  name text not null,
  subject text not null,
  status text not null,
  is_automatic boolean not null,
  options jsonb not null,
  columns jsonb not null,
  counts jsonb not null,
  undo_counts jsonb,
  actor jsonb not null,
  scopes text[],
  created_at timestamptz not null,
  applied_at timestamptz,
  line integer not null default 0,
  claimed_until timestamptz,
  platform_id uuid,
  primary key (tenant_id, import_id)
);
create index import_open on import (tenant_id, import_id) where status in ('planning', 'applying', 'undoing');
create index import_by_age on import (created_at);

-- `fields` has the cells of the recognised columns, and `plan`, `result` and `undo` what came of them.
create table import_row (
  tenant_id text not null,
  import_id uuid not null,
  line integer not null,
  login_id text,
  nearest text,
  fields jsonb not null,
  plan jsonb,
  result jsonb,
  undo jsonb,
  primary key (tenant_id, import_id, line),
  foreign key (tenant_id, import_id) references import on delete cascade
);
create index import_row_of_user on import_row (tenant_id, login_id) where login_id is not null;
create index import_row_nearest on import_row (tenant_id, nearest) where nearest is not null;

-- xapi

-- lti

-- Learning platforms (LMS) in which a tenant uses courses. Tenants may share a client of a platform, with the same URLs.
-- members: what the nightly lists of members lead to. synced_at: the last of them. import_id: the last that changed something.
create table lti_platform (
  tenant_id text not null references tenant,
  platform_id uuid not null,
  name text not null,
  issuer text not null,
  client_id text not null,
  auth_url text not null,
  token_url text not null,
  jwks_url text not null,
  members text not null default 'enrolments' check (members in ('off', 'users', 'enrolments')),
  synced_at timestamptz,
  import_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, platform_id)
);

-- Courses of platforms (contexts) whose members can be read. problem: why that failed the last time.
create table lti_context (
  tenant_id text not null,
  platform_id uuid not null,
  context_id text not null,
  title text,
  members_url text not null,
  members integer,
  read_at timestamptz,
  problem text,
  primary key (tenant_id, platform_id, context_id),
  foreign key (tenant_id, platform_id) references lti_platform on delete cascade
);

-- Learners of contexts. details: hash of what the import import_id was sent. is_disabled: it was to disable them.
create table lti_member (
  tenant_id text not null,
  platform_id uuid not null,
  context_id text not null,
  login_id text not null,
  details text not null,
  is_present boolean not null default true,
  is_disabled boolean not null default false,
  import_id uuid,
  primary key (tenant_id, platform_id, context_id, login_id),
  foreign key (tenant_id, platform_id, context_id) references lti_context on delete cascade
);
create index lti_member_of_login on lti_member (tenant_id, login_id);
comment on index lti_member_of_login is 'memberships of a person, and their erasure';

-- A launch names its tenant by these three only, so they are unique in the whole deployment. tenant_id is never null.
create table lti_deployment (
  issuer text not null,
  client_id text not null,
  deployment_id text not null,
  tenant_id text references tenant,
  platform_id uuid not null,
  primary key (issuer, client_id, deployment_id)
);
create index lti_deployment_of_platform on lti_deployment (tenant_id, platform_id, deployment_id);

-- Nonces of tokens, but for those of launches. Each is used once, on any node.
create table lti_nonce (
  tenant_id text not null references tenant,
  nonce text not null,
  used_at timestamptz not null,
  primary key (tenant_id, nonce)
);
create index lti_nonce_by_age on lti_nonce (used_at);

-- Launches from platforms, also rejected ones, for 90 days. launch_id: from the nonce, which can be used once.
-- problem null: it succeeded.
create table lti_launch (
  tenant_id text not null references tenant,
  launch_id uuid not null,
  platform_id uuid not null,
  deployment_id text,
  message text not null check (message in ('launch', 'deep_link', 'copy', 'unknown')),
  problem text,
  detail text,
  user_id uuid,
  course_id text,
  enroll_id uuid,
  resource_link_id text,
  launched_at timestamptz not null,
  primary key (tenant_id, platform_id, launch_id),
  foreign key (tenant_id, user_id) references "user"
);
create index lti_launch_by_age on lti_launch using brin (launched_at);
create index lti_launch_of_user on lti_launch (tenant_id, user_id) where user_id is not null;

-- Where the results of an enrolment go: the places in platforms from which it was launched. subject: the learner there.
-- line_item null: the place has no grade column. may_read: the platform also shows the result that it has.
create table lti_link (
  tenant_id text not null,
  link_id uuid not null,
  enroll_id uuid not null,
  platform_id uuid not null,
  resource_link_id text not null,
  user_id uuid not null,
  subject text not null,
  line_item text,
  may_read boolean not null default false,
  context_id text,
  launched_at timestamptz not null,
  primary key (tenant_id, enroll_id, platform_id, resource_link_id),
  unique (tenant_id, link_id),
  foreign key (tenant_id, enroll_id) references enrolment,
  foreign key (tenant_id, user_id) references "user"
);
create index lti_link_of_place on lti_link (tenant_id, platform_id, resource_link_id);
comment on index lti_link_of_place is 'launches that name no course: what the place opened of which theirs is a copy';
create index lti_link_of_platform on lti_link (tenant_id, platform_id, enroll_id);
create index lti_link_of_user on lti_link (tenant_id, user_id);

-- What the line item of a link was sent last. sent_at null: nothing was accepted yet. problem: why the last one was not.
-- attempt_at: a score was sent with this timestamp, and whether the platform has accepted it is not known.
create table lti_score (
  tenant_id text not null,
  link_id uuid not null,
  score double precision,
  activity text,
  sent_at timestamptz,
  problem text,
  attempt_score double precision,
  attempt_activity text,
  attempt_at timestamptz,
  primary key (tenant_id, link_id),
  foreign key (tenant_id, link_id) references lti_link (tenant_id, link_id) on delete cascade
);

-- tools

-- Courses that are tools of others (LTI 1.3). Courses with the same client_id share the registration at the tool.
-- shares: what a launch says about the learner. problem: the tool's last rejected request.
create table lti_tool (
  tenant_id text not null references tenant,
  course_id text not null,
  client_id uuid not null,
  login_url text not null,
  target_link_uri text not null,
  redirect_uris text[] not null,
  jwks_url text,
  public_key text,
  custom jsonb not null,
  shares text[] not null,
  own_window boolean not null,
  passing_score double precision,
  problem text,
  problem_request text check (problem_request in ('login', 'token', 'service', 'content')),
  problem_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, course_id),
  check ((jwks_url is null) <> (public_key is null))
);
create index lti_tool_of_client on lti_tool (tenant_id, client_id);
comment on index lti_tool_of_client is 'PUT /course/{CourseID}/tool, and access tokens of tools';

-- dispatch

-- A course lent to another LMS as a package. seats null: any number. seats_taken: learners who opened it, also erased ones.
-- release: the one that new learners play; null: the current one.
create table dispatch (
  tenant_id text not null references tenant,
  dispatch_id uuid not null,
  course_id text not null,
  duration_id text not null,
  standard text not null check (standard in ('scorm12', 'scorm2004', 'cmi5', 'xapi', 'aicc')),
  name text not null,
  seats integer,
  seats_taken integer not null default 0,
  release integer,
  ends_at timestamptz,
  enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, dispatch_id)
);

-- Learners of the other LMS. enroll_id: the enrolment that was opened last.
create table dispatch_learner (
  tenant_id text not null,
  dispatch_id uuid not null,
  user_id uuid not null,
  enroll_id uuid not null,
  first_opened_at timestamptz not null,
  last_opened_at timestamptz not null,
  primary key (tenant_id, dispatch_id, user_id),
  foreign key (tenant_id, dispatch_id) references dispatch,
  foreign key (tenant_id, user_id) references "user"
);
create index dispatch_learner_of_user on dispatch_learner (tenant_id, user_id);

-- The newest position of each tenant's statements: microseconds since 1970. Writers move it on under a lock that they
-- keep until they commit, so statements become visible in the order of their positions. event_position: how far
-- statements have been derived from the tenant's events; null: never.
create table statement_log (
  tenant_id text primary key references tenant,
  position bigint not null,
  event_position bigint
) with (fillfactor = 20);

-- position: when it was stored, which is unique in the tenant. payload: the statement as JSON, without `stored`. keys:
-- what filters find it by, as hashes. refers_to: the statement that its object refers to; voids: to void it.
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
create index statement_by_reference on statement (tenant_id, refers_to, position) where refers_to is not null;
create unique index statement_in_order on statement (tenant_id, position);

-- Which statements a filter finds. source: the position of the statement that has the key, which is the statement
-- itself or one that it refers to, directly or through others. No foreign key: the statement is inserted in the same
-- transaction, and checking each of about seven matches took a fifth of the database's CPU time.
create table statement_match (
  tenant_id text not null,
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

-- States, activity profiles and agent profiles. agent_key, activity_key and registration are zero if a document of that
-- kind has none.
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

-- reports: counted from the event log. kind: 'total', 'course', 'group', 'course_and_group'; what a kind does not have
-- is empty

-- How far the log of a tenant has been counted. enroll_id: the next event changed a user's group, and the user's
-- enrolments have been moved up to this one.
create table completion_log (
  tenant_id text primary key references tenant,
  position bigint not null,
  enroll_id uuid
);

-- How each enrolment was last counted, in each of its groups. An empty name means no group. access: open, overdue, or ended, which no report
-- counts. outcome 'erased': it no longer counts.
create table counted_enrolment (
  tenant_id text not null references tenant,
  enroll_id uuid not null,
  group_names text[] collate "C" not null,
  access text not null,
  outcome text not null,
  primary key (tenant_id, enroll_id)
);

-- The lines of the reports.
create table completion_line (
  tenant_id text not null references tenant,
  kind text not null,
  course_id text collate "C" not null,
  group_name text collate "C" not null,
  primary key (tenant_id, kind, course_id, group_name)
);
create index completion_line_of_group on completion_line (tenant_id, kind, group_name, course_id);

-- The figures of a line at the end of each day (UTC) on which they changed.
create table completion_day (
  tenant_id text not null references tenant,
  kind text not null,
  course_id text collate "C" not null,
  group_name text collate "C" not null,
  day date not null,
  not_started integer not null,
  in_progress integer not null,
  passed integer not null,
  failed integer not null,
  completed integer not null,
  expired integer not null,
  withdrawn integer not null,
  open integer not null,
  overdue integer not null,
  primary key (tenant_id, kind, course_id, group_name, day)
);

-- How far the log of a tenant has been counted for access_end. enroll_id: as in completion_log.
create table access_log (
  tenant_id text primary key references tenant,
  position bigint not null,
  enroll_id uuid
);

-- The open enrolments with an end date, as they were last counted. day: on which access ends (UTC).
create table counted_end (
  tenant_id text not null references tenant,
  enroll_id uuid not null,
  group_names text[] collate "C" not null,
  day date not null,
  primary key (tenant_id, enroll_id)
);

-- How many of them end on each day, for each line of completion_line.
create table access_end (
  tenant_id text not null references tenant,
  kind text not null,
  course_id text collate "C" not null,
  group_name text collate "C" not null,
  day date not null,
  enrolments integer not null,
  primary key (tenant_id, kind, course_id, group_name, day)
);

-- How far the log of a tenant has been counted for activity_day.
create table activity_log (
  tenant_id text primary key references tenant,
  position bigint not null
);

-- What happened on each day (UTC).
create table tenant_usage (
  tenant_id text not null references tenant,
  day date not null,
  people integer not null,
  calls bigint not null,
  commits bigint not null,
  bytes bigint not null,
  primary key (tenant_id, day)
);

create table activity_day (
  tenant_id text not null references tenant,
  kind text not null,
  course_id text collate "C" not null,
  group_name text collate "C" not null,
  day date not null,
  enrolments integer not null,
  starts integer not null,
  launches integer not null,
  completions integer not null,
  passed integer not null,
  failed integer not null,
  expired integer not null,
  withdrawn integer not null,
  primary key (tenant_id, kind, course_id, group_name, day)
);

-- weekday: 1 is Monday. next_run_at: null while paused. attempts: of the run that is due, after failures.
create table report_schedule (
  tenant_id text not null references tenant,
  schedule_id uuid not null,
  name text not null,
  report text not null check (report in ('completion', 'activity', 'access', 'compliance')),
  by text check (by in ('course', 'group', 'course_and_group', 'total', 'requirement', 'manager')),
  unit text check (unit in ('day', 'week', 'month')),
  days integer,
  course_id text,
  requirement_id text,
  group_name text,
  every text not null check (every in ('day', 'week', 'month')),
  weekday smallint,
  month_day smallint,
  time text not null,
  time_zone text not null,
  delivery text not null check (delivery in ('email', 'webhook')),
  status text not null check (status in ('active', 'paused')),
  next_run_at timestamptz,
  attempts integer not null default 0,
  last_run_at timestamptz,
  last_problem text
    check (last_problem in ('no_recipients', 'mail_not_configured', 'unavailable', 'time_zone', 'failed')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, schedule_id)
);
create index report_schedule_due on report_schedule (next_run_at) where next_run_at is not null;

-- The administrators who get a report by email.
create table report_recipient (
  tenant_id text not null,
  schedule_id uuid not null,
  user_id uuid not null,
  primary key (tenant_id, schedule_id, user_id),
  foreign key (tenant_id, schedule_id) references report_schedule on delete cascade,
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create index report_recipient_of_user on report_recipient (tenant_id, user_id);

-- certificates

-- position: how far the events have been read. issued: how many certificates the tenant has had; it chooses the list of
-- revoked certificates.
create table certificate_log (
  tenant_id text primary key references tenant,
  position bigint not null,
  issued bigint not null default 0,
  serials bigint not null default 0
);

-- since: results from this time on earn a certificate.
create table certificate_template (
  tenant_id text not null references tenant,
  course_id text not null references course on delete cascade,
  rule jsonb not null,
  since timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, course_id)
);

-- The logos and signatures on certificates, which outlive changes of the branding and of templates.
create table certificate_image (
  tenant_id text not null references tenant,
  name text not null,
  type text not null,
  width integer not null,
  height integer not null,
  content bytea not null,
  primary key (tenant_id, name)
);

-- content: what is drawn, apart from the name. issue: counts corrections. next_notice_at: when to report that it ends or
-- has ended; without a user: when to withdraw it. is_name_incomplete: no font of PDFs has all of its characters. replaced_by: the number of the newer certificate. A withdrawn one has no
-- number, and keeps its entry in the list of revoked ones.
create table certificate (
  tenant_id text not null references tenant,
  certificate_id uuid not null,
  number text,
  enroll_id uuid not null,
  attempt integer not null,
  issue integer not null default 1,
  user_id uuid,
  course_id text not null,
  issued_at timestamptz not null,
  completed_at timestamptz not null,
  valid_until timestamptz,
  next_notice_at timestamptz,
  status_list integer not null,
  status_index integer not null,
  revoked_at timestamptz,
  reason text,
  shows_reason boolean not null default false,
  replaced_by text,
  name text,
  is_name_incomplete boolean not null default false,
  content jsonb not null,
  primary key (tenant_id, certificate_id),
  unique (tenant_id, enroll_id, attempt, issue),
  unique (tenant_id, status_list, status_index),
  foreign key (tenant_id, enroll_id) references enrolment,
  foreign key (tenant_id, user_id) references "user"
);
comment on index certificate_pkey is 'GET /certificate';
create index certificate_by_number on certificate (number);
comment on index certificate_by_number is 'GET /verify/{Number}, which does not know the tenant';
create index certificate_due on certificate (tenant_id, next_notice_at, certificate_id)
  where next_notice_at is not null;
comment on index certificate_due is 'the job that reports that certificates end';
create index certificate_incomplete on certificate (tenant_id, certificate_id) where is_name_incomplete;
comment on index certificate_incomplete is 'GET /certificate by NameIncomplete';
create index certificate_of_course on certificate (tenant_id, course_id, certificate_id);
comment on index certificate_of_course is 'GET /certificate by CourseID';
create index certificate_of_user on certificate (tenant_id, user_id, certificate_id) where user_id is not null;
comment on index certificate_of_user is 'GET /certificate by LoginID, replaced certificates, erasure';
create index certificate_ended on certificate (tenant_id, certificate_id)
  where revoked_at is not null or replaced_by is not null;
comment on index certificate_ended is 'GET /certificate by Status';
create index certificate_revoked on certificate (tenant_id, status_list, status_index) where revoked_at is not null;
comment on index certificate_revoked is 'GET /issuer/{TenantID}/status/{n}';

-- An offer of a certificate to a wallet; the code is used once.
create table wallet_offer (
  tenant_id text not null,
  certificate_id uuid not null,
  code_hash text not null,
  expires_at timestamptz not null,
  primary key (tenant_id, certificate_id),
  unique (tenant_id, code_hash),
  foreign key (tenant_id, certificate_id) references certificate
);

-- people

-- scopes: no more than the key or session that made the link. second_factor 'link': an API key made it.
create table sign_in_link (
  tenant_id text not null,
  link_hash text not null,
  user_id uuid not null,
  path text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  scopes text[],
  second_factor text,
  primary key (tenant_id, link_hash),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create index sign_in_link_by_end on sign_in_link (tenant_id, user_id, expires_at);

-- expires_at is absolute; last_seen_at decides on idleness. scopes: as in sign_in_link; null: signed in with a
-- password. second_factor: 'passkey', 'link' or 'provider'; null: only a password was checked. provider_id: the identity
-- provider that identified the user.
create table user_session (
  tenant_id text not null,
  session_hash text not null,
  user_id uuid not null,
  signed_in_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  user_agent text,
  scopes text[],
  second_factor text,
  provider_id text,
  challenge_hash text,
  challenge_for text,
  challenge_until timestamptz,
  primary key (tenant_id, session_hash),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create index user_session_by_end on user_session (tenant_id, user_id, expires_at);
create index user_session_by_hash on user_session (tenant_id, user_id, session_hash);
create index user_session_open on user_session (tenant_id, user_id, signed_in_at) where ended_at is null;

-- The passkeys of administrators. Only public keys are stored, so a copy of the database signs nobody in.
create table passkey (
  tenant_id text not null,
  user_id uuid not null,
  passkey_id uuid not null,
  name text not null,
  credential_id text not null,
  public_key text not null,
  sign_count bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (tenant_id, user_id, passkey_id),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create unique index passkey_by_credential on passkey (tenant_id, user_id, credential_id);

-- OpenID providers. client_secret: encrypted. settings: how identities become users. is_required: administrators cannot
-- sign in with a password alone. scopes: no more than the caller who configured the provider; null: all.
create table identity_provider (
  tenant_id text not null references tenant,
  provider_id text not null,
  name text not null,
  issuer text not null,
  client_id text not null,
  client_secret text,
  settings jsonb not null,
  is_enabled boolean not null,
  is_required boolean not null,
  scopes text[],
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, provider_id)
);

-- Who a provider's accounts are. An account is known by issuer and subject, never by an email address.
create table user_identity (
  tenant_id text not null,
  issuer text not null,
  subject text not null,
  user_id uuid not null,
  provider_id text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (tenant_id, issuer, subject),
  foreign key (tenant_id, user_id) references "user" on delete cascade,
  foreign key (tenant_id, provider_id) references identity_provider on delete cascade
);
create index user_identity_of_provider on user_identity (tenant_id, provider_id);
create index user_identity_of_user on user_identity (tenant_id, user_id);

-- provisioning by a directory (SCIM)

-- guard: at most this share of window_users may be disabled within a day from window_from on.
create table provisioning (
  tenant_id text primary key references tenant,
  mode text not null default 'live' check (mode in ('live', 'dry_run')),
  guard_percent integer not null default 10,
  window_from timestamptz,
  window_users integer not null default 0,
  disabled integer not null default 0,
  stopped_at timestamptz,
  confirmed_until timestamptz,
  updated_at timestamptz not null
);

-- user_name: the name in the directory, which may change, unlike the LoginID. resource: what the directory sent.
-- deleted_at: the directory deleted the user, who is disabled here.
create table scim_user (
  tenant_id text not null,
  user_id uuid not null,
  user_name text not null,
  folded_user_name text collate "C" not null,
  external_id text,
  resource jsonb not null,
  deleted_at timestamptz,
  primary key (tenant_id, user_id),
  unique (tenant_id, folded_user_name),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create index scim_user_by_external_id on scim_user (tenant_id, external_id) where external_id is not null;

-- The members are the users with this group.
create table scim_group (
  tenant_id text not null references tenant,
  group_id uuid not null,
  display_name text collate "C" not null,
  folded_name text collate "C" not null,
  external_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, group_id),
  unique (tenant_id, folded_name)
);
create index scim_group_by_name on scim_group (tenant_id, display_name);

-- user_id: the user that the request is about.
create table provisioning_log (
  tenant_id text not null references tenant,
  entry_id uuid not null,
  at timestamptz not null,
  key_id text,
  method text not null,
  path text not null,
  status integer not null,
  is_dry_run boolean not null,
  request text,
  answer text,
  user_id uuid,
  primary key (tenant_id, entry_id)
);
create index provisioning_log_by_age on provisioning_log (at);
create index provisioning_log_of_user on provisioning_log (tenant_id, user_id, entry_id) where user_id is not null;

-- Deployment-wide.
create table operator_session (
  session_hash text primary key,
  signed_in_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  user_agent text,
  second_factor text,
  challenge_hash text,
  challenge_for text,
  challenge_until timestamptz
);

create table operator_passkey (
  passkey_id uuid primary key,
  name text not null,
  credential_id text not null unique,
  public_key text not null,
  sign_count bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);

-- Wrong passwords of the last 15 minutes at the sign-in that anyone may call. name_mark: a keyed hash of tenant and
-- LoginID, which need not exist.
create table sign_in_guess (
  name_mark text primary key,
  guessed_at timestamptz[] not null,
  expires_at timestamptz not null
);
create index sign_in_guess_by_end on sign_in_guess (expires_at);

-- Who completed what, of erased people whose course or requirement says for how long evidence is kept. record_id: the
-- enrolment, which no longer has a user, or the completion from elsewhere, which is in line.
create table retained_record (
  tenant_id text not null references tenant,
  record_id uuid not null,
  erasure_id uuid not null,
  login_id text collate "C" not null,
  person jsonb not null,
  line jsonb,
  kept_until timestamptz not null,
  primary key (tenant_id, record_id)
);
create index retained_record_by_end on retained_record (tenant_id, kept_until);
comment on index retained_record_by_end is 'the job that deletes evidence whose retention has ended';
create index retained_record_of_erasure on retained_record (tenant_id, erasure_id, kept_until);
comment on index retained_record_of_erasure is 'the receipt of an erasure';
create index retained_record_of_login on retained_record (tenant_id, login_id);
comment on index retained_record_of_login is 'GET /evidence by LoginID';

-- hold_id: chosen by the client, for example the number of a case. It may concern several people.
create table legal_hold (
  tenant_id text not null,
  placement_id uuid not null,
  user_id uuid not null,
  hold_id text collate "C" not null,
  reason text not null,
  placed_at timestamptz not null,
  primary key (tenant_id, placement_id),
  unique (tenant_id, user_id, hold_id),
  foreign key (tenant_id, user_id) references "user"
);
comment on index legal_hold_pkey is 'GET /hold';
create index legal_hold_by_id on legal_hold (tenant_id, hold_id, placement_id);
comment on index legal_hold_by_id is 'GET /hold by HoldID';

-- login_mark: a keyed hash of the LoginID, by which a repeated request finds its receipt.
create table erasure (
  tenant_id text not null references tenant,
  erasure_id uuid not null,
  login_mark text not null,
  receipt jsonb not null,
  erased_at timestamptz not null,
  primary key (tenant_id, erasure_id)
);
create index erasure_by_mark on erasure (tenant_id, login_mark, erasure_id);

-- Erasures in progress, and the enrolments whose rows they have not reached yet.
create table erasure_under_way (
  tenant_id text not null references tenant,
  erasure_id uuid not null,
  user_id uuid not null,
  progress jsonb not null,
  primary key (tenant_id, erasure_id),
  unique (tenant_id, user_id)
);

create table erasure_enrolment (
  tenant_id text not null,
  erasure_id uuid not null,
  enroll_id uuid not null,
  primary key (tenant_id, erasure_id, enroll_id),
  foreign key (tenant_id, erasure_id) references erasure_under_way
);

-- The first start begins the audit trail of the deployment, and deletes this row.
insert into setting (name, value) values ('audit_begins', 'due');
