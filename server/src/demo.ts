import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start, stopOnSignal } from './main.ts';
import { readConfig } from './platform/config.ts';
import { packFolder } from './platform/files/pack-folder.ts';
import { locations } from './platform/locations.ts';
import { openLog } from './platform/operations/log.ts';

type Call = {
  say: string;
  method: string;
  path: string;
  key: string;
  json?: unknown;
  file?: string;
};

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
];

/** Prints each request as a curl command with its response, so that readers can repeat it by hand. */
function caller(baseUrl: string) {
  return async ({ say, method, path, key, json, file }: Call): Promise<Record<string, string>> => {
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
    return answer;
  };
}

async function tour(baseUrl: string, operator: string, folder: string): Promise<string> {
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
    json: { TenantID: 'acme' },
  });
  const { Secret: key = '' } = await call({
    say: 'Create a key for the tenant',
    method: 'POST',
    path: '/tenant/acme/key',
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
  await call({ ...asTenant, say: 'This course has several options …', path: '/enrol/ann/fire-safety' });
  const fire = await call({ ...asTenant, say: '… so choose one', path: '/enrol/ann/fire-safety/1-year' });
  return `Open one of these in a browser:

  Spot the phish (SCORM 1.2)
  ${phishing.LaunchURL}

  Fire safety at work (SCORM 2004)
  ${fire.LaunchURL}

and see what was recorded:

  curl ${baseUrl}/enrolment/ann -H 'Authorization: Bearer ${key}'
`;
}

/**
 * Starts the service on an empty embedded database and demonstrates the API over HTTP. Runs until stopped.
 */
export async function demo(options: { once: boolean }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-demo-'));
  const config = readConfig({ ...process.env, DATABASE_URL: '', DATA_DIR: join(folder, 'data') });
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
  console.log(`\n${await tour(config.baseUrl, service.first?.key ?? '', folder)}`);
  if (options.once) return stop();
  console.log('Press Ctrl-C to stop. The demo leaves nothing behind.');
}
