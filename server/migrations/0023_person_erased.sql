-- An erasure can come between a delivery and its answer, which may repeat what was delivered: it is not stored then.
alter table webhook_delivery add column person_erased boolean not null default false;
