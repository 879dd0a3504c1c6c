import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { packFolder } from '../../server/src/lib/pack-folder.ts';
import { bootstrapKey, temporaryFolder } from '../../server/test/support/process.ts';
import { readAll } from './check.ts';
import { type Client, readAgain } from './client.ts';
import type { Findings, Ledger } from './ledger.ts';
import type { Target } from './load.ts';

const courseId = 'imported';
const course = join(import.meta.dirname, '../../courses/phishing');

/** A package of thirty files that no other release has. */
async function packRelease(): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await temporaryFolder();
  cpSync(course, join(folder, 'course'), { recursive: true });
  for (let n = 0; n < 23; n++) writeFileSync(join(folder, 'course', `${n}.bin`), randomBytes(20_000));
  await packFolder(join(folder, 'course'), join(folder, 'course.zip'));
  return new Uint8Array(readFileSync(join(folder, 'course.zip')));
}

/** Imports one release after the other. Returns the rejections, which are errors in the service. */
export async function importReleases(
  { baseUrl }: Target,
  ledger: Ledger,
  over: () => boolean,
): Promise<string[]> {
  const faults: string[] = [];
  const put = (path: string, type: string, body: BodyInit) =>
    fetch(`${baseUrl}/course/${courseId}${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': type },
      body,
      signal: AbortSignal.timeout(60_000),
    });
  while (!over()) {
    const zip = await packRelease();
    try {
      await put('', 'application/json', JSON.stringify({ Title: 'Imported' }));
      const response = await put('/package', 'application/zip', zip);
      const body = await response.json();
      if (response.status < 500 && !response.ok)
        faults.push(`import: ${response.status} ${JSON.stringify(body)}`);
      if (!response.ok) throw new Error(`${response.status}`);
      ledger.releases.push({ number: body.Release, checked: false });
      ledger.acknowledged.releases += 1;
    } catch (error) {
      ledger.failures.push(`import: ${(error as Error).message}`);
      ledger.interrupted.imports += 1;
      await pause(20);
    }
  }
  return faults;
}

/** Opens each release as a player does, and reads all of its files. */
export async function checkReleases(
  client: Client,
  { baseUrl }: Target,
  ledger: Ledger,
  { all }: { all: boolean },
): Promise<Findings> {
  const findings: Findings = { lost: [], torn: [] };
  const asOperator = { baseUrl, key: bootstrapKey };
  const listed = await readAll(client, asOperator, `/course/${courseId}/release`);
  const known = new Map(ledger.releases.map((release) => [release.number, release]));
  for (const [number] of known)
    if (!listed.some(({ Release }) => Release === number)) findings.lost.push(`release ${number}`);
  for (const { Release, Files, Bytes } of listed) {
    if (known.get(Release)?.checked && !all) continue;
    const path = `/course/${courseId}`;
    const preview = await readAgain(client, 'POST', `${baseUrl}${path}/preview`, { Release }, bootstrapKey);
    const { location } = await readAgain(client, 'GET', preview.body.PreviewURL);
    const { body: session } = await readAgain(client, 'POST', `${location}/session`);
    const content = `${new URL(location ?? '').origin}${session.ContentPath}`;
    const files = await readAll(client, asOperator, `${path}/release/${Release}/file`);
    const lengths = files.map(async ({ Path, Bytes }) => {
      const file = await fetch(content + Path);
      return file.ok && (await file.arrayBuffer()).byteLength === Bytes ? Bytes : Number.NaN;
    });
    const sum = (await Promise.all(lengths)).reduce((sum, bytes) => sum + bytes, 0);
    if (files.length !== Files || sum !== Bytes) findings.torn.push(`release ${Release}: ${sum} of ${Bytes}`);
    known.set(Release, { number: Release, checked: true });
  }
  ledger.releases = [...known.values()];
  return findings;
}
