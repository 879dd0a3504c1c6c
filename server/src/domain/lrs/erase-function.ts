import { databaseFunction } from '../../db/functions.ts';
import { found, maxDepth } from './store-function.ts';

/** Removes the keys of the statement: its own, and those of the statements that it refers to. */
const forgetKeys = `
    delete from statement_match using unnest(gone.keys) as own (key)
    where statement_match.tenant_id = $1 and statement_match.key = own.key and statement_match.position = gone.position;
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
      delete from statement_match using inherited
      where statement_match.tenant_id = $1 and statement_match.key = inherited.key and statement_match.position = gone.position;
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
    select old.position, old.keys, old.refers_to from statement old
    where old.tenant_id = $1 and old.position = any ($2)
  loop
    ${forgetKeys}
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
