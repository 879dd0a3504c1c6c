import { databaseFunction } from '../../platform/db/functions.ts';
import { earlierOf, found, maxDepth, maxReferences } from './store-function.ts';

/** Removes what others are found by because of the statement, and what it is found by because of others. */
const forgetReferences = `
    with recursive referring (position, id, depth) as (
      select gone.position, gone.statement_id, 0
      union
      select earlier.position, earlier.statement_id, referring.depth + 1 from referring
      cross join lateral ${earlierOf('referring.id', maxReferences)} earlier
      where referring.depth < ${maxDepth}
    ), first_referring as (select referring.position from referring limit ${maxReferences})
    delete from statement_match held using first_referring cross join unnest(gone.keys) as each (key)
    where held.tenant_id = $1 and held.key = each.key and held.position = first_referring.position
      and held.source = gone.position;
    if gone.refers_to is not null then
      with recursive referred (target, depth) as (
        select gone.refers_to, 1
        union
        select target.refers_to, referred.depth + 1 from referred
        cross join lateral ${found('referred.target', 'own.refers_to')} target
        where referred.depth < ${maxDepth}
      ), inherited as (
        select distinct each.key from referred
        cross join lateral ${found('referred.target', 'own.keys')} target
        cross join unnest(target.keys) as each (key)
      )
      delete from statement_match held using inherited
      where held.tenant_id = $1 and held.key = inherited.key and held.position = gone.position;
    end if;`;

/** Removes the statements of the tenant `$1` at the positions `$2`, with everything that belongs to them. */
export const eraseFunction = databaseFunction({
  name: 'erase_statements',
  parameters: 'text, bigint[]',
  returns: 'void',
  body: `
declare
  gone record;
begin
  for gone in
    select old.statement_id, old.position, old.keys, old.refers_to from statement old
    where old.tenant_id = $1 and old.position = any ($2)
  loop
    ${forgetReferences}
  end loop;
  -- Passed as an array, so that the planner expects few rows and looks up each of them.
  delete from statement_attachment file where file.tenant_id = $1 and file.statement_id = any (array(
    select old.statement_id from statement old where old.tenant_id = $1 and old.position = any ($2)
  ));
  delete from voided_statement where tenant_id = $1 and position = any ($2);
  delete from statement where tenant_id = $1 and position = any ($2);
end`,
});

export const eraseText = `select ${eraseFunction.name}($1, $2)`;
