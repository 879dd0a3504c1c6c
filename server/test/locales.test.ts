import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPostgres } from '../src/db/engine/postgres.ts';
import { migrate } from '../src/db/migrate.ts';
import { searchWarnings } from '../src/infra/operations/start-warnings.ts';
import { locations } from '../src/lib/locations.ts';
import { emptyServerDatabase, nodesOf } from './support/server-database.ts';
import { startService, type TestService } from './support/service.ts';
import { expectStatus, newTenant } from './support/tenant.ts';

/** The locales of databases, as options of `create database`. The embedded database has only its own. */
const locales: Record<string, string> = {
  C: "template0 locale 'C'",
  'C.UTF-8': "template0 locale 'C.UTF-8'",
  'tr-TR': "template0 locale 'C' locale_provider icu icu_locale 'tr-TR'",
};

const serverUrl = process.env.TEST_DATABASE_URL;
const onServer = serverUrl !== undefined && (await nodesOf(serverUrl)).length === 0;

async function startWith(locale: string): Promise<TestService> {
  if (!onServer) return startService();
  const { url, drop } = await emptyServerDatabase(serverUrl, locales[locale]);
  const engine = await openPostgres({ url });
  await migrate(engine, locations.migrations);
  return startService({
    over: (usual) => ({
      ...engine,
      close: () => Promise.all([engine.close().finally(drop), usual.close()]).then(() => {}),
    }),
  });
}

for (const locale of onServer ? Object.keys(locales) : ['C.UTF-8'])
  test(`texts are found in the same way with the locale ${locale}`, async () => {
    const service = await startWith(locale);
    after(service.close);
    const { api } = service;
    if (locale !== 'tr-TR')
      assert.equal((await searchWarnings(service.ctx.engine)).length, locale === 'C' ? 1 : 0);
    const found = async (path: string, key: string) =>
      ((await api('GET', path)).body.Items as Record<string, string>[]).map((item) => item[key]);

    for (const [id, Title] of [
      ['one', 'U\u0308ber uns'],
      ['two', 'Охрана труда и БЕЗОПАСНОСТЬ'],
      ['three', 'INFO'],
    ])
      expectStatus(await api('PUT', `/course/${id}`, { Title, URL: 'https://x.example/' }), 201);
    for (const [search, id] of [
      ['über', 'one'],
      ['UBER', 'one'],
      ['u\u0308ber u', 'one'],
      ['безопасность', 'two'],
      ['ОПАСН two', 'two'],
      ['info', 'three'],
      ['THREE', 'three'],
      ['100%', undefined],
    ] as const) {
      const path = `course?Search=${encodeURIComponent(search)}`;
      assert.deepEqual(await found(`/${path}`, 'CourseID'), id === undefined ? [] : [id], search);
      assert.deepEqual(await found(`/catalogue/${path}`, 'CourseID'), id === undefined ? [] : [id], search);
    }

    expectStatus(await api('POST', '/tenant', { TenantID: 'IŞIK', Name: 'Über-Ich' }), 201);
    for (const search of ['ışık', 'isik', 'ÜBER-ICH', 'ich ışı'])
      assert.deepEqual(
        await found(`/tenant?Search=${encodeURIComponent(search)}`, 'TenantID'),
        ['IŞIK'],
        search,
      );

    const tenant = await newTenant(service);
    const users = [
      { LoginID: 'a', LastName: 'Zola', FirstName: 'Émile', Email: 'INFO@ACME.EXAMPLE' },
      { LoginID: 'b', LastName: 'Ångström', FirstName: 'Anders', Email: 'ИНФО@acme.example' },
      { LoginID: 'c', LastName: 'angström', FirstName: 'Zoe', Email: 'Ü@acme.example' },
      { LoginID: 'd', Email: 'U@acme.example' },
      { LoginID: 'e', LastName: 'de Beauvoir', FirstName: 'Simone' },
    ];
    for (const user of users) expectStatus(await tenant.api('POST', '/user', user), 201);
    const usersOf = async (query: string) =>
      ((await tenant.api('GET', `/user?${query}`)).body.Items as { LoginID: string }[]).map(
        ({ LoginID }) => LoginID,
      );
    for (const [email, id] of [
      ['info@acme.example', 'a'],
      ['ınfo@acme.example', undefined],
      ['инфо@ACME.example', 'b'],
      ['u\u0308@acme.example', 'c'],
      ['u@acme.example', 'd'],
    ] as const)
      assert.deepEqual(
        await usersOf(`Email=${encodeURIComponent(email)}`),
        id === undefined ? [] : [id],
        email,
      );
    const plan = await tenant.api(
      'POST',
      '/user/bulk?Plan=true',
      '{"LoginID":"f","Email":"инфо@Acme.example"}',
      {
        'content-type': 'application/x-ndjson',
      },
    );
    assert.equal(JSON.parse(plan.body).SameEmailLoginID, 'b');

    assert.deepEqual(await usersOf('Order=name'), ['b', 'c', 'd', 'e', 'a']);
    assert.deepEqual(await usersOf('Order=name_descending'), ['a', 'e', 'd', 'c', 'b']);
    expectStatus(await tenant.api('PUT', '/user/a', { LastName: 'Abel' }), 200);
    const pages: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await tenant.api('GET', `/user?Order=name&Limit=2${cursor && `&Cursor=${cursor}`}`);
      pages.push(...body.Items.map(({ LoginID }: { LoginID: string }) => LoginID));
      cursor = body.NextCursor;
    }
    assert.deepEqual(pages, ['a', 'b', 'c', 'd', 'e']);
  });
