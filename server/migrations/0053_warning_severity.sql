-- Package warnings have a severity. Those about missing pages were the only errors so far.
-- contract: a deployment has few releases, and the previous version drops the new field from its responses
update release
set warnings = (
  select coalesce(jsonb_agg(
    jsonb_build_object('Severity', case when entry.warning ->> 'Message' like '%get an error page%' then 'error' else 'warning' end) || entry.warning
    order by entry.place), '[]')
  from jsonb_array_elements(warnings) with ordinality as entry (warning, place)
)
where warnings <> '[]';
