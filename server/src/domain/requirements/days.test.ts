import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import {
  caseOf,
  endOfDay,
  type Happening,
  localDay,
  model,
  randomOf,
} from '../../../test/support/requirements.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { followRequirements } from './follow.ts';
import { obligationStatuses } from './status.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);

const advanceTo = (time: number) =>
  clock.advance({ seconds: Math.max(0, time - clock.now().getTime()) / 1000 });

async function nextChange(): Promise<number> {
  const { rows } = await service.ctx.engine.query<{ at: Date | null }>({
    text: '/* across tenants: a test moves the clock */ select min(held.next_change_at) as at from obligation held',
    values: [],
  });
  return rows[0]?.at?.getTime() ?? Number.POSITIVE_INFINITY;
}

/** Takes every step that time brings until then. */
async function passUntil(time: number): Promise<void> {
  for (let at = await nextChange(); at <= time; at = await nextChange()) {
    advanceTo(at);
    await followRequirements(service.ctx);
  }
  advanceTo(time);
}

type Listed = { LoginID: string; Cycle: number; Status: string; DueAt: string; ValidUntil: string | null };

/** `REQUIREMENT_TENANTS=40` takes some minutes. */
const tenants = Number(process.env['REQUIREMENT_TENANTS'] ?? 4);

test('the lists of obligations show what the model expects, with each status, over ten years', async () => {
  const start = clock.now().getTime();
  const cases = Array.from({ length: tenants }, (_, n) => caseOf(n + 1));
  const steps = await Promise.all(
    cases.map(async (given) => {
      const { rule, certificate, zone, happenings, looks } = given;
      const tenant = await newTenant(service);
      const { api, user } = tenant;
      expectStatus(await api('PUT', '/settings', { TimeZone: zone }), 200);
      const Certificate = certificate === null ? null : { On: 'completed', ValidFor: certificate };
      const [LoginID, CourseID] = [await user(), await newCourse(service, { Certificate })];
      const { Status: _, DurationID: __, ...sent } = rule;
      const all = { ...sent, CourseIDs: [CourseID], Audience: { Groups: ['in'] } };
      const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
      expectStatus(await api('PUT', '/requirement/x', fields), 201);
      const happened: Happening[] = [];
      const list = async (query = ''): Promise<Listed[]> => {
        const reply = await api('GET', `/obligation?Limit=200${query}`);
        expectStatus(reply, 200);
        return reply.body.Items;
      };
      const look = async (now: number) => {
        const rows = await list();
        const day = (at: string | null) => (at === null ? null : localDay(Date.parse(at), zone));
        const found = rows.map((row) => `${row.Status} ${day(row.DueAt)} ${day(row.ValidUntil)}`).sort();
        const expected = model(given, happened, now).map(({ status, due, end }) => `${status} ${due} ${end}`);
        assert.deepEqual(found, expected.sort(), `${new Date(now).toISOString()} ${JSON.stringify(rule)}`);
        for (const status of obligationStatuses)
          assert.deepEqual(
            await list(`&Status=${status}`),
            rows.filter((row) => row.Status === status),
            status,
          );
      };
      // The cases begin in different years, and this service has one clock.
      const first = Math.min(...looks, ...happenings.map(({ at }) => at));
      const moved = (at: number) => at - first + start + 86_400_000;
      const complete = async () => {
        const CompletedAt = clock.now().toISOString();
        if (certificate === null) return api('POST', '/completion', { LoginID, CourseID, CompletedAt });
        const { body } = await api('POST', `/enrol/${LoginID}/${CourseID}`, { IfEnrolled: 'renew' });
        const Override = { Completion: 'completed', Reason: 'Seen' };
        return api('PUT', `/enrolment/${LoginID}/${body.EnrollID}`, { Override });
      };
      const exempt = async (until: number) => {
        const [row] = (await list()).filter(({ Status }) => Status !== 'closed');
        if (!row || (await api('GET', `/user/${LoginID}`)).body.GroupName !== 'in')
          return { status: 200, body: {} };
        const body = { Exempt: true, Reason: 'On leave', Until: new Date(until).toISOString() };
        return api('PUT', `/obligation/${LoginID}/x`, body);
      };
      const act = async ({ at, what, until = at }: Happening) => {
        happened.push({ at, what, until });
        const done =
          what === 'complete'
            ? await complete()
            : what === 'exempt'
              ? await exempt(until)
              : await api('PUT', `/user/${LoginID}`, { GroupName: what === 'join' ? 'in' : 'out' });
        assert.ok(done.status < 300, JSON.stringify(done.body));
      };
      return [
        ...happenings.map(({ at, what, until = at }) => {
          const time = moved(at);
          const end = endOfDay(localDay(moved(until), zone), zone);
          return { time, run: async () => act({ at: time, what, until: end }).then(() => look(time)) };
        }),
        ...looks.map((at) => ({ time: moved(at), run: () => look(moved(at)) })),
      ];
    }),
  );
  for (const { time, run } of steps.flat().sort((a, b) => a.time - b.time)) {
    await passUntil(time);
    await run();
  }
});

/** Days on which something happens. */
const days = Number(process.env['REQUIREMENT_DAYS'] ?? 40);

test('AsOf of each past day equals what the report said at the end of that day', async () => {
  const { below, pick } = randomOf(days);
  const zone = 'America/Havana';
  const tenant = await newTenant(service);
  const { api, user } = tenant;
  expectStatus(await api('PUT', '/settings', { TimeZone: zone }), 200);
  const courses = [await newCourse(service), await newCourse(service)];
  const people: string[] = [];
  for (let n = 0; n < 8; n++) people.push(await user({ GroupName: pick(['a', 'b']) }));
  const put = async (id: string, fields: object) => {
    const reply = await api('PUT', `/requirement/${id}`, { Title: id, ...fields });
    assert.ok(reply.status < 300, JSON.stringify(reply.body));
  };
  const [one, two] = courses;
  await put('all', { CourseIDs: [one], Audience: {}, DueAfter: 'P14D', ValidFor: 'P3M', Window: 'P20D' });
  await put('a', { CourseIDs: [two], Audience: { Groups: ['a'] }, DueAfter: 'P1W', ValidFor: 'P2M' });
  await put('leeds', {
    CourseIDs: [one],
    Audience: { Attributes: { site: 'Leeds' } },
    ...{ DueOn: `${clock.now().getUTCFullYear() + 1}-06-30`, Cycle: { On: '06-30' } },
  });
  const change = async () => {
    const LoginID = pick(people);
    const path = `/user/${LoginID}`;
    const RequirementID = pick(['all', 'a', 'leeds']);
    const CompletedAt = new Date(clock.now().getTime() - below(20) * 86_400_000).toISOString();
    const [recorded] = (await api('GET', '/completion?Limit=1&Order=newest')).body.Items;
    const changes = [
      () => api('PUT', path, { Groups: pick([['a'], ['b'], ['a', 'b'], ['b', 'c']]) }),
      () => api('PUT', path, { ManagerLoginID: pick(['grace', 'alan', null]) }),
      () => api('PUT', path, { Attributes: { site: pick(['Leeds', 'York', null]) } }),
      () => api('PUT', path, { Enabled: below(4) > 0 }),
      () => api('POST', '/completion', { LoginID, CourseID: pick(courses), CompletedAt }),
      () => api('POST', '/completion', { LoginID, CourseID: pick(courses), CompletedAt }),
      () => api('POST', '/completion', { LoginID, CourseID: pick(courses), CompletedAt }),
      () => api('DELETE', `/completion/${recorded?.CompletionID ?? 'none'}?Reason=mistake`),
      () => api('PUT', `/obligation/${LoginID}/${RequirementID}`, { Exempt: below(2) === 0, Reason: 'x' }),
      () =>
        api('PUT', `/obligation/${LoginID}/${RequirementID}`, {
          ...{ Exempt: true, Reason: pick(['on leave', 'abroad']) },
          Until: new Date(clock.now().getTime() + below(20) * 86_400_000).toISOString(),
        }),
      () => put(RequirementID, { DueSoonDays: below(20), ExpiringDays: below(20) }),
    ];
    await pick(changes)();
  };
  const kinds = [
    ...['requirement', 'group', 'manager', 'attribute&Attribute=site', 'total'],
    ...['requirement&GroupName=a', 'total&ManagerLoginID=grace', 'manager&ManagerLoginID=alan'],
    ...['group&RequirementID=all', 'group&ManagerLoginID=grace&GroupName=b'],
    'total&Attribute=site:Leeds',
  ];
  const report = async (query: string) => {
    const reply = await api('GET', `/report/compliance?${query}`);
    expectStatus(reply, 200);
    return reply.body.Items;
  };
  const lists = ['', '&Status=overdue,expired', '&Status=exempt', '&GroupName=a&ManagerLoginID=grace'];
  /** The people behind the figures. Enrolments are those of today. */
  const listed = async (query: string) => {
    const reply = await api('GET', `/obligation?Present=true&Limit=200${query}`);
    expectStatus(reply, 200);
    return reply.body.Items.map(({ EnrollID: _, EnrolProblem: __, ...row }: Record<string, unknown>) => row);
  };
  const said = new Map<string, unknown[]>();
  for (let n = 0; n < days; n++) {
    await passUntil(clock.now().getTime() + (20 + below(60)) * 3_600_000);
    for (let times = below(4); times >= 0; times--) await change();
    const today = [];
    for (const by of kinds) today.push(await report(`By=${by}`));
    for (const list of lists) today.push(await listed(list));
    said.set(new Date(localDay(clock.now().getTime(), zone) * 86_400_000).toISOString().slice(0, 10), today);
  }
  advanceTo(clock.now().getTime() + 2 * 86_400_000);
  for (const [day, expected] of said)
    for (const [n, by] of kinds.entries())
      assert.deepEqual(await report(`AsOf=${day}&By=${by}`), expected[n], `${day} ${by}`);
  for (const [day, expected] of said)
    for (const [n, list] of lists.entries())
      assert.deepEqual(await listed(`${list}&AsOf=${day}`), expected[kinds.length + n], `${day} ${list}`);
});
