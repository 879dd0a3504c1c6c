import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOperatorLink } from '../domain/sign-in/operator-links.ts';
import { createSignInLink } from '../domain/sign-in/sign-in.ts';
import { readConfig } from '../infra/context/config.ts';
import type { Context } from '../infra/context/context.ts';
import { locations } from '../lib/locations.ts';
import { openLog } from '../lib/log.ts';
import { packFolder } from '../lib/pack-folder.ts';
import { company, fillCompany } from './demo-company.ts';
import { commandOf } from './help.ts';
import { start, stopOnSignal } from './main.ts';

type Call = {
  say: string;
  method: string;
  path: string;
  key: string;
  json?: unknown;
  file?: string;
  /** The call shows an error. */
  isRefused?: true;
};

const tenantId = 'acme';

const courses = [
  { id: 'phishing', title: 'Spot the phish', options: { '30-days': { Name: '30 days', Duration: 'P30D' } } },
  {
    id: 'fire-safety',
    title: 'Fire safety at work',
    options: {
      '1-year': { Name: 'One year', Duration: 'P1Y' },
      unlimited: { Name: 'No time limit' },
    },
  },
  {
    id: 'recovery-position',
    title: 'The recovery position',
    options: { unlimited: { Name: 'No time limit' } },
  },
];

/** Prints each request as a curl command with its response, so that readers can repeat it by hand. */
function caller(baseUrl: string) {
  return async ({ say, method, path, key, json, file, isRefused }: Call): Promise<Record<string, string>> => {
    const type = file ? 'application/zip' : 'application/json';
    const body = json === undefined ? '' : ` \\\n  -d '${JSON.stringify(json)}'`;
    const upload = file ? ` \\\n  --data-binary @${file}` : '';
    const typed = json === undefined && !file ? '' : ` -H 'Content-Type: ${type}'`;
    console.log(
      `\n# ${say}\ncurl -X ${method} ${baseUrl}${path} \\\n  -H 'Authorization: Bearer ${key}'${typed}${body}${upload}`,
    );
    const response = await fetch(baseUrl + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(typed ? { 'Content-Type': type } : {}) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(file ? { body: createReadStream(file) as unknown as BodyInit, duplex: 'half' } : {}),
    } as RequestInit);
    const answer = (await response.json()) as Record<string, string>;
    console.log(`→ ${response.status} ${JSON.stringify(answer, null, 2)}`);
    if (!response.ok && !isRefused) throw new Error('The demo stopped because this call failed.');
    return answer;
  };
}

/** The LaunchURLs of a SCORM and a cmi5 course. */
type TourResult = { key: string; scorm: string; cmi5: string };

async function tour(baseUrl: string, operator: string, folder: string): Promise<TourResult> {
  const call = caller(baseUrl);
  for (const { id, title, options } of courses) {
    const zip = join(folder, `${id}.zip`);
    await packFolder(join(locations.courses, id), zip);
    const course = { key: operator, method: 'PUT' };
    await call({ ...course, say: 'Create a course', path: `/course/${id}`, json: { Title: title } });
    await call({ ...course, say: 'Import its package', path: `/course/${id}/package`, file: zip });
    for (const [durationId, json] of Object.entries(options))
      await call({
        ...course,
        say: 'Offer an enrolment option',
        path: `/course/${id}/option/${durationId}`,
        json,
      });
  }
  await call({
    say: 'Create a tenant',
    method: 'POST',
    path: '/tenant',
    key: operator,
    json: { TenantID: tenantId },
  });
  const { Secret: key = '' } = await call({
    say: 'Create a key for the tenant',
    method: 'POST',
    path: `/tenant/${tenantId}/key`,
    key: operator,
    json: { Name: 'demo' },
  });
  const asTenant = { method: 'POST', key };
  await call({
    ...asTenant,
    say: "From here on, use the tenant's key. Create a user",
    path: '/user',
    json: { LoginID: 'ann', FirstName: 'Ann', LastName: 'Lee' },
  });
  const phishing = await call({ ...asTenant, say: 'Enrol the user', path: '/enrol/ann/phishing' });
  await call({
    ...asTenant,
    say: 'This course has several options …',
    path: '/enrol/ann/fire-safety',
    isRefused: true,
  });
  await call({ ...asTenant, say: '… so choose one', path: '/enrol/ann/fire-safety/1-year' });
  const recovery = await call({
    ...asTenant,
    say: 'Enrol the user on a cmi5 course',
    path: '/enrol/ann/recovery-position',
  });
  console.log(`\n# Three months in the life of ${company.name}, a test tenant, with further calls …`);
  await fillCompany(baseUrl, operator);
  return { key, scorm: phishing.LaunchURL ?? '', cmi5: recovery.LaunchURL ?? '' };
}

/** Readers may take hours to reach a link. A long lifetime is harmless because the demo's data is fictitious. */
const linkMinutes = 12 * 60;

/** Instructions printed at the end: links to open in a browser, and commands to create more. */
async function nextSteps(ctx: Context, { key, scorm, cmi5 }: TourResult): Promise<string> {
  const { baseUrl, dataDir } = ctx.config;
  const operator = await createOperatorLink(ctx, { minutes: linkMinutes });
  const person = await createSignInLink(
    { ...ctx, tenantId: company.tenantId },
    { loginId: company.administrator, seconds: linkMinutes * 60 },
  );
  return `Open these in a browser. Sign-in links work once, within 12 hours:

  Console, as the operator
  ${operator.SignInURL}

  Console, as Maria Santos, an administrator of ${company.name}
  ${person.SignInURL}

  Course, as Ann Lee: Spot the phish (SCORM 1.2)
  ${scorm}

  Course, as Ann Lee: The recovery position (cmi5)
  ${cmi5}

A browser can have only one sign-in at a time. To use both, open the second link in a private window. To create
another link for the operator, run this in a second terminal:

  BASE_URL=${baseUrl} DATA_DIR='${dataDir}' ${commandOf('console')}

See what was recorded:

  curl ${baseUrl}/enrolment/ann -H 'Authorization: Bearer ${key}'
`;
}

/** Starts the service on an empty embedded database and demonstrates the API over HTTP. Runs until stopped. */
export async function demo(options: { once: boolean }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-demo-'));
  const config = readConfig({
    ...process.env,
    DATABASE_URL: '',
    // Readers of the guide receive webhooks on their own machine.
    WEBHOOK_ALLOW: process.env.WEBHOOK_ALLOW ?? '127.0.0.1',
    DATA_DIR: join(folder, 'data'),
  });
  const log = openLog('warn');
  const starting = start(config, log);
  const stop = async () => {
    await (await starting).stop();
    await rm(folder, { recursive: true, force: true });
  };
  stopOnSignal(log, stop);
  const service = await starting;
  console.log(
    `Lectern is running at ${config.baseUrl} (course files at ${config.contentUrl}). API reference: ${config.baseUrl}/docs`,
  );
  const results = await tour(config.baseUrl, service.first?.key ?? '', folder);
  console.log(`\n${await nextSteps(service.ctx, results)}`);
  if (options.once) return stop();
  console.log('Press Ctrl-C to stop. The demo leaves nothing behind.');
}
