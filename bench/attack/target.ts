import { readFile } from 'node:fs/promises';
import {
  bootstrapKey,
  type Environment,
  freePorts,
  type Running,
  startProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { packCourse } from '../../test/journeys/course-packages.ts';
import type { Probe } from './honest.ts';
import { startNginx } from './nginx.ts';
import { type Reply, send, sendRequest } from './send-request.ts';

/** The target: a service with its own data folder, two tenants, courses and learners. */
export type Target = {
  /** Behind nginx, its URLs are nginx's. */
  service: Running;
  /** Where HTTP/2 without TLS is spoken. Null without nginx. */
  http2: string | null;
  folder: string;
  api: (method: string, path: string, body?: unknown, key?: string) => Promise<Reply>;
  operator: string;
  /** A tenant's key with all scopes. */
  key: string;
  rivalKey: string;
  /** Creates a key for the tenant with only these scopes. */
  narrowKey: (...scopes: string[]) => Promise<string>;
  /** A learner enrolled on the course that has a package; by default, in the tenant of `key`. */
  learner: (fields?: object, key?: string) => Promise<Learner>;
};

export type Learner = { loginId: string; enrollId: string; launchUrl: string };

export type OpenSession = {
  /** The base URL of this launch: the content origin and the session. */
  base: string;
  next: number;
  unit: string;
  commit: (fields?: object) => Promise<Reply>;
};

const scorm = 'phishing';
export const webCourse = 'site';
let names = 0;

export function uniqueName(prefix: string): string {
  return `${prefix}-${++names}`;
}

export function expect(reply: Reply, ...statuses: number[]): Reply {
  if (statuses.includes(reply.status)) return reply;
  throw new Error(`expected ${statuses.join(' or ')}, got ${reply.status}: ${JSON.stringify(reply.body)}`);
}

/**
 * Starts the service as a careless operator would, with umask 022, and fills it. `behindNginx` puts nginx in front of it,
 * configured as in deploy/nginx.conf.
 */
export async function openTarget(more: Environment, behindNginx: boolean): Promise<Target> {
  const folder = await temporaryFolder();
  const [port = 0, contentPort = 0, front = 0, frontContent = 0, http2 = 0] = await freePorts(5);
  if (behindNginx) await startNginx({ api: port, content: contentPort, front, frontContent, http2 });
  const addresses = behindNginx
    ? { baseUrl: `http://127.0.0.1:${front}`, contentUrl: `http://127.0.0.1:${frontContent}` }
    : null;
  const mask = process.umask(0o022);
  const started = await startProcess({
    DATA_DIR: folder,
    BOOTSTRAP_KEY: bootstrapKey,
    PORT: String(port),
    CONTENT_PORT: String(contentPort),
    CONTENT_URL: `http://*.localhost:${addresses ? frontContent : contentPort}`,
    ...(addresses && { BASE_URL: addresses.baseUrl, TRUST_PROXY: 'true' }),
    ...more,
  });
  process.umask(mask);
  const service = { ...started, ...addresses };
  const api: Target['api'] = (method, path, body, key = bootstrapKey) =>
    body === undefined
      ? sendRequest(service.baseUrl + path, { method, key })
      : send(service.baseUrl + path, method, body, key);
  const keyOf = async (tenant: string, Scopes?: string[]) => {
    const made = await api('POST', `/tenant/${tenant}/key`, {
      Name: 'attack',
      ...(Scopes ? { Scopes } : {}),
    });
    return expect(made, 201).body.Secret as string;
  };
  for (const TenantID of ['acme', 'rival']) expect(await api('POST', '/tenant', { TenantID }), 201);
  expect(await api('PUT', `/course/${scorm}`, { Title: 'Phishing' }), 201);
  expect(await api('PUT', `/course/${webCourse}`, { Title: 'A site', URL: 'https://site.example/' }), 201);
  for (const course of [scorm, webCourse])
    expect(await api('PUT', `/course/${course}/option/year`, { Duration: 'P1Y' }), 201);
  const zip = await readFile(await packCourse('phishing'));
  const imported = await sendRequest(`${service.baseUrl}/course/${scorm}/package`, {
    method: 'PUT',
    key: bootstrapKey,
    headers: { 'content-type': 'application/zip' },
    body: zip,
  });
  expect(imported, 200, 201);
  const key = await keyOf('acme');
  const learner: Target['learner'] = async (fields = {}, by = key) => {
    const loginId = uniqueName('learner');
    expect(await api('POST', '/user', { LoginID: loginId, ...fields }, by), 201);
    const { body } = expect(await api('POST', `/enrol/${loginId}/${scorm}`, {}, by), 201);
    return { loginId, enrollId: body.EnrollID, launchUrl: body.LaunchURL };
  };
  return {
    service,
    http2: behindNginx ? `http://127.0.0.1:${http2}` : null,
    folder,
    api,
    operator: bootstrapKey,
    key,
    rivalKey: await keyOf('rival'),
    narrowKey: (...scopes) => keyOf('acme', scopes),
    learner,
  };
}

/**
 * Follows a launch link. `ticket` is the URL to which the service redirects, or null if it rejects the link.
 */
export async function click(launchUrl: string): Promise<{ ticket: string | null; reply: Reply }> {
  const reply = await sendRequest(launchUrl);
  return { ticket: typeof reply.headers.location === 'string' ? reply.headers.location : null, reply };
}

export async function openSession({ launchUrl }: Learner): Promise<OpenSession> {
  const { ticket, reply } = await click(launchUrl);
  if (!ticket) throw new Error(`the click returned ${reply.status}`);
  const { body } = expect(await sendRequest(`${ticket}/session`, { method: 'POST' }), 201);
  const session: OpenSession = {
    base: `${new URL(ticket).origin}/play/${body.Session}`,
    next: body.NextCommit,
    unit: firstUnit(body.Tree.Units),
    commit: async (fields = {}) => {
      const commit = { Number: session.next, UnitID: session.unit, Data: {}, ...fields };
      const reply = await send(`${session.base}/commit`, 'POST', commit);
      if (reply.status === 200) session.next++;
      return reply;
    },
  };
  return session;
}

function firstUnit(units: { UnitID: string; Kind: string | null; Children: never[] }[]): string {
  for (const unit of units) {
    const found = unit.Kind === null ? firstUnit(unit.Children) : unit.UnitID;
    if (found) return found;
  }
  return '';
}

/** The honest clients' requests during every attack: the API, a launch click, the player and a course file. */
export async function honestProbes(target: Target): Promise<Probe[]> {
  const learner = await target.learner();
  const { ticket } = await click(learner.launchUrl);
  const session = await openSession(learner);
  const read = `${target.service.baseUrl}/enrolment/${learner.loginId}/${learner.enrollId}`;
  return [
    { name: 'api', address: read, key: target.key, expected: 200 },
    { name: 'launch', address: learner.launchUrl, expected: 303 },
    { name: 'player', address: ticket ?? '', expected: 200 },
    { name: 'course file', address: `${session.base}/content/index.html`, expected: 200 },
  ];
}
