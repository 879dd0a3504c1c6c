import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { followRequirements } from './follow.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);

type Line = {
  RequirementID: string;
  GroupName: string | null;
  ManagerLoginID: string | null;
  AttributeValue: string | null;
  Obligations: number;
  Overdue: number;
  Met: number;
};

test('compliance is counted by requirement, group, manager and attribute, and as it was on each past day', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const people = [
    { Groups: ['Nurses', 'Night'], ManagerLoginID: 'grace', Attributes: { site: 'Leeds' } },
    { Groups: ['Nurses'], ManagerLoginID: 'grace', Attributes: { site: 'York' } },
    { Groups: ['Cooks'], Attributes: { site: 'York' } },
    {},
  ];
  const users: string[] = [];
  for (const fields of people) users.push(await tenant.user(fields));
  const body = {
    Title: 'Fire',
    CourseIDs: [CourseID],
    Audience: {},
    DueAfter: 'P7D',
    ValidFor: 'P1M',
    Window: 'P1W',
  };
  expectStatus(await tenant.api('PUT', '/requirement/fire', body), 201);
  const report = async (query: string): Promise<Line[]> => {
    const reply = await tenant.api('GET', `/report/compliance?${query}`);
    expectStatus(reply, 200);
    return reply.body.Items;
  };
  const counts = async (by: string) => (await report(by)).map(({ Obligations }) => Obligations);
  assert.deepEqual(await counts('By=requirement'), [4]);
  assert.deepEqual(await counts('By=total'), [4]);
  assert.deepEqual(
    (await report('By=group')).map((line) => [line.GroupName, line.Obligations]),
    [
      [null, 1],
      ['Cooks', 1],
      ['Night', 1],
      ['Nurses', 2],
    ],
  );
  assert.deepEqual(await counts('By=manager'), [2, 2]);
  assert.deepEqual(await counts('By=attribute&Attribute=site'), [1, 1, 2]);
  assert.deepEqual(await counts('Attribute=site:York'), [2]);
  assert.deepEqual(await counts('By=manager&Attribute=site:York'), [1, 1]);
  assert.deepEqual(await counts('GroupName=Nurses'), [2]);
  expectProblem(
    await tenant.api('GET', '/report/compliance?By=attribute'),
    422,
    'validation_failed',
    'Attribute',
  );
  const { Items } = (await tenant.api('GET', '/obligation?GroupName=Night&Present=true')).body;
  assert.deepEqual(
    Items.map(({ Email, GroupName, ManagerLoginID }: Record<string, unknown>) => [
      Email,
      GroupName,
      ManagerLoginID,
    ]),
    [[null, 'Nurses', 'grace']],
  );
  /** How many obligations are listed behind each line, and how many the line counts. */
  const behind = async (asOf: string) => {
    const shown: [number, number][] = [];
    for (const by of ['group', 'manager', 'attribute&Attribute=site'])
      for (const line of await report(`By=${by}${asOf}`)) {
        const { GroupName, ManagerLoginID, AttributeValue, Obligations } = line;
        const filter = {
          group: `GroupName=${GroupName ?? ''}`,
          manager: `ManagerLoginID=${ManagerLoginID ?? ''}`,
        }[by];
        const list = `/obligation?Present=true&${filter ?? `Attribute=site:${AttributeValue ?? ''}`}${asOf}`;
        shown.push([(await tenant.api('GET', list)).body.Items.length, Obligations]);
      }
    return shown;
  };
  const lines = [1, 1, 1, 2, 2, 2, 1, 1, 2];
  assert.deepEqual(
    await behind(''),
    lines.map((n) => [n, n]),
  );
  assert.deepEqual(
    (await report('By=requirement&GroupName=')).map(({ Obligations }) => Obligations),
    [1],
  );
  for (const list of ['user?', 'user?ManagerLoginID=&', 'enrolment?', 'enrolment?Attribute=site:&'])
    assert.equal((await tenant.api('GET', `/${list}GroupName=`)).body.Items.length, 1, list);
  const said = new Map<string, unknown>();
  const complete = async (LoginID: string) => {
    const { Items } = (await tenant.api('GET', `/obligation/${LoginID}?Status=not_due,due_soon,overdue`))
      .body;
    const Override = { Completion: 'completed', Success: 'passed', Reason: 'x' };
    for (const { EnrollID } of Items)
      expectStatus(await tenant.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Override }), 200);
  };
  for (let n = 0; n < 60; n++) {
    if (n === 3) await complete(users[0] ?? '');
    if (n === 12) await complete(users[1] ?? '');
    if (n === 20) await tenant.api('PUT', `/user/${users[2]}`, { Groups: ['Nurses'] });
    if (n === 25) expectStatus(await tenant.api('PUT', '/requirement/fire', { DueAfter: 'P40D' }), 200);
    if (n === 30)
      await tenant.api('PUT', `/obligation/${users[3]}/fire`, { Exempt: true, Reason: 'on leave' });
    if (n === 35) expectStatus(await tenant.api('PUT', `/user/${users[2]}`, { Enabled: false }), 200);
    if (n === 41) await complete(users[0] ?? '');
    if (n === 50) expectStatus(await tenant.api('DELETE', `/user/${users[1]}`), 200);
    await followRequirements(service.ctx);
    const day = clock.now().toISOString().slice(0, 10);
    // As at the end of the day, which is when a report of the past shows it.
    const end = Date.parse(`${day}T23:59:57Z`);
    clock.advance({ seconds: (end - clock.now().getTime()) / 1000 });
    await followRequirements(service.ctx);
    said.set(day, await report('By=requirement'));
    clock.advance({ hours: 12 });
  }
  const [firstDay] = said.keys();
  const then = await behind(`&AsOf=${firstDay}`);
  assert.deepEqual(
    then,
    then.map(([, figure]) => [figure, figure]),
  );
  const differing = [];
  for (const [day, lines] of said)
    if (JSON.stringify(await report(`By=requirement&AsOf=${day}`)) !== JSON.stringify(lines))
      differing.push([day, lines, await report(`By=requirement&AsOf=${day}`)]);
  assert.deepEqual(differing, []);
});
