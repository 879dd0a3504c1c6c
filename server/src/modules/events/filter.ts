import { parametersAfter } from '../../platform/db/parameters.ts';

/** Filters of the log. */
export type LogFilter = { types?: readonly string[] | null; enrollId?: string; loginId?: string };

/**
 * A user's events: their own through event_of_user, the others through their enrolments, so that writing an
 * event needs no further index.
 */
function ofUser(loginId: string): string {
  const user = `(select owner.user_id from "user" owner where owner.tenant_id = $1 and owner.login_id = ${loginId})`;
  return `(
    select entry.* from event entry
    where entry.tenant_id = $1 and entry.user_id = ${user} and entry.enroll_id is null
    union all
    select entry.* from enrolment
    join event entry on entry.tenant_id = $1 and entry.enroll_id = enrolment.enroll_id
    where enrolment.tenant_id = $1 and enrolment.user_id = ${user}
  )`;
}

/**
 * SQL of the filter, with its values appended to those given; $1 is the tenant. Each combination is a named
 * statement of its own: a single one with `$5 is null or …` got a plan that read the whole log for one
 * enrolment.
 */
export function narrowed(name: string, given: readonly unknown[], filter: LogFilter) {
  const { values, add } = parametersAfter(...given);
  const { types, enrollId, loginId } = filter;
  const source = loginId === undefined ? 'event' : ofUser(add(loginId));
  const conditions = ['told.tenant_id = $1'];
  if (enrollId !== undefined) conditions.push(`told.enroll_id = ${add(enrollId)}::uuid`);
  if (types) conditions.push(`told.type = any(${add(types)}::text[])`);
  const parts = [
    name,
    loginId === undefined ? [] : 'user',
    enrollId === undefined ? [] : 'enrolment',
    types ? 'types' : [],
  ];
  return {
    name: parts.flat().join('_'),
    values,
    from: `${source} told left join "user" known on known.tenant_id = $1 and known.user_id = told.user_id`,
    where: conditions.join(' and '),
  };
}
