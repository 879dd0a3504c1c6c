import assert from 'node:assert/strict';
import type { Commit, Session } from '../../src/domain/delivery/player/schemas.ts';
import { ask } from './ask.ts';
import type { Reply } from './send.ts';
import type { TestService } from './service.ts';

export type Click = { status: number; location: string | null; headers: Headers; text: string };

/** Requests a LaunchURL as a browser does, without following the redirect. */
export async function click(launchUrl: string, method = 'GET', headers = {}): Promise<Click> {
  const response = await ask(launchUrl, { method, headers });
  const text = await response.text();
  return {
    status: response.status,
    location: response.headers.get('location'),
    headers: response.headers,
    text,
  };
}

export async function post(address: string, body?: unknown): Promise<Reply> {
  const response = await ask(address, {
    method: 'POST',
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
}

export type Play = {
  session: Session;
  /** Sends the next commit, or a commit with the given fields. */
  commit: (fields: Partial<Commit>) => Promise<Reply>;
  file: (path: string, headers?: Record<string, string>) => Promise<Response>;
  alive: () => Promise<number>;
};

/** Plays as the player page does: follows the link, opens a session and sends commits. */
export async function play(service: Pick<TestService, 'contentUrl'>, launchUrl: string): Promise<Play> {
  const { status, location } = await click(launchUrl);
  assert.equal(status, 303);
  const opened = await post(`${location}/session`);
  assert.equal(opened.status, 201, JSON.stringify(opened.body));
  const session: Session = opened.body;
  const { contentUrl } = service;
  const origin = contentUrl.includes('*') ? new URL(location ?? '').origin : contentUrl;
  const base = `${origin}/play/${session.Session}`;
  const first = playable(session.Tree.Units)[0] ?? '';
  let next = session.NextCommit;
  const commit: Play['commit'] = async (fields) => {
    const reply = await post(`${base}/commit`, { Number: next, UnitID: first, Data: {}, ...fields });
    if (reply.status === 200) next = Math.max(next, (fields.Number ?? next) + 1);
    return reply;
  };
  const files = session.ContentPath === null ? `${base}/content/` : origin + session.ContentPath;
  const file: Play['file'] = (path, headers = {}) => ask(files + path, { headers });
  const alive = async () => (await ask(`${base}/alive`)).status;
  return { session, commit, file, alive };
}

function playable(units: Session['Tree']['Units']): string[] {
  return units.flatMap((unit) => [...(unit.Kind === null ? [] : [unit.UnitID]), ...playable(unit.Children)]);
}

/** SCORM 1.2 run-time data with a status and a raw score. */
export function scorm12(status: string, raw?: number): Record<string, string> {
  return {
    'cmi.core.lesson_status': status,
    ...(raw === undefined ? {} : { 'cmi.core.score.raw': String(raw) }),
  };
}
