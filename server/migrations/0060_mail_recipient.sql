-- How many e-mails an address got in the hour that began then, whichever tenants sent them. address_mark: a keyed hash.
create table mail_recipient (
  address_mark text not null,
  urgent boolean not null,
  hour_began_at timestamptz not null,
  sent integer not null,
  primary key (address_mark, urgent)
);
create index mail_recipient_age on mail_recipient (hour_began_at);
