import { PageOf, pageQuery } from '../../../http/pagination.ts';
import { created, ok, path, route } from '../../../http/routes.ts';
import { Fields } from '../../../http/validation/schema.ts';
import {
  createSchedule,
  deleteSchedule,
  listSchedules,
  readSchedule,
  requestRun,
  updateSchedule,
} from './schedules.ts';
import { NewReportSchedule, ReportSchedule, ReportScheduleChange, scheduleParams } from './schemas.ts';

/** Schedules name their recipients, so all of these operations require `users:read`. */
const common = { tag: 'Reports', access: 'tenant' } as const;
const toRead = { ...common, scope: 'enrolments:read', additionalScopes: ['users:read'] } as const;
const toWrite = {
  ...common,
  scope: 'enrolments:write',
  additionalScopes: ['enrolments:read', 'users:read'],
} as const;
const one = { params: scheduleParams } as const;

export const scheduleRoutes = [
  route('POST /report/schedule', 'createReportSchedule', {
    ...toWrite,
    summary: 'Schedule a report',
    description:
      'Sends a report every day, week or month, by email to administrators or as the event `report.ready`. A tenant can have at most 20 scheduled reports.',
    example: ['By', 'Weekday', 'Recipients'],
    body: NewReportSchedule,
    responses: { 201: { description: 'The scheduled report.', schema: ReportSchedule } },
    problems: ['schedule_limit', 'mail_not_configured'],
    events: [],
    audits: ['report_schedule.created'],
    handle: async (ctx, { body }) => {
      const schedule = await createSchedule(ctx, body);
      return created(schedule, path`/report/schedule/${schedule.ScheduleID}`);
    },
  }),
  route('GET /report/schedule', 'listReportSchedules', {
    ...toRead,
    summary: 'List scheduled reports',
    description: 'Shows when each report runs next, and how its last run ended.',
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of scheduled reports.', schema: PageOf(ReportSchedule) } },
    handle: async (ctx, { query }) => ok(await listSchedules(ctx, query)),
  }),
  route('GET /report/schedule/{ScheduleID}', 'readReportSchedule', {
    ...toRead,
    ...one,
    summary: 'Read a scheduled report',
    description: 'Shows when it runs next, and how its last run ended.',
    responses: { 200: { description: 'The scheduled report.', schema: ReportSchedule } },
    problems: ['schedule_not_found'],
    handle: async (ctx, { params }) => ok(await readSchedule(ctx, { scheduleId: params.ScheduleID })),
  }),
  route('PUT /report/schedule/{ScheduleID}', 'updateReportSchedule', {
    ...toWrite,
    ...one,
    summary: 'Change, pause or resume a scheduled report',
    description:
      'Fields that you leave out keep their values. A report runs at most once in ten minutes, even if its times are changed.',
    example: ['Status'],
    body: ReportScheduleChange,
    responses: { 200: { description: 'The changed report.', schema: ReportSchedule } },
    problems: ['schedule_not_found', 'mail_not_configured'],
    events: [],
    audits: ['report_schedule.changed'],
    handle: async (ctx, { params, body }) =>
      ok(await updateSchedule(ctx, { ...body, scheduleId: params.ScheduleID })),
  }),
  route('DELETE /report/schedule/{ScheduleID}', 'deleteReportSchedule', {
    ...toWrite,
    ...one,
    summary: 'Delete a scheduled report',
    description: 'Emails that have not been sent yet are cancelled.',
    responses: { 200: { description: 'The deleted report.', schema: ReportSchedule } },
    problems: ['schedule_not_found'],
    events: [],
    audits: ['report_schedule.deleted'],
    handle: async (ctx, { params }) => ok(await deleteSchedule(ctx, { scheduleId: params.ScheduleID })),
  }),
  route('POST /report/schedule/{ScheduleID}/run', 'runReportSchedule', {
    ...toWrite,
    summary: 'Run a scheduled report now',
    description:
      'The report runs within about ten seconds, even if it is paused. Its next regular run does not change. After a successful run, it can be run again after ten minutes.',
    params: scheduleParams,
    responses: { 200: { description: 'The report, with NextRunAt set to now.', schema: ReportSchedule } },
    problems: ['schedule_not_found', 'too_many_requests'],
    events: [],
    audits: ['report_schedule.run_requested'],
    handle: async (ctx, { params }) => ok(await requestRun(ctx, { scheduleId: params.ScheduleID })),
  }),
];
