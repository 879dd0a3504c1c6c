import type { Filter } from 'scim2-parse-filter';
import type { Parameters } from '../../db/transaction.ts';
import { isId } from '../../lib/ids.ts';
import { foldCase } from '../../lib/unicode.ts';
import { asBoolean } from './patch.ts';
import { refuse, schemaIds } from './protocol.ts';

/** Attributes by which users can be found: text compared without case, text compared exactly, and others. */
const folded: Record<string, string> = {
  'name.givenname': 'lower(account.first_name)',
  'name.familyname': 'lower(account.last_name)',
  displayname: "lower(own.resource->>'displayName')",
  title: "lower(own.resource->>'title')",
};
const exact: Record<string, string> = {
  id: 'account.user_id::text',
  externalid: 'own.external_id',
  employeenumber: `own.resource->'${schemaIds.enterprise}'->>'employeeNumber'`,
  department: `own.resource->'${schemaIds.enterprise}'->>'department'`,
};
const times: Record<string, string> = {
  'meta.created': 'account.created_at',
  'meta.lastmodified': 'account.updated_at',
};

const operators: Record<string, string> = { eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' };
const escapeLike = (text: string) => text.replaceAll(/[\\%_]/g, '\\$&');

const attributeOf = (path: string) =>
  path
    .toLowerCase()
    .replace(`${schemaIds.enterprise}:`.toLowerCase(), '')
    .replace(`${schemaIds.user}:`.toLowerCase(), '');

/** Each branch uses an index. Users without a name of their own in SCIM have their LoginID. */
const byUserName = (name: string) => `account.user_id in (
  select known.user_id from scim_user known where known.tenant_id = $1 and known.folded_user_name = ${name}
  union all
  select known.user_id from "user" known where known.tenant_id = $1 and lower(known.login_id) collate "C" = ${name}
    and not exists (select from scim_user named where named.tenant_id = $1 and named.user_id = known.user_id))`;

const managedBy = (id: string) => `account.manager_login_id = (
  select boss.login_id from "user" boss where boss.tenant_id = $1 and boss.user_id = ${id})`;

function compareText(column: string, op: string, value: string, { add }: Parameters): string {
  if (op === 'co') return `${column} like ${add(`%${escapeLike(value)}%`)}`;
  if (op === 'sw') return `${column} like ${add(`${escapeLike(value)}%`)}`;
  if (op === 'ew') return `${column} like ${add(`%${escapeLike(value)}`)}`;
  if (op === 'ne') return `${column} is distinct from ${add(value)}`;
  return `${column} ${operators[op]} ${add(value)}`;
}

const userName = 'coalesce(own.folded_user_name, lower(account.login_id))';

/** The SQL condition of a filter for users (RFC 7644 §3.4.2.2). */
export function userCondition(filter: Filter, parameters: Parameters): string {
  const { add } = parameters;
  if ('filters' in filter)
    return `(${filter.filters.map((one) => userCondition(one, parameters)).join(` ${filter.op} `)})`;
  if (filter.op === 'not') return `not coalesce(${userCondition(filter.filter, parameters)}, false)`;
  const name = attributeOf(filter.attrPath);
  const isEmail = name === 'emails' || name === 'emails.value';
  if (filter.op === '[]') {
    const parts = 'filters' in filter.valFilter ? filter.valFilter.filters : [filter.valFilter];
    const value = parts.find((part) => 'attrPath' in part && part.attrPath.toLowerCase() === 'value');
    if (!isEmail) return unsupported(filter.attrPath);
    // Lectern knows one address of a user, whatever its type. Entra sends emails[type eq "work"].value eq "ada@…".
    const inner = value ?? { op: 'pr' };
    return userCondition({ ...inner, attrPath: 'emails.value' } as Filter, parameters);
  }
  const column = isEmail
    ? 'account.folded_email'
    : name === 'username'
      ? userName
      : (folded[name] ?? exact[name] ?? times[name]);
  if (filter.op === 'pr') return column ? `${column} is not null` : unsupported(filter.attrPath);
  const value = String(filter.compValue);
  if (name === 'active')
    return `account.enabled ${operators[filter.op] ?? '='} ${add(asBoolean(filter.compValue) === true)}`;
  if (name === 'username' && filter.op === 'eq') return byUserName(add(foldCase(value)));
  // Entra asks whether a user still has a manager.
  if ((name === 'manager' || name === 'manager.value') && filter.op === 'eq')
    return isId(value) ? managedBy(add(value)) : 'false';
  if (name === 'id' && filter.op === 'eq') return isId(value) ? `account.user_id = ${add(value)}` : 'false';
  if (!column) return unsupported(filter.attrPath);
  if (name in times) {
    if (Number.isNaN(Date.parse(value)))
      refuse('invalidFilter', `${filter.attrPath} must be compared with a time.`);
    return `${column} ${operators[filter.op] ?? '='} ${add(new Date(value))}::timestamptz`;
  }
  return compareText(column, filter.op, name in exact ? value : foldCase(value), parameters);
}

function unsupported(path: string): never {
  return refuse(
    'invalidFilter',
    `Users cannot be filtered by ${path}. Use userName, externalId, id, active, emails.value, name.givenName, name.familyName, displayName, title, employeeNumber, department, manager, meta.created or meta.lastModified.`,
  );
}
