import type { components } from '../../../client/src/generated.ts';
import type { Api } from '../../api/api.tsx';
import type { Enrolment } from '../enrolments/values.tsx';
import type { EnrolmentIds } from './selected.ts';
import { dataOf, type RowCalls, type RowResult } from './send-rows.ts';

type EnrolmentChange = components['schemas']['EnrolmentChange'];

/** The change to an enrolment, null if no change is needed, or the reason why it cannot be changed. */
export type Planned = EnrolmentChange | null | { code: string; detail: string };

const changeFields = ['Status', 'ExpiresAt'] as const;

function resultOf(before: Enrolment, after: Enrolment): RowResult {
  return { Status: 200, Changed: changeFields.filter((name) => before[name] !== after[name]) };
}

/**
 * The plan reads each enrolment again to determine its change, because the list may be out of date. `apply` then makes
 * exactly the planned change.
 */
export function enrolmentCalls(
  { client }: Pick<Api, 'client'>,
  planOf: (enrolment: Enrolment) => Planned,
): RowCalls<EnrolmentIds> {
  const changes = new Map<string, { before: Enrolment; body: EnrolmentChange }>();
  const unchanged = new Map<string, RowResult>();
  const path = '/enrolment/{LoginID}/{EnrollID}';
  return {
    ids: ({ LoginID, CourseID, EnrollID }) => ({ LoginID, CourseID, EnrollID }),
    plan: async ({ LoginID, EnrollID }, signal) => {
      const params = { path: { LoginID, EnrollID } };
      const before = await dataOf(client.GET(path, { params, signal }));
      const body = planOf(before);
      if (body === null || 'code' in body) {
        const result = body === null ? { Status: 200 } : { Status: 409, ...body };
        unchanged.set(EnrollID, result);
        return result;
      }
      changes.set(EnrollID, { before, body });
      const plan = { ...params, query: { Plan: true } };
      return resultOf(before, await dataOf(client.PUT(path, { params: plan, body, signal })));
    },
    apply: async ({ LoginID, EnrollID }, signal) => {
      const change = changes.get(EnrollID);
      if (!change) return unchanged.get(EnrollID) ?? { Status: 200 };
      const params = { path: { LoginID, EnrollID } };
      return resultOf(change.before, await dataOf(client.PUT(path, { params, body: change.body, signal })));
    },
  };
}

/** The end of access after an extension. Access that has ended starts again now. */
export type Extension = { days: number } | { until: string };

const dayMilliseconds = 86_400_000;

/** The later end of access, or null if access never ends or already ends late enough. */
export function extendedEnd(end: string | null, by: Extension, now: Date): string | null {
  if (end === null) return null;
  const known = new Date(end);
  if ('until' in by) return known < new Date(by.until) ? by.until : null;
  return new Date(Math.max(known.getTime(), now.getTime()) + by.days * dayMilliseconds).toISOString();
}
