import { checkTimeZone } from '../../../lib/days.ts';
import { invalid } from '../../../lib/errors.ts';
import type { ScheduleRow } from './record.ts';
import {
  linesOf,
  type NewReportSchedule,
  type ReportSchedule,
  type ReportScheduleChange,
} from './schemas.ts';
import { weekdays } from './times.ts';

/** The columns that clients set. */
export type Settings = Omit<
  ScheduleRow,
  | 'tenant_id'
  | 'schedule_id'
  | 'next_run_at'
  | 'attempts'
  | 'last_run_at'
  | 'last_problem'
  | 'created_at'
  | 'updated_at'
>;

/** A field that only some schedules have. Its former value is dropped if it no longer applies. */
function conditional<T>(
  sent: T | null | undefined,
  former: T | null | undefined,
  { name, only, applies }: { name: string; only: string; applies: boolean },
): T | null {
  if (applies) return (sent === undefined ? former : sent) ?? null;
  if (sent != null) throw invalid(name, `${name} can only be used if ${only}. Leave it out.`);
  return null;
}

/** The cast is safe: without an earlier schedule, `input` is a new one, which has all required fields. */
const merged = (input: NewReportSchedule | ReportScheduleChange, before: ReportSchedule | null) =>
  ({ ...before, ...input }) as NewReportSchedule;

/** The settings of a new schedule, or of a changed one: fields that are not sent keep their values. */
export function settingsOf(
  input: NewReportSchedule | ReportScheduleChange,
  before: ReportSchedule | null,
): Settings {
  const sent = merged(input, before);
  const { Report, Every, TimeZone } = sent;
  checkTimeZone(TimeZone);
  const isActivity = Report === 'activity';
  const ofLines = { only: 'Report is completion, access or compliance', applies: !isActivity };
  const ofCourses = { only: 'Report is completion, access or activity', applies: Report !== 'compliance' };
  const ofActivity = { only: 'Report is activity', applies: isActivity };
  const ofWeek = { only: 'Every is week', applies: Every === 'week' };
  const ofMonth = { only: 'Every is month', applies: Every === 'month' };
  const lines: readonly Settings['by'][] = linesOf[Report];
  const formerBy = lines.includes(before?.By ?? null) ? before?.By : null;
  const by = conditional(input.By, formerBy, { name: 'By', ...ofLines }) ?? lines[0] ?? null;
  if (by !== null && !lines.includes(by))
    throw invalid('By', `A report about ${Report} has no lines by ${by}. Send one of ${lines.join(', ')}.`);
  const course = conditional(input.CourseID, before?.CourseID, { name: 'CourseID', ...ofCourses });
  const requirement = conditional(input.RequirementID, before?.RequirementID, {
    ...{ name: 'RequirementID', only: 'Report is compliance', applies: Report === 'compliance' },
  });
  const unit = conditional(input.Unit, before?.Unit, { name: 'Unit', ...ofActivity });
  const days = conditional(input.Days, before?.Days, { name: 'Days', ...ofActivity });
  const weekday = conditional(input.Weekday, before?.Weekday, { name: 'Weekday', ...ofWeek });
  const monthDay = conditional(input.MonthDay, before?.MonthDay, { name: 'MonthDay', ...ofMonth });
  if (Every === 'week' && weekday === null)
    throw invalid('Weekday', 'A weekly report needs a Weekday, such as monday.');
  if (Every === 'month' && monthDay === null)
    throw invalid('MonthDay', 'A monthly report needs a MonthDay from 1 to 31.');
  return {
    name: sent.Name,
    report: Report,
    by,
    unit: isActivity ? (unit ?? 'day') : null,
    days: isActivity ? (days ?? 30) : null,
    course_id: course,
    requirement_id: requirement,
    group_name: sent.GroupName ?? null,
    every: Every,
    weekday: weekday === null ? null : weekdays.indexOf(weekday) + 1,
    month_day: monthDay,
    time: sent.Time,
    time_zone: TimeZone,
    delivery: sent.Delivery,
    status: sent.Status ?? 'active',
  };
}

/** The LoginIDs of the recipients. Reports that are sent by webhook have none. */
export function recipientsOf(
  input: NewReportSchedule | ReportScheduleChange,
  before: ReportSchedule | null,
): string[] {
  const isMailed = (input.Delivery ?? before?.Delivery) === 'email';
  const recipients = input.Recipients ?? (isMailed ? before?.Recipients : undefined) ?? [];
  if (isMailed && recipients.length === 0)
    throw invalid('Recipients', 'A report by email needs at least one recipient.');
  if (!isMailed && recipients.length > 0)
    throw invalid('Recipients', 'Only reports by email have Recipients. Leave them out.');
  return recipients;
}
