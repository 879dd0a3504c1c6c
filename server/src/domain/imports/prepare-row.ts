import { readLists } from '../../http/rows/bulk.ts';
import { damaged } from '../../http/rows/work-rows.ts';
import { loose, nearest } from '../../lib/nearest.ts';
import { cleanFields, foldCase } from '../../lib/unicode.ts';
import { dayOrInstantOf } from './dates.ts';
import { type Facts, findCourse } from './facts.ts';
import { memberFields } from './headings.ts';
import type { ImportLine, ImportRecord } from './record.ts';
import type { ImportNote } from './schemas.ts';

export type Refusal = { code: string; param: string | null; detail: string; nearest: string | null };
/** The row as the bulk calls take it, or why it is not sent to them. */
export type PreparedRow = { value: Record<string, unknown>; notes: ImportNote[] } | Refusal;

/** A spreadsheet's sums and counts, in the languages of the console. */
const summary = /^(grand total|sub-?total|total|sum|count|gesamt|summe|anzahl|somme|nombre|effectif)\b/i;
/** Not as strict as RFC 5321: one address, with a domain. */
const email = /^[^\s@,;<>"()]+@[^\s@,;<>"().]+(\.[^\s@,;<>"().]+)+$/;

const refuse = (
  code: string,
  param: string | null,
  detail: string,
  nearest: string | null = null,
): Refusal => ({ code, param, detail, nearest });

/** Checks one row against the file and the tenant's data, and resolves its names. */
export function prepareRow(
  record: ImportRecord,
  facts: Facts,
  { line, fields, plan }: ImportLine,
): PreparedRow {
  const { options, subject } = record;
  const broken = brokenCell(fields) ?? wrongFile(record, facts, line, fields);
  if (broken) return broken;
  const notes: ImportNote[] = [];
  const value: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(fields)) {
    const field = memberFields.find((one) => name.startsWith(`${one}.`));
    if (field === undefined) value[name] = text;
    else value[field] = { ...(value[field] as object), [name.slice(field.length + 1)]: text };
  }
  readLists(value, ['Groups']);
  const course = fields.CourseID ?? options.CourseID;
  if (course !== undefined) {
    const found = findCourse(facts.courses, course);
    if ('detail' in found) return refuse(found.code, 'CourseID', found.detail, found.nearest);
    value.CourseID = found.courseId;
    if (options.DurationID !== undefined) value.DurationID ??= options.DurationID;
    if (options.IfEnrolled !== undefined) value.IfEnrolled ??= options.IfEnrolled;
    const end = fields.ExpiresAt ?? options.ExpiresAt;
    for (const [name, cell] of [
      ['ExpiresAt', end],
      ['DueAt', fields.DueAt],
    ] as const) {
      if (cell === undefined) continue;
      const read = dayOrInstantOf(cell, facts.order);
      if (read === null)
        return refuse('invalid_date', name, `“${cell}” is not a date. Write it as 2027-04-03.`);
      if (read === 'ambiguous') {
        const detail = `“${cell}” could be two days. Say with DateOrder whether the day or the month comes first.`;
        return refuse('ambiguous_date', name, detail);
      }
      value[name] = read;
    }
    if (end !== undefined && /\d:\d/.test(end) && !/(?:Z|[+-]\d\d:\d\d)$/i.test(end))
      notes.push({ Kind: 'time_ignored', Value: end, Nearest: null });
  } else
    for (const name of ['DurationID', 'DueAt', 'ExpiresAt', 'IfEnrolled', 'Reference', 'Metadata'])
      delete value[name];
  if (subject === 'users' && options.IfExists !== undefined) value.IfExists ??= options.IfExists;
  cleanFields(value, { blankIsNull: true });
  const similar = similarName(record, facts, value, plan?.code === 'similar_login_id' ? plan.nearest : null);
  if (similar) return similar;
  const group = value.GroupName;
  if (typeof group === 'string' && !facts.existingGroups.includes(group)) {
    const near = nearest(group, facts.existingGroups, (name) => name);
    // Numbered groups differ by design.
    const isMeant = near !== null && near.replaceAll(/\D/g, '') === group.replaceAll(/\D/g, '');
    notes.push({ Kind: 'new_group', Value: group, Nearest: isMeant ? near : null });
  }
  return { value, notes };
}

function brokenCell(fields: Record<string, string>): Refusal | null {
  for (const [name, text] of Object.entries(fields))
    if (damaged.test(text)) {
      const detail = `${name} is “${text}”, which is an error, a formula or a shortened number of a spreadsheet. Correct the cell, or clear it.`;
      return refuse('damaged_cell', name, detail);
    }
  return null;
}

function wrongFile(
  record: ImportRecord,
  facts: Facts,
  line: number,
  fields: Record<string, string>,
): Refusal | null {
  const { LoginID: loginId, CourseID: course = '', Email: address } = fields;
  if (loginId === undefined) return refuse('validation_failed', 'LoginID', 'LoginID is missing. Enter it.');
  if (summary.test(loginId) && Object.keys(fields).length <= 2 && record.columns.length > 2)
    return refuse('summary_row', 'LoginID', `“${loginId}” looks like a total, not like a person.`);
  const person = facts.people.get(foldCase(loginId));
  if (person && person.line !== line && person.loginId !== loginId) {
    const detail = `“${loginId}” differs from “${person.loginId}” in line ${person.line} only in case or spaces.`;
    return refuse('similar_in_file', 'LoginID', detail, person.loginId);
  }
  const first = person?.courses.get(loose(course)) ?? line;
  if (first !== line)
    return refuse(
      'repeated_row',
      'LoginID',
      `“${loginId}” is already in line ${first}. Delete one of the rows.`,
    );
  if (address !== undefined && !email.test(address))
    return refuse(
      'invalid_email',
      'Email',
      `“${address}” is not an email address. Correct it, or clear the cell.`,
    );
  return null;
}

/** Answers the question whether a name that differs only in case or spaces is meant to be another one. */
function similarName(
  { options: { Similar = 'refuse' } }: ImportRecord,
  facts: Facts,
  value: Record<string, unknown>,
  existingLogin: string | null,
): Refusal | null {
  const { GroupName: group, LoginID: loginId } = value;
  const known = typeof group === 'string' ? facts.groups.get(loose(group)) : undefined;
  const exists = typeof group === 'string' && facts.existingGroups.includes(group);
  if (known !== undefined && known !== group && !exists && Similar !== 'create') {
    if (Similar === 'use') value.GroupName = known;
    else {
      const detail = `The group “${group}” differs from “${known}” only in case or spaces. Is it the same group?`;
      return refuse('similar_group', 'GroupName', detail, known);
    }
  }
  if (existingLogin === null || Similar === 'create') return null;
  if (Similar === 'refuse') return similarLogin(String(loginId), existingLogin);
  value.LoginID = existingLogin;
  return null;
}

export function similarLogin(loginId: string, existing: string): Refusal {
  const detail = `“${loginId}” differs from the existing LoginID “${existing}” only in case or spaces. Is it the same person?`;
  return refuse('similar_login_id', 'LoginID', detail, existing);
}
