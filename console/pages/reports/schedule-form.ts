import type { components } from '../../../client/src/generated.ts';
import { namesOf } from '../../parts/choices.ts';

export type Schedule = components['schemas']['ReportSchedule'];
export type NewSchedule = components['schemas']['NewReportSchedule'];

export const reports = ['completion', 'access', 'activity', 'compliance'] as const;
const lineKinds = ['course', 'group', 'course_and_group', 'total'] as const;
/** What each line can cover; an activity report has periods instead. */
export const kindsOf = {
  completion: lineKinds,
  access: lineKinds,
  activity: [],
  compliance: ['requirement', 'group', 'manager', 'total'],
} as const satisfies Record<Schedule['Report'], readonly NonNullable<Schedule['By']>[]>;
export const kinds = [...lineKinds, 'requirement', 'manager'] as const;
export const frequencies = ['day', 'week', 'month'] as const;
export type Weekday = NonNullable<Schedule['Weekday']>;

/** Each day of the week, as a day of January 2024. */
export const weekdayDates = {
  monday: 1,
  tuesday: 2,
  wednesday: 3,
  thursday: 4,
  friday: 5,
  saturday: 6,
  sunday: 7,
} as const satisfies Record<Weekday, number>;
export const weekdays = namesOf(weekdayDates);
export const deliveries = ['email', 'webhook'] as const;

export type FormValues = {
  Name: string;
  Report: Schedule['Report'];
  By: (typeof kinds)[number];
  Unit: 'day' | 'week' | 'month';
  Days: number;
  CourseID: string | undefined;
  RequirementID: string | undefined;
  GroupName: string | undefined;
  Every: Schedule['Every'];
  Weekday: Weekday;
  MonthDay: number;
  Time: string;
  TimeZone: string;
  Delivery: Schedule['Delivery'];
  Recipients: string[];
};

export const ownTimeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

export const emptyForm = (recipients: string[]): FormValues => ({
  Name: '',
  Report: 'completion',
  By: 'course',
  Unit: 'day',
  Days: 30,
  CourseID: undefined,
  RequirementID: undefined,
  GroupName: undefined,
  Every: 'week',
  Weekday: 'monday',
  MonthDay: 1,
  Time: '07:00',
  TimeZone: ownTimeZone(),
  Delivery: 'email',
  Recipients: recipients,
});

export const valuesOf = (schedule: Schedule): FormValues => {
  const empty = emptyForm([]);
  return {
    Name: schedule.Name,
    Report: schedule.Report,
    By: schedule.By ?? empty.By,
    Unit: schedule.Unit ?? empty.Unit,
    Days: schedule.Days ?? empty.Days,
    CourseID: schedule.CourseID ?? undefined,
    RequirementID: schedule.RequirementID ?? undefined,
    GroupName: schedule.GroupName ?? undefined,
    Every: schedule.Every,
    Weekday: schedule.Weekday ?? empty.Weekday,
    MonthDay: schedule.MonthDay ?? empty.MonthDay,
    Time: schedule.Time,
    TimeZone: schedule.TimeZone,
    Delivery: schedule.Delivery,
    Recipients: schedule.Recipients,
  };
};

/** The fields that apply to the report. */
export function bodyOf(typed: FormValues): NewSchedule {
  const { Report, Every, Delivery } = typed;
  return {
    Name: typed.Name.trim(),
    Report,
    ...(Report === 'activity' ? { Unit: typed.Unit, Days: typed.Days } : { By: typed.By }),
    CourseID: Report === 'compliance' ? null : (typed.CourseID ?? null),
    RequirementID: Report === 'compliance' ? (typed.RequirementID ?? null) : null,
    GroupName: typed.GroupName ?? null,
    Every,
    ...(Every === 'week' ? { Weekday: typed.Weekday } : {}),
    ...(Every === 'month' ? { MonthDay: typed.MonthDay } : {}),
    Time: typed.Time,
    TimeZone: typed.TimeZone,
    Delivery,
    ...(Delivery === 'email' ? { Recipients: typed.Recipients } : {}),
  };
}

export const isSame = (a: FormValues, b: FormValues) =>
  JSON.stringify(bodyOf(a)) === JSON.stringify(bodyOf(b));
