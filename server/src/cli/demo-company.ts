/** A company whose tenant the demo fills with three months of history, made with the test clock and the robot. */
export const company = { tenantId: 'northwind', name: 'Northwind Logistics', administrator: 'E1000' };

const firstNames = [
  ...['Maria', 'Amir', 'Beate', 'Chidi', 'Dana', 'Elif', 'Femi', 'Greta', 'Hugo', 'Ines'],
  ...['Jonas', 'Keiko', 'Lena', 'Milo', 'Nora', 'Olu', 'Pia', 'Quinn', 'Rui', 'Sana'],
];
const lastNames = [
  ...['Santos', 'Adeyemi', 'Brandt', 'Costa', 'Dubois', 'Evans', 'Fischer', 'Garcia'],
  ...['Haddad', 'Ivanova', 'Jansen', 'Kowalski', 'Lindqvist', 'Moreau', 'Novak', 'Okafor', 'Perez'],
];
const sites = ['Leeds', 'Hamburg', 'Lyon'];
const groups = ['Warehouse', 'Warehouse', 'Drivers', 'Office', 'Sales'];
const peopleCount = 80;
const weeks = 12;

/** Who takes which course, in the week in which they are enrolled. */
const courses = [
  { CourseID: 'fire-safety', DurationID: '1-year', every: 1, step: 5 },
  { CourseID: 'phishing', DurationID: '30-days', every: 1, step: 3 },
  { CourseID: 'recovery-position', DurationID: 'unlimited', every: 4, step: 7 },
];

const loginIdOf = (at: number) => `E${1000 + at}`;

function personAt(at: number) {
  return {
    LoginID: loginIdOf(at),
    FirstName: firstNames[at % firstNames.length],
    LastName: lastNames[at % lastNames.length],
    Email: `e${1000 + at}@northwind.example`,
    GroupName: at === 0 ? 'Office' : groups[at % groups.length],
    Attributes: { Site: sites[at % sites.length] },
    // The first five people lead a team each.
    ManagerLoginID: at < groups.length ? null : loginIdOf(at % groups.length),
    IsAdmin: at === 0,
  };
}

/** What falls due, in the week in which the rule is made. */
const requirements = [
  {
    week: 0,
    RequirementID: 'fire-safety',
    Title: 'Fire safety, every year',
    CourseIDs: ['fire-safety'],
    DurationID: '1-year',
    Audience: { Groups: ['Warehouse', 'Drivers'] },
    ...{ DueAfter: 'P2M', ValidFor: 'P1Y' },
  },
  {
    week: 9,
    RequirementID: 'phishing',
    Title: 'Phishing, every three months',
    CourseIDs: ['phishing'],
    Audience: {},
    ...{ DueAfter: 'P14D', ValidFor: 'P3M', Window: 'P14D' },
  },
  {
    week: 11,
    RequirementID: 'first-aid',
    Title: 'First aid in Leeds',
    CourseIDs: ['recovery-position'],
    Audience: { Attributes: { Site: 'Leeds' }, Groups: ['Warehouse', 'Office'] },
    DueAfter: 'P3W',
  },
];

/** The robot's result, the same in each demo: most pass, some fail, some stop halfway, some never start. */
function resultOf(number: number): { Status: string; Score?: number } | null {
  const chance = (number * 37 + 11) % 100;
  if (chance < 58) return { Status: 'passed', Score: 72 + (chance % 28) };
  if (chance < 70) return { Status: 'failed', Score: 25 + (chance % 30) };
  return chance < 80 ? { Status: 'incomplete' } : null;
}

type Answer = Record<string, unknown>;

/** Calls the API without printing it. */
function caller(baseUrl: string, key: string) {
  return async (method: string, path: string, body: string, type = 'application/json'): Promise<string> => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type };
    const response = await fetch(baseUrl + path, { method, headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return text;
  };
}

const ndjson = 'application/x-ndjson';
const linesOf = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

async function createCompany(baseUrl: string, operatorKey: string): Promise<string> {
  const call = caller(baseUrl, operatorKey);
  const { tenantId: TenantID, name: Name } = company;
  await call('POST', '/tenant', JSON.stringify({ TenantID, Name, Status: 'test' }));
  const made = await call('POST', `/tenant/${TenantID}/key`, JSON.stringify({ Name: 'History' }));
  return (JSON.parse(made) as { Secret: string }).Secret;
}

/** Fills the tenant, week by week. Courses and options must exist. */
export async function fillCompany(baseUrl: string, operatorKey: string): Promise<void> {
  const call = caller(baseUrl, await createCompany(baseUrl, operatorKey));
  const people = Array.from({ length: peopleCount }, (_, at) => personAt(at));
  await call('POST', '/user/bulk', linesOf(people), ndjson);
  const certificate = {
    On: 'passed',
    ValidFor: 'P1Y',
    Layout: 'modern',
    Signatures: [{ Name: 'Maria Santos', Role: 'Safety Officer', Image: null }],
  };
  await call('PUT', '/certificate/template/fire-safety', JSON.stringify(certificate));
  let waiting: { enrollId: string; number: number }[] = [];
  let number = 0;
  for (let week = 0; week < weeks; week++) {
    for (const { week: at, RequirementID, ...rule } of requirements)
      if (at === week) await call('PUT', `/requirement/${RequirementID}`, JSON.stringify(rule));
    const rows = courses.flatMap(({ CourseID, DurationID, every, step }) =>
      people
        .filter((_, at) => at > 0 && at % every === 0 && (at * step) % weeks === week)
        .map(({ LoginID }) => ({ LoginID, CourseID, DurationID })),
    );
    const answers = await call('POST', '/enrol/bulk', linesOf(rows), ndjson);
    const made = answers.split('\n').filter((line) => line !== '');
    // Half of them start in the week in which they are enrolled, the others a week later.
    const fresh = made.map((line) => ({
      enrollId: String((JSON.parse(line) as Answer).EnrollID),
      number: number++,
    }));
    const due = [...waiting, ...fresh.filter((_, at) => at % 2 === 0)];
    waiting = fresh.filter((_, at) => at % 2 === 1);
    await Promise.all(
      due.map(async ({ enrollId, number }) => {
        const result = resultOf(number);
        if (result) await call('POST', `/test/play/${enrollId}`, JSON.stringify(result));
      }),
    );
    await call('POST', '/test/clock', JSON.stringify({ Advance: 'P7D' }));
  }
  // A learner who cannot start, with two reasons.
  await call('PUT', `/user/${loginIdOf(7)}`, JSON.stringify({ Enabled: false }));
}
