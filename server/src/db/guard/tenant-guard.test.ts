import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { kyselyForConnection } from '../transaction.ts';
import { assertTenantScoped } from './tenant-guard.ts';

const db = kyselyForConnection({
  query: async () => {
    throw new Error('This database only compiles statements.');
  },
});

const scoped = {
  'one table': 'select * from "user" where tenant_id = $1 and login_id = $2',
  'the parameter on the left-hand side': 'select * from enrolment where $1 = tenant_id',
  'no table of a tenant': 'select * from course c join release r on r.release_id = c.release_id',
  'alias with AS': 'select * from "user" as u where u.tenant_id = $1',
  'alias without AS': 'select * from enrolment e where e.tenant_id = $1',
  'upper case': 'SELECT * FROM Enrolment E WHERE E.TENANT_ID = $1',
  'a schema': 'select * from public.enrolment where enrolment.tenant_id = $1',
  'for update': 'select * from enrolment e where e.tenant_id = $1 for update of e skip locked',
  'unnest with ordinality': `select * from unnest($1::text[]) with ordinality as x(id, n)
    left join enrolment e on e.tenant_id = $2 and e.enroll_id = x.id order by n`,
  'a condition in parentheses': 'select * from enrolment e where (e.tenant_id = $1 and (e.a = 1 or e.b = 2))',
  'a CTE': `with mine as (select * from enrolment where tenant_id = $1) select * from mine join course using (course_id)`,
  'a data-modifying CTE': `with changed as (update enrolment e set status = 'expired' where e.tenant_id = $1 returning e.*)
    insert into event (tenant_id, event_id) select tenant_id, gen_random_uuid() from changed`,
  insert:
    'insert into "user" (tenant_id, user_id) values ($1, $2) on conflict (tenant_id, user_id) do nothing',
  'insert with upsert': `insert into "user" as u (tenant_id, user_id) values ($1, $2)
    on conflict (tenant_id, user_id) do update set email = excluded.email where u.email is distinct from excluded.email`,
  'insert from select': `insert into launch (tenant_id, enroll_id) select e.tenant_id, e.enroll_id from enrolment e
    where e.tenant_id = $1 on conflict do nothing returning *`,
  'update from': `update enrolment e set status = x.status from unnest($1::text[], $2::text[]) as x(id, status)
    where e.tenant_id = $3 and e.enroll_id = x.id`,
  update: 'update only "user" set email = $2 where tenant_id = $1',
  delete: 'delete from password_failure where tenant_id = $1',
  union: 'select a from enrolment where tenant_id = $1 union all select a from launch where tenant_id = $1',
  'from in a function': `select extract(epoch from e.started_at) from enrolment e where e.tenant_id = $1`,
  'distinct from': 'select 1 where $1 is distinct from $2',
  'names in strings and comments': `select 'from enrolment', $$ from enrolment $$, e'\\' from enrolment' -- from enrolment
    /* from /* from */ enrolment */`,
  'a whole transaction': 'begin; commit',
  'a reason': 'select count(*) from enrolment /* across tenants: operator statistics */',
  'a reason before the statement':
    '-- across tenants: delivery of webhooks\nselect * from event order by transaction',
  'two tables, each with its condition': `select * from enrolment e join "user" u on u.tenant_id = $1 and u.user_id = e.user_id
    where e.tenant_id = $2`,
  'a left join': `select * from enrolment e left join attempt a on a.tenant_id = $1 where e.tenant_id = $2`,
  'a subquery': `select exists (select 1 from enrolment e where e.tenant_id = $1) from "user" u where u.tenant_id = $2`,
  'a cast': 'select * from enrolment e where $1::text = e.tenant_id and e.number between 1 and 2',
  'a lock': 'lock table setting in share row exclusive mode',
};

const unscoped = {
  'no condition': 'select * from enrolment',
  'another condition': 'select * from "user" where login_id = $1',
  'a condition for only one of two tables':
    'select * from enrolment e join "user" u on u.user_id = e.user_id where e.tenant_id = $1',
  'tables compared only with each other':
    'select * from enrolment e join "user" u on u.tenant_id = e.tenant_id',
  'compared with the table of tenants':
    'select * from enrolment e join tenant t on t.tenant_id = e.tenant_id',
  'compared with another column':
    'select * from enrolment e join "user" u on u.tenant_id = e.course_id where u.tenant_id = $1',
  'compared with itself': 'select * from enrolment e where e.tenant_id = e.tenant_id',
  'compared with its own column': 'select * from enrolment where tenant_id = course_id',
  'compared with itself, unqualified': 'select * from enrolment where tenant_id = tenant_id',
  'a left join that restricts the wrong side': `select * from enrolment e left join course c on e.tenant_id = $1`,
  'a full join': `select * from course c full join enrolment e on e.tenant_id = $1`,
  'an unqualified column of two tables':
    'select * from enrolment e join attempt a on a.enroll_id = e.enroll_id where tenant_id = $1',
  or: 'select * from enrolment where tenant_id = $1 or status = $2',
  not: 'select * from enrolment where not tenant_id = $1',
  'a negated condition in parentheses': 'select * from enrolment where not (tenant_id = $1)',
  'another operator': 'select * from enrolment where tenant_id <> $1',
  'the tenant only in the select list': 'select tenant_id = $1 from enrolment',
  'the tenant only in SET': 'update enrolment set tenant_id = $1',
  'a subquery': 'select (select count(*) from enrolment) from "user" where tenant_id = $1',
  'a subquery in a condition': 'select 1 from course where course_id in (select course_id from enrolment)',
  'a CTE': 'with x as (select * from enrolment) select * from x where tenant_id = $1',
  'the statement after a CTE': 'with x as (select 1) select * from enrolment',
  'a CTE that hides the table': 'with enrolment as (select 1) select * from enrolment',
  'the second part of a union': 'select 1 from enrolment where tenant_id = $1 union select 1 from enrolment',
  'a query in parentheses': '(select * from enrolment)',
  'a parenthesised join': 'select * from (course c join enrolment e on e.course_id = c.course_id)',
  'a comma join': 'select * from course c, enrolment e where c.course_id = e.course_id',
  lateral: 'select * from course c, lateral (select * from enrolment e where e.course_id = c.course_id) x',
  'insert without the column': 'insert into "user" (user_id) values ($1)',
  'insert without columns': 'insert into "user" values ($1, $2)',
  'insert from select': 'insert into launch (tenant_id) select tenant_id from enrolment',
  'an insert restricted only in ON CONFLICT': `insert into launch (tenant_id) select e.tenant_id from enrolment e
    on conflict do update set number = 1 where e.tenant_id = $1`,
  update: 'update "user" set email = null where email = $1',
  'update from':
    'update enrolment e set a = u.a from "user" u where e.tenant_id = $1 and u.user_id = e.user_id',
  delete: 'delete from enrolment',
  'delete using': 'delete from course c using enrolment e where e.course_id = c.course_id',
  truncate: 'truncate enrolment',
  table: 'table enrolment',
  'the second statement': 'select 1; delete from enrolment',
  'a reason without words': 'select * from enrolment /* across tenants: */',
  'a reason in a string': "select '/* across tenants: x */' from enrolment",
  'a comment next to an operator': 'select * from enrolment where tenant_id =/* $1 or */enrolment.tenant_id',
  'restricted only by a function': 'select * from enrolment where tenant_id = any($1)',
  'restricted only by an unqualified name of other rows':
    'select * from unnest($1::text[]) as x(t) join enrolment e on e.tenant_id = t',
  'restricted only by a join with a restricted table': `select * from enrolment e join "user" u on u.tenant_id = e.tenant_id and u.user_id = e.user_id
    where e.tenant_id = $1`,
  'restricted only by a left join': `select * from enrolment e left join attempt a on a.tenant_id = e.tenant_id where e.tenant_id = $1`,
  'restricted only by USING': `select * from enrolment e join attempt a using (tenant_id, enroll_id) where tenant_id = $1`,
  'restricted only by a comma join': `select * from enrolment e, "user" u where e.tenant_id = u.tenant_id and u.tenant_id = $1`,
  'restricted only by rows from unnest': `select u.user_id from unnest($1::text[], $2::text[]) as x(tenant_id, login_id)
    join "user" u on u.tenant_id = x.tenant_id and u.login_id = x.login_id`,
  'restricted only by a parenthesised join': `select * from (enrolment e join launch l on l.tenant_id = e.tenant_id)
    where e.tenant_id = $1`,
  'restricted only by a correlated subquery': `select exists (select 1 from enrolment e where e.tenant_id = u.tenant_id) from "user" u
    where u.tenant_id = $1`,
  'restricted only by a joined CTE': `with x as (select $1::text as tenant_id) select * from x join enrolment e on e.tenant_id = x.tenant_id`,
  'restricted only by the other table in DELETE USING':
    'delete from launch l using enrolment e where l.tenant_id = e.tenant_id and e.tenant_id = $1',
  'is not true': 'select * from enrolment where tenant_id = $1 is not true',
  'any row of a query': 'select * from enrolment where tenant_id = any(select tenant_id from tenant)',
  coalesce: 'select * from enrolment e where e.tenant_id = coalesce($1, e.tenant_id)',
  case: 'select * from enrolment where case when true and tenant_id = $1 and true then true else true end',
  between: 'select * from enrolment where enroll_id between 1 and tenant_id = $1',
  'columns with other names': 'select * from enrolment e (tenant_id, enroll_id) where e.tenant_id = $1',
  'the preserved side of a nested join':
    'select * from enrolment e left join course c join release r on true on e.tenant_id = $1',
  'the preserved side of a join in parentheses':
    'select * from enrolment e left join (course c join release r on true) on e.tenant_id = $1',
  'distinct without columns': 'select count(*) from (select distinct from enrolment) x',
  'an anonymous block': 'do $$ begin delete from enrolment; end $$',
  'a prepared statement': 'prepare x as select * from enrolment',
  'a copy': 'copy enrolment to stdout',
  'an insert from a table': 'insert into launch (tenant_id) table enrolment',
};

for (const [what, text] of Object.entries(scoped)) {
  test(`accepts ${what}`, () => assert.doesNotThrow(() => assertTenantScoped(text)));
}

for (const [what, text] of Object.entries(unscoped)) {
  test(`rejects ${what}`, () => {
    const refusal = /on the table "(enrolment|user|launch|attempt)"|cannot be checked/;
    assert.throws(() => assertTenantScoped(text), refusal);
    assert.throws(() => assertTenantScoped(text), 'a rejected statement must not be cached as accepted');
  });
}

test('parses the SQL that Kysely generates', () => {
  const user = db.selectFrom('user as u').selectAll().where('u.tenant_id', '=', 't');
  const joined = db
    .selectFrom('enrolment')
    .innerJoin('user', (join) =>
      join.on('user.tenant_id', '=', 't').onRef('user.user_id', '=', 'enrolment.user_id'),
    )
    .select('user.login_id');
  const filtered = joined
    .where('enrolment.tenant_id', '=', 't')
    .where((eb) => eb.or([eb('status', '=', 'enrolled')]));
  const all = db.selectFrom('enrolment').selectAll();
  for (const query of [
    user,
    filtered,
    db.updateTable('user').set({ email: null }).where('tenant_id', '=', 't'),
    db.deleteFrom('launch').where('tenant_id', '=', 't'),
    all.modifyEnd(sql`/* across tenants: statistics */`),
  ]) {
    assert.doesNotThrow(() => assertTenantScoped(query.compile().sql));
  }
  for (const query of [joined, all, db.updateTable('user').set({ email: null }), db.deleteFrom('launch')]) {
    assert.throws(() => assertTenantScoped(query.compile().sql), /does not restrict/);
  }
});
