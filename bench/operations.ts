import type { Request } from './load/sockets.ts';
import type { Dataset, Operation } from './operation.ts';
import { statementOperations } from './statement-operations.ts';

/** The number of an enrolment is part of its ID, so a load generator knows the ID without a request. */
export function enrolmentId(n: number): string {
  return `01930000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

const bulkRows = 50;

function target({ users, courses }: Dataset, n: number): { login: string; course: string } {
  return { login: `u${n % users}`, course: `c${Math.floor(n / users) % courses}` };
}

/** What each commit of a learner changes. */
const progressAt = (number: number) => ({
  'cmi.core.lesson_location': `page ${number}`,
  'cmi.core.session_time': `0000:${String(Math.floor(number / 60) % 60).padStart(2, '0')}:${String(number % 60).padStart(2, '0')}`,
});

/** 100 answered questions. */
const largeData = Object.fromEntries([
  ['cmi.core.lesson_status', 'incomplete'],
  ['cmi.suspend_data', 'x'.repeat(4_000)],
  ...Array.from({ length: 100 }, (_, n) => [
    [`cmi.interactions.${n}.id`, `question-${n}`],
    [`cmi.interactions.${n}.type`, 'choice'],
    [`cmi.interactions.${n}.student_response`, 'a'],
    [`cmi.interactions.${n}.result`, 'correct'],
  ]).flat(),
]);

export const operations: readonly Operation[] = [
  {
    name: 'enrol',
    origin: 'api',
    expected: 201,
    rows: 1,
    limit: 'one',
    request: (dataset, n) => {
      const { login, course } = target(dataset, n);
      return { method: 'POST', path: `/enrol/${login}/${course}`, body: '{}', key: dataset.key };
    },
  },
  {
    name: 'create user',
    origin: 'api',
    expected: 201,
    rows: 1,
    limit: 'one',
    request: ({ run, key }, n) => ({
      method: 'POST',
      path: '/user',
      body: `{"LoginID":"${run}-${n}","FirstName":"Lee","LastName":"Learner ${n}","Email":"${run}-${n}@mail.example"}`,
      key,
    }),
  },
  {
    name: 'enrol with a key',
    origin: 'api',
    expected: 201,
    rows: 1,
    limit: 'one',
    request: (dataset, n) => {
      const { users, run, key } = dataset;
      // Counts down from the last course, because `enrol` counts up from the first one.
      const path = `/enrol/u${n % users}/c${dataset.courses - 1 - (Math.floor(n / users) % dataset.courses)}`;
      return { method: 'POST', path, body: '{}', key, once: `${run}-enrol-${n}` };
    },
  },
  {
    name: 'create user with a key',
    origin: 'api',
    expected: 201,
    rows: 1,
    limit: 'one',
    request: ({ run, key }, n) => ({
      method: 'POST',
      path: '/user',
      body: `{"LoginID":"${run}-once-${n}","LastName":"Learner ${n}"}`,
      key,
      once: `${run}-user-${n}`,
    }),
  },
  {
    name: 'bulk enrol, 50 rows per call',
    origin: 'api',
    expected: 200,
    rows: bulkRows,
    limit: 'fifty',
    maxConnections: 2,
    request: (dataset, n) => {
      const { users } = dataset;
      const rows = Array.from({ length: bulkRows }, (_, row) => {
        const at = n * bulkRows + row;
        return `{"LoginID":"u${at % users}","CourseID":"b${Math.floor(at / users) % dataset.courses}"}`;
      });
      return { method: 'POST', path: '/enrol/bulk', body: `${rows.join('\n')}\n`, key: dataset.key };
    },
  },
  {
    name: 'read enrolment',
    origin: 'api',
    expected: 200,
    rows: 1,
    limit: 'http',
    request: ({ enrolments, firstEnrolment = 0, users, key }, n) => {
      const at = (n * 7919) % enrolments;
      return { method: 'GET', path: `/enrolment/u${at % users}/${enrolmentId(firstEnrolment + at)}`, key };
    },
  },
  {
    name: 'catalogue read',
    origin: 'api',
    expected: 200,
    rows: 1,
    limit: 'http',
    request: ({ users, courses, key }, n) => ({
      method: 'GET',
      path: `/catalogue/course/c${n % courses}/u${(n * 7919) % users}`,
      key,
    }),
  },
  {
    name: 'launch click',
    origin: 'api',
    expected: 303,
    rows: 1,
    limit: 'http',
    request: ({ sessions }, n) => ({ method: 'GET', path: sessions[n % sessions.length]?.link ?? '/' }),
  },
  {
    name: 'player page',
    origin: 'content',
    expected: 200,
    rows: 1,
    limit: 'http',
    request: ({ sessions }, n) => ({ method: 'GET', path: sessions[n % sessions.length]?.page ?? '/' }),
  },
  {
    name: 'open session',
    origin: 'content',
    expected: 201,
    rows: 1,
    limit: 'one',
    request: ({ sessions }, n) => ({
      method: 'POST',
      path: `${sessions[n % sessions.length]?.page}/session`,
    }),
  },
  {
    name: 'course file',
    origin: 'content',
    expected: 200,
    rows: 1,
    limit: 'http',
    request: ({ sessions }, n) => ({ method: 'GET', path: sessions[n % sessions.length]?.file ?? '/' }),
  },
  {
    name: 'commit',
    origin: 'content',
    expected: 200,
    rows: 1,
    limit: 'http',
    request: ({ sessions }, n) => {
      const session = sessions[n % sessions.length];
      const number = Math.floor(n / sessions.length) + 1;
      const Data = {
        'cmi.core.lesson_status': 'incomplete',
        ...progressAt(number),
        'cmi.suspend_data': 'x'.repeat(500),
      };
      return {
        method: 'POST',
        path: `${session?.path}/commit`,
        body: JSON.stringify({ Number: number, UnitID: session?.unit, Data }),
      };
    },
  },
  {
    // As players send it: all data at first, and then what has changed.
    name: 'changes to 20 kB of data',
    origin: 'content',
    expected: 200,
    rows: 1,
    limit: 'http',
    request: ({ sessions }, n) => {
      const session = sessions[n % sessions.length];
      const number = Math.floor(n / sessions.length) + 1;
      const changes = progressAt(number);
      const Base = { Number: number - 1, Removed: [] };
      const body = number === 1 ? { Data: { ...largeData, ...changes } } : { Data: changes, Base };
      return {
        method: 'POST',
        path: `${session?.path}/commit`,
        body: JSON.stringify({ Number: number, UnitID: session?.unit, ...body }),
      };
    },
  },
  ...statementOperations,
];

/** The request with this number, sent by the tenant whose turn it is. */
export function requestOf({ request }: Operation, dataset: Dataset, serial: number): Request {
  const { tenants = [dataset] } = dataset;
  const tenant = tenants[serial % tenants.length] ?? dataset;
  return request(tenant, Math.floor(serial / tenants.length));
}

export function operationNamed(name: string): Operation {
  const found = operations.find((operation) => operation.name === name);
  if (!found) throw new Error(`There is no operation "${name}".`);
  return found;
}
