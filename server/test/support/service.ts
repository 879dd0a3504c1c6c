import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../../src/app/app.ts';
import { openHomePage } from '../../src/app/home-page.ts';
import type { Engine } from '../../src/db/engine/engine.ts';
import { kyselyForEngine } from '../../src/db/transaction.ts';
import { startDeploymentTrail } from '../../src/domain/audit/chain.ts';
import { type PackageSource, readPackage } from '../../src/domain/catalogue/packages/read-package.ts';
import type { Enrolment } from '../../src/domain/enrolments/record/schemas.ts';
import { createKey } from '../../src/domain/identity/keys.ts';
import { type Config, readConfig } from '../../src/infra/context/config.ts';
import { type Context, openClocks, openState, serviceActor } from '../../src/infra/context/context.ts';
import { openCounters } from '../../src/infra/context/counters.ts';
import { openImports, openLoad } from '../../src/infra/context/load.ts';
import { openKeys } from '../../src/infra/operations/open-keys.ts';
import { openStorage } from '../../src/infra/storage/open-storage.ts';
import { runIsolated } from '../../src/lib/isolated.ts';
import { openLog } from '../../src/lib/log.ts';
import { movableClock } from './clock.ts';
import { closeServers } from './close-servers.ts';
import { recordResponses } from './recorded-responses.ts';
import { type Reply, send } from './send.ts';
import { openTestDatabase } from './test-database.ts';
import { hasTwoNodes, prepareTwoNodes } from './two-nodes.ts';

export type TestEnrolment = {
  LoginID: string;
  EnrollID: string;
  LaunchURL: string;
  read: () => Promise<Enrolment>;
};

export type TestService = {
  ctx: Context;
  baseUrl: string;
  contentUrl: string;
  operatorKey: string;
  /**
   * Calls the API. By default, it uses the operator's key on the tenant `test`. `key` replaces that key, and
   * '' sends none.
   */
  api: (
    method: string,
    path: string,
    body?: unknown,
    key?: string,
    headers?: Record<string, string>,
  ) => Promise<Reply>;
  importPackage: (courseId: string, zipPath: string, query?: string) => Promise<Reply>;
  /** Creates a user and enrols them. The course gets an option if it has none. */
  enrol: (courseId: string) => Promise<TestEnrolment>;
  close: () => Promise<void>;
};

async function listen(server: FastifyInstance): Promise<number> {
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as AddressInfo).port;
}

/** The real service on its own database, on free ports of 127.0.0.1. */
export async function startService(
  options: {
    now?: () => Date;
    env?: Record<string, string>;
    over?: (engine: Engine) => Engine;
    /** Reads packages in separate processes, as the service does. Without it, an import takes half the time. */
    isolates?: boolean;
  } = {},
): Promise<TestService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lectern-test-'));
  const opened = await openTestDatabase();
  const engine = options.over?.(opened.engine) ?? opened.engine;
  const db = kyselyForEngine(engine);
  const nodes = hasTwoNodes ? await prepareTwoNodes() : null;
  const config: { -readonly [K in keyof Config]: Config[K] } = {
    ...readConfig({
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'silent',
      CONTENT_URL: process.env.TEST_CONTENT_URL,
      ...nodes?.env,
      ...options.env,
    }),
  };
  const log = openLog(process.env.LECTERN_TEST_LOG ?? 'silent');
  const now = options.now ?? movableClock().now;
  const files = await openStorage({ config, db, log });
  const keys = await openKeys({ config, db, log, now });
  const counters = openCounters();
  const ctx: { -readonly [K in keyof Context]: Context[K] } = {
    config,
    homePage: '',
    engine,
    state: openState(),
    db,
    log,
    files,
    imports: openImports(counters),
    isolate: options.isolates ? runIsolated : (_program, source) => readPackage(source as PackageSource),
    keys,
    load: openLoad(),
    counters,
    now,
    clocks: openClocks(),
    actor: serviceActor,
  };
  const { api, content, operations } = await buildApp(ctx, { observe: recordResponses });
  const scheme = config.tls ? 'https' : 'http';
  config.contentUrl = `${scheme}://${new URL(config.contentUrl).hostname}:${await listen(content)}`;
  config.baseUrl = `${scheme}://127.0.0.1:${await listen(api)}`;
  ctx.homePage = await openHomePage(ctx, { baseUrl: config.baseUrl, isService: true });
  await nodes?.open(ctx, { api, content });
  await startDeploymentTrail(ctx);
  const operator = await createKey(ctx, { tenantId: null, Name: 'test operator' });
  const service = client(ctx, operator.Secret, async () => {
    await closeServers([api, content, operations]);
    await nodes?.close();
    await engine.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  await service.api('POST', '/tenant', { TenantID: 'test' });
  return service;
}

function client(ctx: Context, operatorKey: string, close: () => Promise<void>): TestService {
  const { baseUrl, contentUrl } = ctx.config;
  const api: TestService['api'] = async (method, path, body, key = operatorKey, extra = {}) => {
    const headers: Record<string, string> = { ...(key && { authorization: `Bearer ${key}` }), ...extra };
    if (key === operatorKey && !headers.tenant) headers.tenant = 'test';
    if (body !== undefined && !headers['content-type']) headers['content-type'] = 'application/json';
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    return send(baseUrl + path, method, headers, text);
  };
  const importPackage: TestService['importPackage'] = async (courseId, zipPath, query = '') => {
    await api('PUT', `/course/${courseId}`, { Title: courseId });
    const response = await fetch(`${baseUrl}/course/${courseId}/package${query}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/zip' },
      body: createReadStream(zipPath) as unknown as BodyInit,
      duplex: 'half',
    } as RequestInit);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  let users = 0;
  const enrol: TestService['enrol'] = async (courseId) => {
    await api('PUT', `/course/${courseId}/option/standard`, {});
    const LoginID = `learner-${++users}`;
    await api('POST', '/user', { LoginID, FirstName: 'Lee', LastName: `Learner ${users}` });
    const { body } = await api('POST', `/enrol/${LoginID}/${courseId}`);
    const { EnrollID, LaunchURL } = body;
    const read = async () => (await api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body;
    return { LoginID, EnrollID, LaunchURL, read };
  };
  return { ctx, baseUrl, contentUrl, operatorKey, api, importPackage, enrol, close };
}
