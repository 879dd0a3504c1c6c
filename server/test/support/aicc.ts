import assert from 'node:assert/strict';
import { aiccCourse } from '../../../standards/aicc/test-support.ts';
import { ask } from './ask.ts';
import { openUnit } from './au.ts';
import { packFiles } from './packages.ts';
import { type Play, play } from './player.ts';
import type { TestService } from './service.ts';
import { expectStatus, unique } from './tenant.ts';

/** Imports a course with an option, and returns its CourseID. */
export async function importAicc(
  service: Pick<TestService, 'api' | 'importPackage'>,
  files: Record<string, string> = {},
): Promise<string> {
  const CourseID = unique('aicc');
  expectStatus(await service.importPackage(CourseID, await packFiles(aiccCourse(files))), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, {}), 201);
  return CourseID;
}

/** A HACP response: its error, and the names and values in `aicc_data`. */
export type HacpReply = {
  status: number;
  headers: Headers;
  text: string;
  error: string;
  value: (name: string) => string | undefined;
};

export type OpenedAicc = {
  url: URL;
  sid: string;
  address: string;
  playing: Play;
  /** Sends a command as content does. */
  command: (command: string, data?: string, fields?: Record<string, string>) => Promise<HacpReply>;
  /** Sends a body unchanged. */
  send: (body: string | Uint8Array<ArrayBuffer>, type?: string) => Promise<HacpReply>;
};

export async function hacp(
  address: string,
  body: string | Uint8Array<ArrayBuffer>,
  type = 'application/x-www-form-urlencoded',
): Promise<HacpReply> {
  const response = await ask(address, { method: 'POST', body, headers: { 'content-type': type } });
  const text = await response.text();
  const value = (name: string) =>
    text
      .split('\r\n')
      .find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}=`))
      ?.slice(name.length + 1);
  return { status: response.status, headers: response.headers, text, error: value('error') ?? '', value };
}

/** Launches a course and opens its unit, as the player does. */
export async function openAicc(
  service: Pick<TestService, 'contentUrl'>,
  launchUrl: string,
  { UnitID = 'A1', LaunchMode }: { UnitID?: string; LaunchMode?: string } = {},
): Promise<OpenedAicc> {
  const playing = await play(service, launchUrl);
  const body = { UnitID, ...(LaunchMode && { LaunchMode }) };
  const opened = await openUnit(playing, service.contentUrl, body);
  assert.equal(opened.status, 201, JSON.stringify(opened.body));
  const url = new URL(opened.body.URL);
  const [sid, address] = ['AICC_SID', 'AICC_URL'].map((name) => url.searchParams.get(name) ?? '');
  assert.equal(sid, opened.body.SessionID);
  const send: OpenedAicc['send'] = (body, type) => hacp(address ?? '', body, type);
  return {
    ...{ url, sid: sid ?? '', address: address ?? '', playing, send },
    command: (command, data = '', fields = {}) =>
      send(
        new URLSearchParams({
          command,
          ...{ version: '4.0', session_id: sid ?? '', ...fields, aicc_data: data },
        }).toString(),
      ),
  };
}
