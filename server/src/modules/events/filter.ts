import { type AccessPath, maxScanned } from '../../platform/db/list-scan.ts';
import type { Parameters } from '../../platform/db/parameters.ts';
import type { PersonIds } from '../audit/person-ids.ts';

/** Filters for the log. `person` is null if no user has the LoginID. */
export type LogFilter = { types?: readonly string[] | null; enrollId?: string; person?: PersonIds | null };

export function filterSql({ types, enrollId, person }: LogFilter, { add }: Parameters): string {
  const conditions = ['true'];
  if (enrollId !== undefined) conditions.push(`held.enroll_id = ${add(enrollId)}::uuid`);
  if (person) conditions.push(`held.user_id = ${add(person.userId)}::uuid`);
  if (types) conditions.push(`held.type = any(${add(types)}::text[])`);
  return conditions.join(' and ');
}

/** Finds a user's events by user and by enrolment, so that the table needs no additional index. */
const ofPerson = ({ userId, enrolments }: PersonIds, { add }: Parameters) => `(
  (select entry.* from event entry where entry.tenant_id = $1 and entry.user_id = ${add(userId)}::uuid and entry.enroll_id is null
    order by entry.event_id limit ${maxScanned})
  union all
  select entry.* from unnest(${add(enrolments)}::uuid[]) as own (enroll_id) cross join lateral (
    select entry.* from event entry where entry.tenant_id = $1 and entry.enroll_id = own.enroll_id
    order by entry.event_id limit ${maxScanned}
  ) entry
) held where true`;

/**
 * Access paths through event_of_user and event_of_enrolment, in EventID order. `order` is the
 * list's order if it differs.
 */
export function narrowAccessPaths({ enrollId, person }: LogFilter, order?: string) {
  const paths: ((parameters: Parameters) => AccessPath)[] = [];
  if (person === null) paths.push(() => ({ ranges: ['false'] }));
  if (enrollId !== undefined)
    paths.push(({ add }) => ({
      ranges: [`held.enroll_id = ${add(enrollId)}::uuid`],
      ...(order === undefined ? {} : { order }),
    }));
  if (person && !person.hasMore)
    paths.push((parameters) => ({ rows: ofPerson(person, parameters), ranges: ['true'], order: '' }));
  return paths;
}
