import type { components } from '../../../client/src/generated.ts';

export type Line = components['schemas']['Completion'];
/** What a line of a report covers. */
export type Place = Pick<Line, 'CourseID' | 'CourseTitle' | 'GroupName'>;

export const keyOf = ({ CourseID, GroupName }: Place) => JSON.stringify([CourseID, GroupName]);

export const kinds = ['course', 'group', 'course_and_group'] as const;
export type Kind = (typeof kinds)[number];

export const isKind = (text: string | undefined): text is Kind => kinds.some((kind) => kind === text);

/**
 * The figures, each with the filter for its enrolments, in the order of the bars. Passed enrolments are part of the
 * completed ones, and withdrawn enrolments are not part of a bar.
 */
export const figures = [
  { figure: 'Completed', status: 'done' },
  { figure: 'Passed', status: 'passed' },
  { figure: 'Failed', status: 'failed' },
  { figure: 'InProgress', status: 'in_progress' },
  { figure: 'NotStarted', status: 'not_started' },
  { figure: 'Expired', status: 'expired' },
  { figure: 'Withdrawn', status: 'withdrawn' },
] as const;

/** The filters of the enrolments behind a figure, as in the URL of their page. */
export type Filter = { status?: string; before?: string };

/** Midnight in UTC after this many days, because reports count days in UTC. */
export function endOfDays(days: number, day: string): string {
  const end = Date.parse(day) + (days + 1) * 86_400_000;
  return `${new Date(end).toISOString().slice(0, 10)}T00:00Z`;
}

export const inBar = figures.filter(({ figure }) => figure !== 'Withdrawn' && figure !== 'Passed');

/** The filters for a line's enrolments. Null for a past day, for which there is no filter. */
export type Scope = Partial<Record<'course' | 'group' | 'manager' | 'attribute', string | undefined>> | null;

type Shown = NonNullable<Scope> & { kind: Kind; day?: string | undefined };

export function scopeOf(line: Place, { kind, day, ...filters }: Shown): Scope {
  if (day !== undefined) return null;
  const { course, group } = filters;
  return {
    ...filters,
    course: line.CourseID ?? course,
    group: line.GroupName ?? (kind === 'course' ? group : ''),
  };
}
