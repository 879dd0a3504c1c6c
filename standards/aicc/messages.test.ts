import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cpuMilliseconds } from '../../scorm/test-support/cpu-time.ts';
import type { RunTimeData } from '../types.ts';
import { readGroups } from './groups.ts';
import { hacpAnswer, readHacpRequest } from './hacp.ts';
import { afterPutInteractions, afterPutObjectives, commentsIn, countOf } from './lists.ts';
import { afterPutParam, type Learning, paramMessage, withMore } from './messages.ts';
import { atExit, atLaunch } from './session.ts';

const bytes = (text: string) => Buffer.from(text);
const request = (text: string) => readHacpRequest(bytes(text));

const learning: Learning = {
  ...{ learner: { ID: 'anna', Name: 'Example,\r\n[Core]Anna' }, courseId: 'c1', mode: 'Normal' },
  unit: { MasteryScore: null, MaxTimeAllowed: null, TimeLimitAction: null, DataFromLMS: null },
};

describe('a HACP request', () => {
  it('can have its fields in any case and order', () => {
    assert.deepEqual(request('AICC_Data=a%3D1&Session_ID=%7Bx%7D&Version=2.2&Command=GetParam'), {
      ...{ command: 'getparam', version: '2.2', sessionId: '{x}', data: 'a=1' },
    });
    assert.deepEqual(request(''), { command: '', version: '', sessionId: '', data: '' });
    assert.equal(request('command=a&command=b').command, 'a');
  });

  it('is answered in its own protocol version, and its text is never repeated in the response', () => {
    const answer = 'error=0\r\nerror_text=Successful\r\nversion=3.5\r\naicc_data=x';
    assert.equal(hacpAnswer({ error: 0, version: '3.5', data: 'x' }), answer);
    for (const version of ['', '4', '4.0\r\nerror=0', 'x'.repeat(100)])
      assert.match(hacpAnswer({ error: 3, version }), /\r\nversion=4(\.0)?\r\n$/);
  });
});

describe('the groups of a message', () => {
  it('keep free text unchanged', () => {
    const text = 'a=1\r\n;b\r\n[other]\r\n\r\n[1]';
    const groups = readGroups(
      `\r\n[CORE]\r\n Score = 5 \r\n;x=1\r\n[Core_Lesson]\n${text}\r\n\r\n[unknown]\r\n[Core_Vendor]`,
    );
    assert.equal(groups.get('core')?.values.get('score'), '5');
    assert.equal(groups.get('core')?.values.has('x'), false);
    assert.equal(groups.get('core_lesson')?.text, `${text}\r\n\r\n[unknown]`);
  });
});

describe('PutParam', () => {
  const put = (message: string, data = {}) => afterPutParam(data, `[core]\r\n${message}`);
  const status = (written: string) => put(`lesson_status=${written}`)['cmi.core.lesson_status'];

  it('accepts every spelling of a status', () => {
    const written = {
      P: 'passed',
      'c,logout': 'completed',
      'Failed , L': 'failed',
      i: 'incomplete',
      B: 'browsed',
    };
    for (const [word, expected] of Object.entries(written)) assert.equal(status(word), expected);
    for (const word of ['', ',', 'n', 'Not attempted', 'x', '1']) assert.equal(status(word), undefined);
    assert.equal(put('lesson_status=i,s')['cmi.core.exit'], 'suspend');
    assert.equal(put('lesson_status=i,resume')['cmi.core.exit'], '');
    assert.equal(put('lesson_status=c')['cmi.core.exit'], undefined);
  });

  it('reads a score with or without its range', () => {
    const score = (written: string, data = {}) => {
      const after = put(`score=${written}`, data);
      return ['raw', 'max', 'min'].map((part) => after[`cmi.core.score.${part}`]);
    };
    assert.deepEqual(score('85'), ['85', undefined, undefined]);
    assert.deepEqual(score('8.5, 10 ,0'), ['8.5', '10', '0']);
    assert.deepEqual(score('8;10'), ['8', '10', '0']);
    assert.deepEqual(score('85,5'), ['85', undefined, undefined]);
    const before = put('score=8,10,0');
    assert.deepEqual(score('', before), ['8', '10', '0']);
    assert.deepEqual(score('70', before), ['70', undefined, undefined]);
    for (const wrong of ['a', 'NaN', 'Infinity', '--1']) assert.equal(score(wrong)[0], undefined);
  });

  it('changes nothing that it does not mention', () => {
    const data = { 'cmi.core.lesson_status': 'passed', 'cmi.suspend_data': 'a', 'cmi.core.exit': 'suspend' };
    assert.deepEqual(afterPutParam(data, ''), data);
    assert.deepEqual(put('time=', data), data);
    assert.equal(
      put('lesson_location=', { 'cmi.core.lesson_location': '3' })['cmi.core.lesson_location'],
      '',
    );
    assert.equal(put('time=1:02:03.5')['cmi.core.session_time'], '0001:02:03.50');
  });
});

describe('GetParam', () => {
  it('never contains an additional group, whatever the names and values contain', () => {
    const message = paramMessage({ 'cmi.core.lesson_location': 'a\r\n[Core_Lesson]' }, '4.0', learning);
    assert.match(message, /\r\nstudent_name=Example, \[Core\]Anna\r\nlesson_location=a \[Core_Lesson\]\r\n/);
  });

  it('returns what PutParam stored', () => {
    const lesson = 'x=[1]\r\n\r\ny';
    const sent = `[core]\r\nlesson_location=p 7\r\nlesson_status=i\r\nscore=4,10,0\r\n[core_lesson]\r\n${lesson}\r\n[student_preferences]\r\nAudio=50`;
    const stored = afterPutParam({}, sent);
    const groups = readGroups(paramMessage(stored, '3.5', learning));
    assert.deepEqual(afterPutParam({}, paramMessage(stored, '3.5', learning))['cmi.suspend_data'], lesson);
    assert.equal(groups.get('core')?.values.get('score'), '4,10,0');
    assert.equal(groups.get('student_preferences')?.values.get('audio'), '50');
    assert.match(
      paramMessage({ 'cmi.core.total_time': '0123:04:05.60' }, '', learning),
      /\r\ntime=0123:04:05\r\n/,
    );
  });
});

describe('tables in a request', () => {
  it('are added to the existing data', () => {
    const one = 'interaction_id,result,student_response\r\nq1,c,"a,\nb"\r\n,w,x\r\n';
    const first = afterPutInteractions({}, one);
    assert.deepEqual(first, {
      ...{ 'cmi.interactions.0.id': 'q1', 'cmi.interactions.0.result': 'correct' },
      'cmi.interactions.0.student_response': 'a,\nb',
    });
    const second = afterPutInteractions(first ?? {}, `${one}q1,0.5,c\r\n`);
    assert.equal(countOf(second ?? {}, 'interactions'), 2);
    assert.equal(second?.['cmi.interactions.1.result'], '0.5');
    const objectives = afterPutObjectives({ 'cmi.objectives.0.id': 'o' }, 'objective_id,status\no,p\nn,n\n');
    assert.equal(objectives?.['cmi.objectives.0.status'], 'passed');
    assert.equal(objectives?.['cmi.objectives.1.status'], 'not attempted');
    assert.equal(afterPutInteractions({}, '"a"b"'), null);
    assert.equal(commentsIn('date,comment\n1,"Hello, you"\n2,\n3,Bye'), 'Hello, you\r\nBye');
    assert.equal(commentsIn(' plain '), 'plain');
    const commented = withMore(withMore({}, 'cmi.comments', 'a'), 'cmi.comments', 'b');
    assert.deepEqual(withMore(commented, 'cmi.comments', 'b'), { 'cmi.comments': 'a\r\nb' });
  });
});

describe('sessions', () => {
  it('add up their times and resume where the last session ended', () => {
    const unit = { MasteryScore: 80 };
    assert.equal(atLaunch(unit, {})['cmi.core.entry'], 'ab-initio');
    const data = { 'cmi.core.total_time': '0000:10:00.00', 'cmi.core.session_time': '0000:00:30.00' };
    const next = atLaunch(unit, { ...data, 'cmi.suspend_data': 'x', 'cmi.core.lesson_status': 'incomplete' });
    assert.equal(next['cmi.core.total_time'], '0000:10:30.00');
    assert.equal(next['cmi.core.session_time'], undefined);
    assert.equal(next['cmi.core.entry'], 'resume');
    assert.deepEqual(atLaunch(unit, next), next);
    const ended = { 'cmi.core.lesson_status': 'completed', 'cmi.core.score.raw': '90' };
    assert.equal(atExit(unit, ended)['cmi.core.lesson_status'], 'passed');
    assert.equal(atLaunch(unit, ended)['cmi.core.lesson_status'], 'passed');
    assert.deepEqual(atExit({ MasteryScore: null }, ended), ended);
    const unscored = { 'cmi.core.lesson_status': 'completed' };
    assert.deepEqual(atExit(unit, unscored), unscored);
  });
});

const commands: Record<string, (data: RunTimeData, message: string) => unknown> = {
  putparam: afterPutParam,
  putinteractions: afterPutInteractions,
  putobjectives: afterPutObjectives,
  putcomments: (data, message) => withMore(data, 'cmi.comments', commentsIn(message)),
};

describe('hostile requests', () => {
  it('never cause an exception, and store only strings', () => {
    const templates = [
      'command=PutParam&version=3.5&session_id=x&aicc_data=%5Bcore%5D%0D%0Alesson_status%3Dc%2Cl%0D%0Ascore=90,100,0%0Atime=00:01:00',
      'AICC_DATA=[core_lesson]\r\na=1&b\r\n[objectives_status]\r\nJ_ID.1=o\r\nJ_Score.1=5,10&COMMAND=PUTPARAM',
      'command=PutInteractions&aicc_data="interaction_id","result","latency"\r\n"q1","c","00:00:01"\r\n',
    ];
    const parts = [
      '%',
      '%u',
      '&',
      '=',
      '[',
      ']',
      '"',
      '\r\n',
      '\n',
      ',',
      '\0',
      '\xff',
      '__proto__',
      '9'.repeat(400),
      '.0.',
    ];
    const mutation = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(9),
      part: fc.oneof(fc.constantFrom(...parts), fc.string()),
    });
    const body = fc
      .tuple(fc.constantFrom(...templates), fc.array(mutation, { maxLength: 8 }))
      .map(([template, mutations]) =>
        mutations.reduce((text, { at, cut, part }) => {
          const place = Math.floor(at * text.length);
          return text.slice(0, place) + part + text.slice(place + cut);
        }, template),
      );
    const property = fc.property(body, (text) => {
      const { data, version } = readHacpRequest(Buffer.from(text, 'latin1'));
      for (const change of Object.values(commands)) {
        const after = change({ 'cmi.objectives.0.id': 'o' }, data) as RunTimeData | null;
        const values = Object.values(after ?? {});
        assert.ok(values.every((value) => typeof value === 'string' && value.isWellFormed()));
        paramMessage(after ?? {}, version, learning);
        atLaunch({ MasteryScore: 80 }, after ?? {});
      }
    });
    fc.assert(property, { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) });
  });

  const million = 1_000_000;
  const texts = {
    'many fields': '&'.repeat(million),
    'many equal fields': 'aicc_data=x&'.repeat(million / 12),
    percents: `aicc_data=${'%'.repeat(million)}`,
    'half escapes': `aicc_data=${'%u00%u'.repeat(million / 6)}`,
    'many groups': `aicc_data=${'[core]\n'.repeat(million / 7)}`,
    'different groups': `aicc_data=${Array.from({ length: million / 10 }, (_, at) => `[${at}]`).join('\n')}`,
    'open brackets': `aicc_data=${'['.repeat(million)}`,
    'empty lines': `aicc_data=[core_lesson]${'\n'.repeat(million)}`,
    spaces: `aicc_data=[core]\n${' '.repeat(million)}=1`,
    'a long number': `aicc_data=[core]\nscore=${'1'.repeat(million)}\ntime=${'1'.repeat(million / 2)}:00:00`,
    'many objectives': `aicc_data=[objectives_status]\n${Array.from({ length: million / 20 }, (_, at) => `j_id.${at}=o${at}`).join('\n')}`,
    'many columns': `aicc_data=${'a,'.repeat(million / 4)}\n${'b\n'.repeat(million / 4)}`,
    'many rows': `aicc_data=interaction_id\n${Array.from({ length: million / 10 }, (_, at) => at).join('\n')}`,
    quotes: `aicc_data=interaction_id\n${'"a""'.repeat(million / 4)}`,
    'line ends in quotes': `aicc_data=interaction_id\n"${'\r\n'.repeat(million / 2)}"`,
  };
  for (const [name, text] of Object.entries(texts))
    it(`are read in time proportional to their size: ${name}`, () => {
      const started = cpuMilliseconds();
      const { data } = request(text);
      afterPutParam({}, data);
      afterPutInteractions({}, data);
      afterPutObjectives({}, data);
      const took = cpuMilliseconds() - started;
      assert.ok(took < 4_000, `${Math.round(took)} ms`);
    });

  it('tables of more than 1,000 lines are rejected, because parsing them would block other requests', () => {
    const table = (rows: number) => `interaction_id,result\r\n${'a,C\r\n'.repeat(rows)}`;
    assert.notEqual(afterPutInteractions({}, table(900)), null);
    assert.equal(afterPutInteractions({}, table(1_000)), null);
  });
});
