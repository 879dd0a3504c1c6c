-- Sessions of AUs (cmi5) and of xAPI activities: each opening of one, by a launch of the enrolment. mode: the launch
-- mode, or 'Waived' for a decision of an administrator, which has a session ID of its own. prepared: whether the AU has
-- read the learner's preferences. verbs: those of its statements defined by cmi5. ended_by: 'terminated', 'abandoned'
-- or 'waived'.
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
