import type { Dataset, Operation } from './operation.ts';

const batch = 50;

const numbered = (n: number, digits: number) => n.toString(16).padStart(digits, '0');

/** After this many statements, all values but the ID repeat. */
export const statementPeriod = 30_000;

/** A statement of about 600 bytes with seven search keys. Its ID is unique in the run. */
export function statement({ run }: Pick<Dataset, 'run'>, n: number): string {
  const group = numbered(
    [...run].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2 ** 32, 7),
    8,
  );
  return JSON.stringify({
    id: `${group}-0000-4000-8000-${numbered(n, 12)}`,
    actor: { account: { homePage: 'https://hr.example', name: `u${n % 1_000}` } },
    verb: { id: 'http://adlnet.gov/expapi/verbs/answered', display: { en: 'answered' } },
    object: { id: `https://courses.example/questions/${n % 500}` },
    result: { success: n % 3 > 0, response: 'a[,]c', duration: 'PT12S' },
    context: {
      registration: `01930000-0000-7000-8000-${numbered(n % 10_000, 12)}`,
      contextActivities: { parent: [{ id: `https://courses.example/quizzes/${n % 50}` }] },
      platform: 'bench',
    },
    timestamp: '2026-01-31T09:00:00.000Z',
  });
}

/** Operations of the learning record store. */
export const statementOperations: readonly Operation[] = [
  {
    name: 'store a statement',
    origin: 'api',
    expected: 200,
    rows: 1,
    limit: 'http',
    request: (dataset, n) => ({
      method: 'POST',
      path: '/xapi/statements',
      body: statement(dataset, n),
      key: dataset.key,
    }),
  },
  {
    name: 'store 50 statements',
    origin: 'api',
    expected: 200,
    rows: batch,
    limit: 'http',
    request: (dataset, n) => ({
      method: 'POST',
      path: '/xapi/statements',
      body: `[${Array.from({ length: batch }, (_, at) => statement(dataset, 2 ** 32 + n * batch + at)).join(',')}]`,
      key: dataset.key,
    }),
  },
  {
    name: 'query statements',
    origin: 'api',
    expected: 200,
    rows: 1,
    limit: 'http',
    request: ({ key }, n) => {
      const activity = encodeURIComponent(`https://courses.example/questions/${(n * 7919) % 500}`);
      return { method: 'GET', path: `/xapi/statements?activity=${activity}&limit=10`, key };
    },
  },
];
