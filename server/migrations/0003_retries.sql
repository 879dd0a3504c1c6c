-- What a POST with an Idempotency-Key answered, for 24 hours. tenant_id '' holds the operator's own calls, which no
-- tenant's identifier can be. Neither the client's key nor the request is stored, and the answer only encrypted by them.
-- answer null: the request is still in flight on some node, which renews claimed_at.
create table stored_answer (
  tenant_id text not null,
  key_hash bytea not null,
  claim_id uuid not null,
  request_hash bytea not null,
  claimed_at timestamptz not null,
  expires_at timestamptz not null,
  answer bytea,
  primary key (tenant_id, key_hash)
);
create index stored_answer_old on stored_answer (expires_at);

-- How often a key called within a window, over all nodes. Deployment-wide, one row per key.
create table rate_window (
  key_id uuid primary key,
  starts_at timestamptz not null,
  used bigint not null
);
