import type { Event } from './schemas.ts';
import type { EventType } from './types.ts';

const subjectFields = ['LoginID', 'EnrollID', 'CourseID'];

/** The subject of each kind of event. The other subject fields are null. An erased user has no LoginID. */
const subjects: Record<string, readonly string[]> = {
  user: ['LoginID'],
  'user.erased': [],
  invitation: ['LoginID'],
  mail: ['LoginID'],
  key: ['LoginID'],
  enrolment: subjectFields,
  certificate: subjectFields,
  completion: ['LoginID', 'CourseID'],
  obligation: subjectFields,
  score: subjectFields,
  course: ['CourseID'],
  package: ['CourseID'],
};

const attempt = { Completion: 'completed', Success: 'passed', Score: 85, Progress: 100, TotalSeconds: 1260 };
const started = { Status: 'in_progress', Outcome: 'in_progress', Success: 'unknown' };

const obligation = {
  RequirementID: 'fire-safety',
  Cycle: 1,
  Status: 'not_due',
  DueAt: '2026-02-14T23:59:59Z',
  MetAt: null,
  ValidUntil: null,
};
const place = { PlatformID: '01994a5e-7c00-7000-8000-000000000031', Platform: 'Moodle of Acme' };
const met = { MetAt: '2026-02-03T10:00:00Z', ValidUntil: '2027-02-03T23:59:59Z' };

/** Data whose values depend on the type. For other types, it is made from the schema. */
const dataOf: Partial<Record<EventType, Event['Data']>> = {
  'user.disabled': { LoginID: 'ada', Changed: ['Enabled'] },
  'invitation.created': {
    LoginID: 'ada',
    InvitationID: '01994a5e-7c00-7000-8000-000000000007',
    ExpiresAt: '2026-02-07T09:00:00Z',
  },
  'mail.bounced': {
    LoginID: 'ada',
    EmailAddress: 'ada@example.com',
    Kind: 'permanent',
    Reason: '550 5.1.1 The email account does not exist',
    MailID: '01994a5e-7c00-7000-8000-000000000008',
  },
  'enrolment.updated': { Changed: ['ExpiresAt'], ...started },
  'enrolment.launched': { Launch: 1, Status: 'in_progress', Outcome: 'in_progress' },
  'enrolment.progressed': {
    Status: 'in_progress',
    Outcome: 'in_progress',
    ...attempt,
    Completion: 'incomplete',
    Success: 'unknown',
    Score: null,
    Progress: 40,
    TotalSeconds: 540,
  },
  'enrolment.completed': { Status: 'completed', Outcome: 'passed', ...attempt },
  'enrolment.passed': { Status: 'completed', Outcome: 'passed', ...attempt },
  'enrolment.failed': { Status: 'in_progress', Outcome: 'failed', ...attempt, Success: 'failed', Score: 45 },
  'enrolment.attempt_started': { Attempt: 2 },
  'enrolment.attempt_finished': { Attempt: 2, ...attempt },
  'enrolment.reset': { Attempt: 3, Status: 'enrolled', Outcome: 'not_started', Success: 'unknown' },
  'enrolment.extended': {
    DurationID: '30-days',
    ExpiresAt: '2026-03-31T09:00:00Z',
    Status: 'in_progress',
    Outcome: 'in_progress',
    Reference: 'order-4711',
  },
  'enrolment.ending': {
    Days: 14,
    ExpiresAt: '2026-02-14T09:00:00Z',
    MailID: '01994a5e-7c00-7000-8000-000000000008',
  },
  'enrolment.expired': { Status: 'expired', Outcome: 'expired' },
  'enrolment.withdrawn': {
    Changed: ['Withdrawn'],
    Status: 'withdrawn',
    Outcome: 'withdrawn',
    Success: 'unknown',
  },
  'enrolment.renewed': {
    NewEnrollID: '01994a5e-7c00-7000-8000-000000000002',
    Status: 'expired',
    Outcome: 'expired',
  },
  'certificate.issued': {
    Number: '7K2M-Q9WD-X4TB-3HVN',
    Attempt: 1,
    ValidUntil: '2027-01-31T09:00:00Z',
    VerifyURL: 'https://lectern.example.com/verify/7K2M-Q9WD-X4TB-3HVN',
    Replaces: null,
  },
  'certificate.expiring': {
    Number: '7K2M-Q9WD-X4TB-3HVN',
    Days: 14,
    ValidUntil: '2027-01-31T09:00:00Z',
  },
  'certificate.expired': { Number: '7K2M-Q9WD-X4TB-3HVN', ValidUntil: '2027-01-31T09:00:00Z' },
  'certificate.revoked': { Number: '7K2M-Q9WD-X4TB-3HVN' },
  'obligation.opened': obligation,
  'obligation.due_soon': { ...obligation, Status: 'due_soon' },
  'obligation.overdue': { ...obligation, Status: 'overdue' },
  'obligation.met': { ...obligation, ...met, Status: 'met' },
  'obligation.expiring': { ...obligation, ...met, Status: 'expiring' },
  'obligation.expired': { ...obligation, ...met, Status: 'expired' },
  'obligation.closed': { ...obligation, Status: 'closed' },
  'score.accepted': { ...place, Score: 80, Activity: 'Completed' },
  'score.rejected': {
    ...place,
    Score: 80,
    Problem: '404',
    Detail: 'The grade column no longer exists in the platform.',
  },
  'report.ready': {
    ScheduleID: '01994a5e-7c00-7000-8000-000000000011',
    Name: 'Completion by group',
    Report: 'completion',
    From: null,
    To: '2026-01-30',
    URL: 'https://lectern.example.com/report/completion?By=group&AsOf=2026-01-30',
  },
  'webhook.disabled': {
    WebhookID: '01994a5e-7c00-7000-8000-000000000005',
    URL: 'https://shop.example.com/lectern',
    FailingSince: '2026-01-28T09:00:00Z',
  },
};

/** The fields of an event's example that depend on its type. */
export function exampleFields(type: EventType): object {
  const [kind = ''] = type.split('.');
  const subject = subjects[type] ?? subjects[kind] ?? [];
  const nulls = subjectFields.filter((name) => !subject.includes(name)).map((name) => [name, null]);
  const Data = dataOf[type];
  return { ...Object.fromEntries(nulls), ...(Data && { Data }) };
}
