import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byUrgency, dueAt, type Enrolment, isOverdue, itemsOf, type Obligation, sectionOf } from './items.ts';

const enrolment = (EnrollID: string, more: Partial<Enrolment> = {}) =>
  ({
    ...{ EnrollID, CourseID: EnrollID, CourseTitle: EnrollID, Status: 'enrolled', Outcome: 'not_started' },
    ...{ EnrolledAt: '2026-01-01T00:00:00Z', LastAccessedAt: null, DueAt: null, ExpiresAt: null },
    PathEnrollID: null,
    ...more,
  }) as Enrolment;

const obligation = (EnrollID: string | null, more: Partial<Obligation> = {}) =>
  ({
    ...{
      RequirementID: `must ${EnrollID}`,
      Title: `Must ${EnrollID}`,
      EnrollID,
      Cycle: 1,
      Status: 'not_due',
    },
    ...{ DueAt: '2026-12-03T23:59:59Z', ValidUntil: null },
    ...more,
  }) as Obligation;

test('the most urgent course is first, whether its enrolment or a requirement says when it is due', () => {
  const items = itemsOf(
    [
      enrolment('idle'),
      enrolment('ends', { ExpiresAt: '2026-12-02T00:00:00Z' }),
      enrolment('due', { DueAt: '2026-12-04T00:00:00Z' }),
      enrolment('must'),
    ],
    [obligation('must'), obligation(null, { Status: 'overdue', DueAt: '2026-11-01T00:00:00Z' })],
  );
  const order = items.sort(byUrgency).map(({ title }) => title);
  assert.deepEqual(order, ['Must null', 'ends', 'must', 'due', 'idle']);
  assert.ok(items.every((item) => sectionOf(item) === 'open'));
});

test('superseded enrolments and closed cycles are left out, and the newest cycle counts', () => {
  const items = itemsOf(
    [
      enrolment('old', { CourseID: 'fire', Outcome: 'passed' }),
      enrolment('new', { CourseID: 'fire', EnrolledAt: '2026-02-01T00:00:00Z' }),
    ],
    [
      obligation('old', { RequirementID: 'fire', Status: 'closed' }),
      obligation('new', { RequirementID: 'fire', Status: 'overdue', Cycle: 2 }),
    ],
  );
  assert.deepEqual(
    items.map(({ key, obligation }) => [key, obligation?.Cycle]),
    [['new', 2]],
  );
});

test('a completion counts until the requirement asks for another', () => {
  const passed = enrolment('fire', { Outcome: 'passed', Status: 'completed' });
  const elsewhere = obligation('fire', { Status: 'met', External: true });
  const outcomes = ['not_started', 'failed', 'in_progress'] as const;
  assert.deepEqual(
    outcomes.flatMap((Outcome) => itemsOf([enrolment('fire', { Outcome })], [elsewhere]).map(sectionOf)),
    ['done', 'done', 'open'],
  );
  const [met, expired, ended] = [
    itemsOf([passed], [obligation('fire', { Status: 'expiring', ValidUntil: '2027-03-01T00:00:00Z' })]),
    itemsOf([passed], [obligation('fire', { Status: 'expired' })]),
    itemsOf([enrolment('gone', { Status: 'expired', Outcome: 'expired' })], []),
  ].map(([item]) => item && [sectionOf(item), dueAt(item)]);
  assert.deepEqual(met, ['done', null]);
  assert.deepEqual(expired, ['open', '2026-12-03T23:59:59Z']);
  assert.deepEqual(ended, ['ended', null]);
});

test('a path is one item, with those of its courses that are also required on their own beside it', () => {
  const items = itemsOf(
    [
      enrolment('old path', { CourseID: 'path' }),
      enrolment('old part', { CourseID: 'first aid', PathEnrollID: 'old path', Outcome: 'passed' }),
      enrolment('path', { EnrolledAt: '2026-02-01T00:00:00Z' }),
      enrolment('lifting', { PathEnrollID: 'path' }),
      enrolment('fire', { PathEnrollID: 'path' }),
    ],
    [obligation('fire'), obligation('path')],
  );
  assert.deepEqual(
    items.map(({ key }) => key),
    ['path', 'fire'],
  );
});

test('the due date of an enrolment ends with the obligation for which it was made', () => {
  const late = { DueAt: '2026-01-05T23:59:59Z' };
  const [exempt, closed, own, met] = itemsOf(
    [enrolment('exempt', late), enrolment('closed', late), enrolment('own', late), enrolment('met', late)],
    [
      obligation('exempt', { Status: 'exempt' }),
      obligation('closed', { Status: 'closed' }),
      obligation('met', { Status: 'met' }),
    ],
  ).map((item) => ({ due: dueAt(item), isExempt: item.isExempt }));
  assert.deepEqual(exempt, { due: null, isExempt: true });
  assert.deepEqual(closed, { due: null, isExempt: false });
  assert.deepEqual(own, { due: late.DueAt, isExempt: false });
  assert.deepEqual(met, { due: null, isExempt: false });
});

test('the service decides whether an obligation is overdue, whatever time it is', () => {
  const item = (Status: Obligation['Status']) =>
    itemsOf([enrolment('must')], [obligation('must', { Status })])[0];
  const [early, late] = [Date.parse('2020-01-01'), Date.parse('2030-01-01')];
  const [open, overdue] = [item('due_soon'), item('overdue')];
  const [own] = itemsOf([enrolment('own', { DueAt: '2026-12-03T23:59:59Z' })], []);
  assert.ok(open && overdue && own);
  assert.deepEqual([isOverdue(open, late), isOverdue(overdue, early)], [false, true]);
  assert.deepEqual([isOverdue(own, early), isOverdue(own, late)], [false, true]);
});
