import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { hacp, importAicc, openAicc } from '../../../../../test/support/aicc.ts';
import { ask } from '../../../../../test/support/ask.ts';
import { openUnit, readResults } from '../../../../../test/support/au.ts';
import { play } from '../../../../../test/support/player.ts';
import { startService } from '../../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant } from '../../../../../test/support/tenant.ts';
import { forTenant } from '../../../../db/transaction.ts';

const service = await startService();
after(service.close);
const { api, user } = await newTenant(service);

async function enrolled(files: Record<string, string> = {}) {
  const [LoginID, CourseID] = [await user(), await importAicc(service, files)];
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  const read = async () => (await api('GET', address)).body;
  return { LoginID, CourseID, EnrollID, LaunchURL, address, read };
}

const core = (...lines: string[]) => ['[Core]', ...lines, ''].join('\r\n');
const noMastery = {
  'course.au': 'system_id,file_name\nA1,unit.html?lang=en\n',
};

describe('an AICC course', () => {
  it('can be played, and the data reported by its unit becomes the result', async () => {
    const { LoginID, CourseID, LaunchURL, read } = await enrolled();
    const unit = await openAicc(service, LaunchURL);
    assert.equal(await (await ask(unit.url.href)).text(), '<!doctype html><title>Unit</title>');
    const first = await unit.command('GetParam');
    assert.equal(first.status, 200);
    assert.match(first.headers.get('content-type') ?? '', /^text\/plain/);
    assert.equal(first.headers.get('access-control-allow-origin'), '*');
    assert.equal(first.headers.get('cache-control'), 'no-store');
    assert.match(first.text, /^error=0\r\nerror_text=Successful\r\nversion=4\.0\r\naicc_data=\[Core\]\r\n/);
    for (const [name, value] of Object.entries({
      ...{ Student_ID: LoginID, Lesson_Status: 'Not attempted,Ab-initio', Lesson_Location: '', Score: '' },
      ...{ Credit: 'Credit', Lesson_Mode: 'Normal', Time: '00:00:00', Course_ID: `{${CourseID}}` },
      ...{ Mastery_Score: '80', Max_Time_Allowed: '01:00:00', Time_Limit_Action: 'C,N' },
    }))
      assert.equal(first.value(name), value, name);
    assert.match(first.text, /\[Core_Vendor\]\r\na=1\r\n/);
    const put = core('Lesson_Location=page-3', 'Lesson_Status=I', 'Score=40,100,0', 'Time=00:00:30');
    assert.equal((await unit.command('PutParam', `${put}[Core_Lesson]\r\na=1\r\n[x]\r\n`)).error, '0');
    const begun = await read();
    assert.deepEqual(
      [begun.Status, begun.Completion, begun.Success, begun.Score, begun.TotalSeconds],
      ['in_progress', 'incomplete', 'unknown', 40, 30],
    );
    const done = core('Lesson_Status=c,logout', 'Score=90', 'Time=00:01:10');
    assert.equal((await unit.command('PutParam', done)).error, '0');
    const { Status, Completion, Success, Score, Progress, TotalSeconds } = await read();
    assert.deepEqual(
      [Status, Completion, Success, Score, Progress, TotalSeconds],
      ['completed', 'completed', 'passed', 90, 100, 70],
    );
    const { body } = await readResults(unit.playing, service.contentUrl);
    assert.equal(body.Evidence.A1.Success, 'passed');
    assert.equal((await unit.command('ExitAU')).error, '0');
    assert.equal((await unit.command('ExitAU')).error, '0');
    assert.equal((await unit.command('PutParam', core('Score=1'))).error, '3');
  });

  it('resumes where the learner left off, even if the content never reported an exit', async () => {
    const { LaunchURL, read } = await enrolled(noMastery);
    const first = await openAicc(service, LaunchURL);
    assert.equal(first.url.searchParams.get('lang'), 'en');
    const lesson = '{"page":[1,2],\r\n"x":"[Core"}\r\n[1,2,3]\r\n\r\nend';
    await first.command(
      'putparam',
      `\r\n[CORE]\r\nlesson_location=3\r\ntime=0:20:00\r\n[core_lesson]\r\n${lesson}\r\n`,
    );
    const second = await openAicc(service, LaunchURL);
    const got = await second.command('GetParam');
    assert.equal(got.value('Lesson_Location'), '3');
    assert.equal(got.value('Lesson_Status'), 'Not attempted,Resume');
    assert.equal(got.value('Time'), '00:20:00');
    assert.ok(got.text.includes(`[Core_Lesson]\r\n${lesson}\r\n[Core_Vendor]`), got.text);
    assert.equal((await first.command('PutParam', core('Lesson_Status=P'))).error, '3');
    await second.command('PutParam', core('Time=00:05:00', 'Lesson_Status=incomplete'));
    await second.command('PutParam', core('Time=00:10:00'));
    assert.equal((await read()).TotalSeconds, 1800);
    assert.equal((await (await openAicc(service, LaunchURL)).command('GetParam')).value('Time'), '00:30:00');
  });

  it('accepts no data from a unit that was opened before a reset', async () => {
    const { LaunchURL, address, read } = await enrolled(noMastery);
    const old = await openAicc(service, LaunchURL);
    await old.command('PutParam', core('Lesson_Status=F', 'Score=10'));
    expectStatus(await api('POST', `${address}/reset`, { Reason: 'Someone else answered' }), 200);
    await play(service, LaunchURL);
    assert.equal((await old.command('PutParam', core('Lesson_Status=P', 'Score=100'))).error, '3');
    const { Success, Score } = await read();
    assert.deepEqual([Success, Score], ['unknown', null]);
    const again = await openAicc(service, LaunchURL);
    assert.equal((await again.command('PutParam', core('Lesson_Status=P', 'Score=90'))).error, '0');
    assert.equal((await read()).Score, 90);
  });

  it('keeps values that a message does not mention', async () => {
    const { LaunchURL, read } = await enrolled(noMastery);
    const unit = await openAicc(service, LaunchURL);
    await unit.command('PutParam', core('Lesson_Status=Passed', 'Score=70', 'Lesson_Location=9'));
    for (const message of [
      '',
      core(),
      core('Time=00:00:01'),
      core('Lesson_Status=', 'Score='),
      core('Lesson_Status=N,A'),
    ])
      assert.equal((await unit.command('PutParam', message)).error, '0');
    const got = await unit.command('GetParam', '', { version: '2.2' });
    assert.deepEqual(['Lesson_Status', 'Score', 'Lesson_Location', 'version'].map(got.value), [
      'Passed,Ab-initio',
      '70',
      '9',
      '2.2',
    ]);
    const { Completion, Success, Score } = await read();
    assert.deepEqual([Completion, Success, Score], ['completed', 'passed', 70]);
  });

  it('is completed rather than failed if the unit reports no score', async () => {
    const { LaunchURL, read } = await enrolled();
    const unit = await openAicc(service, LaunchURL);
    await unit.command('PutParam', core('Lesson_Status=Complete'));
    await unit.command('ExitAU');
    const { Completion, Success, Score } = await read();
    assert.deepEqual([Completion, Success, Score], ['completed', 'unknown', null]);
  });

  it('derives its status from the mastery score and reports this status to the content in the next session', async () => {
    const { LaunchURL, read } = await enrolled();
    const unit = await openAicc(service, LaunchURL);
    await unit.command('PutParam', core('Lesson_Status=C', 'Score=60,100,0'));
    await unit.command('ExitAU');
    const { Completion, Success } = await read();
    assert.deepEqual([Completion, Success], ['completed', 'failed']);
    const got = await (await openAicc(service, LaunchURL)).command('GetParam');
    assert.equal(got.value('Lesson_Status'), 'Failed');
    assert.equal(got.value('Score'), '60,100,0');
    const old = await openAicc(service, LaunchURL);
    assert.equal((await old.command('GetParam', '', { version: '2.2' })).value('Score'), '60');
  });

  it('reports interactions, objectives and comments once each', async () => {
    const { LaunchURL, address } = await enrolled(noMastery);
    const unit = await openAicc(service, LaunchURL);
    const interactions =
      '"course_id","student_id","lesson_id","date","time","interaction_id","objective_id","type_interaction","correct_response","student_response","result","weighting","latency"\r\n' +
      '"c","s","A1","2026/01/31","10:20:30","q1","o1","C","a","b","W","1","00:00:12"\r\n' +
      '"c","s","A1","2026/01/31","10:21:00","q2","","T","t","t","C","",""\r\n';
    for (const _ of [1, 2]) assert.equal((await unit.command('PutInteractions', interactions)).error, '0');
    const objectives = '"objective_id","status","score"\r\n"o1","P","80,100,0"\r\n';
    assert.equal((await unit.command('PutObjectives', objectives)).error, '0');
    await unit.command(
      'PutParam',
      `${core()}[Objectives_Status]\r\nJ_ID.1=o2\r\nJ_Status.1=F\r\nJ_ID.2=o1\r\nJ_Score.2=85`,
    );
    for (const command of ['PutComments', 'PutPath', 'PutPerformance'])
      assert.equal((await unit.command(command, '"comment"\r\n"Good, but long"')).error, '0');
    const [activity] = (await api('GET', `${address}/activity`)).body.Items;
    assert.deepEqual(
      activity.Interactions.map((one: Record<string, unknown>) => [
        ...[one.InteractionID, one.Type, one.Response, one.Result, one.LatencySeconds],
      ]),
      [
        ['q1', 'choice', 'b', 'incorrect', 12],
        ['q2', 'true-false', 't', 'correct', null],
      ],
    );
    assert.deepEqual(
      activity.Objectives.map((one: Record<string, unknown>) => [one.ObjectiveID, one.Success, one.Score]),
      [
        ['o1', 'passed', 85],
        ['o2', 'failed', null],
      ],
    );
    const got = await unit.command('GetParam');
    assert.deepEqual(['J_ID.1', 'J_Score.1', 'J_Status.1', 'J_ID.2'].map(got.value), [
      'o1',
      '85',
      'Passed',
      'o2',
    ]);
  });

  it('shows nested and remote units, each with its own session', async () => {
    const { LaunchURL, address } = await enrolled({
      'course.au': 'system_id,file_name\nA1,unit.html\nA2,https://content.example/start?course=7\n',
      'course.cst': 'block,member\nroot,B1\nroot,A2\nB1,A1\n',
    });
    const first = await openAicc(service, LaunchURL);
    await first.command('PutParam', core('Lesson_Status=C'));
    const second = await openAicc(service, LaunchURL, { UnitID: 'A2' });
    assert.equal(second.url.origin, 'https://content.example');
    assert.equal(second.url.searchParams.get('course'), '7');
    await second.command('PutParam', core('Lesson_Status=P', 'Score=88'));
    const { body } = await api('GET', address);
    assert.deepEqual([body.Completion, body.Success, body.Score], ['completed', 'passed', 88]);
    const opened = await openUnit(second.playing, service.contentUrl, { UnitID: 'B1' });
    expectProblem(opened, 422, 'validation_failed', 'UnitID');
  });

  it('records nothing in Browse', async () => {
    const { LaunchURL, read } = await enrolled();
    const unit = await openAicc(service, LaunchURL, { LaunchMode: 'Browse' });
    const got = await unit.command('GetParam');
    assert.deepEqual(['Lesson_Mode', 'Credit'].map(got.value), ['Browse', 'No-credit']);
    assert.equal((await unit.command('PutParam', core('Lesson_Status=P', 'Score=100'))).error, '0');
    assert.equal((await unit.command('ExitAU')).error, '0');
    assert.equal((await read()).Completion, 'unknown');
  });

  it('accepts results only through HACP, not from the player page', async () => {
    const { LaunchURL } = await enrolled();
    const playing = await play(service, LaunchURL);
    expectProblem(await playing.commit({ UnitID: 'A1', Data: {} }), 422, 'validation_failed', 'UnitID');
  });
});

describe('requests from AICC content', () => {
  it('can have names in any case and order, and any encoding', async () => {
    const { LaunchURL, read } = await enrolled(noMastery);
    const { sid, send, command } = await openAicc(service, LaunchURL);
    const dialects: [body: string | Uint8Array<ArrayBuffer>, location: string][] = [
      [`AICC_DATA=%5BCORE%5D%0D%0ALesson_Location%3Da%26b+c&SESSION_ID=${sid}&COMMAND=PUTPARAM`, 'a&b c'],
      [
        `command=putParam&version=2.2&session_id=${sid}&aicc_data=[core]\r\nlesson_location=a&b=c+d`,
        'a&b=c+d',
      ],
      [
        `session_id=${encodeURIComponent(sid).replaceAll('-', '%2D')}&command=PutParam&aicc_data=%5Bcore%5D%0Alesson_location=%E9%20%u20AC+`,
        'é €+',
      ],
      [`session_id=${sid}&command=PutParam&aicc_data=%5Bcore%5D%0Alesson_location%3D%FC%80`, 'ü€'],
      [`session_id=${sid}&command=PutParam&aicc_data=%5Bcore%5D%0Alesson_location%3D%C3%BC%zz`, 'ü%zz'],
      [
        Buffer.from(`session_id=${sid}&command=PutParam&aicc_data=[core]\rlesson_location=Größe`, 'latin1'),
        'Größe',
      ],
      [
        `session_id=${sid}&command=PutParam&aicc_data=%5Bcore%5D%0A;lesson_location%3Dno%0Alesson_location%3Da%00b`,
        'a\0b',
      ],
    ];
    for (const [body, location] of dialects) {
      const reply = await send(body, 'text/plain');
      assert.equal(reply.error, '0', reply.text);
      assert.equal((await command('GETPARAM')).value('Lesson_Location'), location);
    }
    assert.equal((await read()).Status, 'in_progress');
  });

  it('are allowed from any origin', async () => {
    const { LaunchURL } = await enrolled();
    const { address } = await openAicc(service, LaunchURL);
    const preflight = await ask(address, { method: 'OPTIONS' });
    assert.equal(preflight.status, 204);
    assert.deepEqual(
      ['origin', 'methods', 'headers'].map((name) => preflight.headers.get(`access-control-allow-${name}`)),
      ['*', 'POST', 'Content-Type'],
    );
  });

  it("must contain the session's ID and URL, and otherwise reveal nothing", async () => {
    const [one, other] = [await enrolled(), await enrolled()];
    const [opened, stranger] = [
      await openAicc(service, one.LaunchURL),
      await openAicc(service, other.LaunchURL),
    ];
    const refused = 'error=3\r\nerror_text=Invalid Session ID\r\nversion=4.0\r\n';
    for (const session_id of ['', stranger.sid, `${opened.sid}x`])
      assert.equal((await opened.command('GetParam', '', { session_id })).text, refused);
    const body = `command=GetParam&version=4.0&session_id=${opened.sid}`;
    assert.equal((await hacp(stranger.address, body)).text, refused);
    const forged = opened.address.replace(/.(?=\/hacp$)/, (last) => (last === 'A' ? 'B' : 'A'));
    const content = opened.url.pathname.split('/')[2] ?? '';
    for (const token of [forged.split('/').at(-2) ?? '', 'x', content, opened.playing.session.Session]) {
      const reply = await hacp(`${service.contentUrl}/play/${token}/hacp`, body);
      assert.deepEqual([reply.status, reply.text], [200, refused]);
      assert.equal(reply.headers.get('access-control-allow-origin'), '*');
    }
  });

  it('are rejected when access has ended', async () => {
    const { LaunchURL, address, LoginID } = await enrolled();
    const unit = await openAicc(service, LaunchURL);
    expectStatus(await api('PUT', address, { Withdrawn: true }), 200);
    assert.equal((await unit.command('PutParam', core('Lesson_Status=P'))).error, '3');
    expectStatus(await api('PUT', address, { Withdrawn: false }), 200);
    expectStatus(await api('PUT', `/user/${LoginID}`, { Enabled: false }), 200);
    assert.equal((await unit.command('GetParam')).error, '3');
  });

  it('are rejected while the tenant is suspended, and after a day without a request', async () => {
    const tenant = await newTenant(service);
    const LoginID = await tenant.user();
    const { body } = await tenant.api('POST', `/enrol/${LoginID}/${await importAicc(service)}`);
    const unit = await openAicc(service, body.LaunchURL);
    const setStatus = (Status: string) => service.api('PUT', `/tenant/${tenant.TenantID}`, { Status });
    expectStatus(await setStatus('suspended'), 200);
    const refused = await unit.command('PutParam', core('Lesson_Status=P'));
    assert.deepEqual([refused.status, refused.error], [200, '3']);
    expectStatus(await setStatus('active'), 200);
    assert.equal((await unit.command('GetParam')).error, '0');
    await forTenant(service.ctx, tenant.TenantID)
      .db.updateTable('au_session')
      .set({ last_statement_at: new Date(Date.now() - 25 * 3_600_000) })
      .where('tenant_id', '=', tenant.TenantID)
      .where('session_id', '=', unit.sid)
      .execute();
    assert.equal((await unit.command('GetParam')).error, '3');
  });

  it('never cause an internal error, whatever they contain', async () => {
    const { LaunchURL, read } = await enrolled(noMastery);
    const { sid, send, command } = await openAicc(service, LaunchURL);
    for (const name of ['', 'Nonsense', 'constructor', '__proto__', 'hasOwnProperty'])
      assert.equal((await command(name)).error, '1', name);
    assert.equal((await send('')).error, '3');
    assert.equal((await send('&&&=&==&aicc_data')).error, '3');
    assert.equal((await command('PutInteractions', '"a\r\n"b"c","')).error, '1');
    const long = 'x'.repeat(300_000);
    const stored = await command('PutParam', `[core_lesson]\r\n${long}`);
    assert.deepEqual([stored.status, stored.error], [200, '1']);
    const many = Array.from({ length: 20_000 }, (_, at) => `q${at}`).join('\n');
    assert.equal((await command('PutInteractions', `interaction_id\n${many}`)).error, '1');
    const large = await send(`session_id=${sid}&command=PutParam&aicc_data=${'x'.repeat(4_300_000)}`);
    assert.deepEqual([large.status, large.error], [413, '1']);
    assert.equal(large.headers.get('access-control-allow-origin'), '*');
    for (const score of ['1e999', 'NaN', '-5', '1,2,3,4', ',,', '९', '1'.repeat(5_000)])
      assert.equal((await command('PutParam', core(`Score=${score}`, `Time=${score}:00:00`))).error, '0');
    const strange =
      '[__proto__]\r\na=b\r\n[core]\r\n__proto__=1\r\nconstructor=2\r\n[objectives_status]\r\nj_id.1=__proto__';
    assert.equal((await command('PutParam', strange)).error, '0');
    assert.equal((await command('GetParam')).error, '0');
    assert.equal((await read()).Status, 'in_progress');
  });
});

describe('data that cannot be stored', () => {
  it('does not keep a result from counting, and the content gets an error', async () => {
    for (const lesson of ['x'.repeat(300_000), '漢'.repeat(262_144).concat('漢')]) {
      const { LaunchURL, address, read } = await enrolled(noMastery);
      const unit = await openAicc(service, LaunchURL);
      await unit.command('PutParam', '[Core_Lesson]\r\npage 1');
      const sent = `${core('Lesson_Status=P', 'Score=90')}[Core_Lesson]\r\n${lesson}`;
      const reply = await unit.command('PutParam', sent);
      assert.deepEqual([reply.status, reply.error], [200, '1']);
      assert.match(reply.text, /result was recorded, but the data was not stored/);
      const { Success, Score } = await read();
      assert.deepEqual([Success, Score], ['passed', 90]);
      assert.match((await unit.command('GetParam')).text, /\r\npage 1\r\n/);
      const { Items } = (await api('GET', `${address}/timeline`)).body;
      const warned = Items.filter(({ Warnings }: { Warnings: string[] }) => Warnings.length > 0);
      assert.match(warned[0].Warnings[0], /262144 characters/);
    }
  });

  it('includes half of a surrogate pair, but not a NUL', async () => {
    const { LaunchURL, read } = await enrolled(noMastery);
    const unit = await openAicc(service, LaunchURL);
    assert.equal((await unit.command('PutParam', '[Core_Lesson]\r\na\0b')).error, '0');
    const half = `session_id=${unit.sid}&command=PutParam&aicc_data=${escape(`${core('Lesson_Status=P')}[Core_Lesson]\r\na\ud800b`)}`;
    const reply = await unit.send(half);
    assert.deepEqual([reply.status, reply.error], [200, '1']);
    assert.match(reply.text, /surrogate/);
    assert.equal((await read()).Success, 'passed');
    assert.ok((await unit.command('GetParam')).text.includes('[Core_Lesson]\r\na\0b\r\n'));
  });
});

describe('messages with many lines', () => {
  const many = {
    'empty lines': `[Core]${'\r'.repeat(250_000)}`,
    values: `[Core]\n${'a=\n'.repeat(120_000)}`,
    objectives: `[Objectives_Status]\n${Array.from({ length: 20_000 }, (_, at) => `J_ID.${at + 1}=o${at}`).join('\n')}`,
  };
  for (const [name, message] of Object.entries(many))
    it(`are rejected: ${name}`, async () => {
      const { LaunchURL } = await enrolled();
      const unit = await openAicc(service, LaunchURL);
      const reply = await unit.command('PutParam', message);
      assert.equal(reply.error, '1');
      assert.match(reply.text, /can have at most 10000 lines/);
    });

  it('are accepted up to a limit', async () => {
    const { LaunchURL } = await enrolled();
    const unit = await openAicc(service, LaunchURL);
    const notes = `[Core]\nLesson_Status=I\n[Core_Lesson]\n${'a\n'.repeat(9_000)}`;
    assert.equal((await unit.command('PutParam', notes)).error, '0');
  });
});
