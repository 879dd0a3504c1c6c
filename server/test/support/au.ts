import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type AuVerb, auVerbs, categories, extensions } from '../../../standards/cmi5/vocabulary.ts';
import { ask } from './ask.ts';
import { type Play, play, post } from './player.ts';
import type { Reply } from './send.ts';
import type { TestService } from './service.ts';

type Json = Record<string, unknown>;

/** The parameters in an AU's launch URL, and the calls that the AU makes to the LRS. */
export type OpenedAu = {
  url: URL;
  sessionId: string;
  activityId: string;
  registration: string;
  actor: Json;
  token: string;
  launchData: Json & { contextTemplate: { contextActivities: Json; extensions: Json }; returnURL: string };
  /** A statement defined by cmi5. */
  defined: (verb: AuVerb, result?: Json) => Json;
  /** A statement that cmi5 allows. */
  allowed: (verb: string, object?: string) => Json;
  send: (...statements: Json[]) => Promise<Reply>;
  request: (
    method: string,
    path: string,
    query: Record<string, string>,
    body?: object,
    headers?: Record<string, string>,
  ) => Promise<Reply>;
  preferences: (method?: string, body?: Json) => Promise<Reply>;
};

const results: Partial<Record<AuVerb, Json>> = {
  completed: { completion: true, duration: 'PT10S' },
  passed: { success: true, duration: 'PT10S' },
  failed: { success: false, duration: 'PT10S' },
  terminated: { duration: 'PT20S' },
};

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  };
}

async function requestTo(
  endpoint: string,
  authorization: string,
  ...[method, path, query, body, headers = {}]: Parameters<OpenedAu['request']>
): Promise<Reply> {
  const response = await ask(`${endpoint}${path}?${new URLSearchParams(query)}`, {
    method,
    headers: {
      authorization,
      'x-experience-api-version': '1.0.3',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return replyOf(response);
}

/** Opens a unit as the player does, and returns the reply. */
export function openUnit(playing: Play, contentUrl: string, body: Json): Promise<Reply> {
  return post(`${contentUrl}/play/${playing.session.Session}/au`, body);
}

export async function readResults(playing: Play, contentUrl: string): Promise<Reply> {
  return replyOf(await ask(`${contentUrl}/play/${playing.session.Session}/results`));
}

/** Launches a course and opens its unit, as an AU does before it initialises. */
export async function openAu(
  service: Pick<TestService, 'contentUrl'>,
  launchUrl: string,
  { UnitID, LaunchMode }: { UnitID?: string; LaunchMode?: string } = {},
): Promise<OpenedAu & { playing: Play }> {
  const playing = await play(service, launchUrl);
  const unit = UnitID ?? playing.session.Tree.Units[0]?.UnitID ?? '';
  const opened = await openUnit(playing, service.contentUrl, {
    UnitID: unit,
    ...(LaunchMode && { LaunchMode }),
  });
  assert.equal(opened.status, 201, JSON.stringify(opened.body));
  return { ...(await startAu(opened.body)), playing };
}

export async function startAu(opened: { URL: string; SessionID: string }): Promise<OpenedAu> {
  const url = new URL(opened.URL);
  const parameter = (name: string) => url.searchParams.get(name) ?? '';
  const fetched = await post(parameter('fetch'));
  assert.equal(fetched.status, 200);
  const [endpoint, activityId] = [parameter('endpoint'), parameter('activityId')];
  const [registration, agent, token] = [
    parameter('registration'),
    parameter('actor'),
    fetched.body['auth-token'],
  ];
  const request: OpenedAu['request'] = (...call) =>
    requestTo(endpoint.replace(/\/$/, ''), `Basic ${token}`, ...call);
  const state = await request('GET', '/activities/state', {
    ...{ agent, activityId, registration, stateId: 'LMS.LaunchData' },
  });
  const launchData = state.body as OpenedAu['launchData'];
  const actor = JSON.parse(agent);
  const contextOf = (category: string[]) => ({
    ...launchData.contextTemplate,
    registration,
    contextActivities: {
      ...launchData.contextTemplate.contextActivities,
      ...(category.length > 0 && { category: category.map((id) => ({ id })) }),
    },
  });
  const allowed: OpenedAu['allowed'] = (verb, object = activityId) => ({
    ...{
      id: randomUUID(),
      timestamp: new Date().toISOString(),
      actor,
      verb: { id: verb },
      object: { id: object },
    },
    context: contextOf([]),
  });
  return {
    ...{
      url,
      sessionId: opened.SessionID,
      activityId,
      registration,
      actor,
      token,
      launchData,
      request,
      allowed,
    },
    defined(verb, more) {
      const result = { ...results[verb], ...more };
      const isMoveOn = 'success' in result || 'completion' in result;
      const context = contextOf([categories.cmi5, ...(isMoveOn ? [categories.moveOn] : [])]);
      const { masteryScore } = launchData;
      if ('score' in result && masteryScore !== undefined)
        context.extensions = { ...context.extensions, [extensions.masteryScore]: masteryScore };
      return { ...allowed(auVerbs[verb]), result, context };
    },
    async send(...statements) {
      let reply: Reply | undefined;
      for (const statement of statements)
        reply = await request('PUT', '/statements', { statementId: String(statement.id) }, statement);
      return reply as Reply;
    },
    preferences: (method = 'GET', body) =>
      request(method, '/agents/profile', { agent, profileId: 'cmi5LearnerPreferences' }, body, {
        ...(body && { 'if-none-match': '*' }),
      }),
  };
}

/** Opens a unit of an xAPI package. The unit's URL contains the credentials for the LRS. */
export async function openXapiUnit(
  service: Pick<TestService, 'contentUrl'>,
  launchUrl: string,
  UnitID: string,
): Promise<{
  actor: Json;
  registration: string;
  token: string;
  request: OpenedAu['request'];
  open: () => Promise<Reply>;
}> {
  const playing = await play(service, launchUrl);
  const open = () => openUnit(playing, service.contentUrl, { UnitID });
  const opened = await open();
  assert.equal(opened.status, 201, JSON.stringify(opened.body));
  const {
    endpoint = '',
    auth = '',
    actor = '',
    registration = '',
  } = Object.fromEntries(new URL(opened.body.URL).searchParams);
  return {
    actor: JSON.parse(actor),
    registration,
    token: auth.replace('Basic ', ''),
    open,
    request: (...call) => requestTo(endpoint.replace(/\/$/, ''), auth, ...call),
  };
}
