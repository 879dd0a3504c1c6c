-- Erasures that are under way: whose they are, how far they are, and the enrolments whose rows they have still to reach.
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
