-- A tenant's colour and logo: docs/adr/0089-branding.md. logo_name is part of the logo's URL: the start of its hash.
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
