-- E-mails and their outcome. content: what the text is made of, encrypted, until they are sent or given up. due_at: when a
-- queued one is due; while it is being sent, when another node may take over. expires_at: when its link stops working.
-- urgent: somebody waits for it, so it must not wait behind a thousand others.
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
  primary key (tenant_id, mail_id),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create index mail_due on mail (tenant_id, urgent, due_at) where status = 'queued';
create index mail_by_status on mail (tenant_id, status, mail_id);
create index mail_queued_of_user on mail (tenant_id, user_id, mail_id) where status = 'queued';
create index mail_of_user on mail (tenant_id, user_id, mail_id);
create index mail_age on mail (created_at);

-- A tenant's two queues: when the next e-mail is due (null: there is none), and how many were sent in the hour that began then.
create table mail_queue (
  tenant_id text not null,
  urgent boolean not null default false,
  wake_at timestamptz,
  hour_began_at timestamptz,
  sent integer not null default 0,
  primary key (tenant_id, urgent)
);
create index mail_queue_wake on mail_queue (wake_at);

-- The language of a tenant's e-mails.
alter table tenant add column language text not null default 'en';
