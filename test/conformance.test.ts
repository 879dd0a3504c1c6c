import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { runSuite as runCmi5Suite } from './conformance/cmi5/suite.ts';
import { difference, isExpected } from './conformance/scorm2004/compare.ts';
import { filesOf, titlesOf } from './conformance/scorm2004/package.ts';
import { endingOf } from './conformance/scorm2004/page.ts';
import { groupOf } from './conformance/scorm2004/scripts.ts';
import { runSuite as runXapiSuite } from './conformance/xapi/suite.ts';

describe('a value in a conformance script', () => {
  for (const [name, expected, found] of [
    ['cmi.location', 'page 3', 'page 3'],
    ['cmi.score.scaled', '0', '0.0'],
    ['cmi.total_time', 'PT0H0M0S', 'PT0S'],
    ['cmi.total_time', 'P1DT0.55S', 'PT24H0.55S'],
    ['cmi.objectives._children', 'id,score', 'score,id'],
    ['cmi.interactions.0.description', '{lang=en}Good', 'Good'],
    ['cmi.interactions.0.correct_responses.0.pattern', 'a', '{case_matters=false}{order_matters=true}a'],
    [
      'cmi.interactions.0.correct_responses.0.pattern',
      '{lang=de}{case_matters=true}a',
      '{case_matters=true}{lang=de}a',
    ],
  ] as const)
    it(`for ${name}: ${expected} equals ${found}`, () => assert.ok(isExpected(name, expected, found)));

  for (const [name, expected, found] of [
    ['cmi.location', '', '0'],
    ['cmi.score.scaled', '0.5', '0.50001'],
    ['cmi.total_time', 'PT1H', 'PT59M'],
    ['cmi.total_time', 'P1M', 'P30D'],
    ['cmi.objectives._children', 'id,score', 'id'],
    ['cmi.interactions.0.correct_responses.0.pattern', 'a', '{case_matters=true}a'],
  ] as const)
    it(`for ${name}: ${expected} differs from ${found}`, () => assert.ok(!isExpected(name, expected, found)));
});

describe('a call in a conformance script', () => {
  const get = (name: string, expect: string, error = '0') => ({
    fn: 'GetValue',
    args: [name],
    expect,
    error,
  });
  it('a call differs if its value or its error differs', () => {
    assert.equal(difference(get('cmi.mode', 'normal'), { returned: 'normal', error: '0' }, 'lee'), null);
    assert.match(
      difference(get('cmi.mode', 'normal'), { returned: 'review', error: '0' }, 'lee') ?? '',
      /review/,
    );
    assert.match(
      difference(get('cmi.mode', ''), { returned: '', error: '403' }, 'lee') ?? '',
      /error "0" expected/,
    );
  });

  it('a call may return any value that the suite does not compare', () => {
    const found = (returned: string, error = '0') => ({ returned, error });
    assert.equal(difference(get('cmi.learner_name', ''), found('Learner, Lee'), 'lee'), null);
    assert.equal(difference(get('cmi.learner_id', 'm'), found('lee'), 'lee'), null);
    assert.ok(difference(get('cmi.learner_id', 'm'), found('m'), 'lee'));
    assert.equal(difference(get('cmi.objectives.&one&.id', ''), found('one'), 'lee'), null);
    assert.equal(difference(get('adl.nav.request_valid.continue', 'true'), found('unknown'), 'lee'), null);
    assert.ok(difference(get('adl.nav.request_valid.continue', 'true'), found(''), 'lee'));
    assert.equal(difference(get('cmi.comments_from_lms.0.comment', ''), found('', '301'), 'lee'), null);
    assert.equal(
      difference({ fn: 'GetErrorString', args: ['0'], expect: 'less255' }, found('No Error'), 'lee'),
      null,
    );
  });

  it('objective identifiers are compared as a set', () => {
    const call = { fn: 'compareObjectives', ids: ['b', 'a'] };
    assert.equal(difference(call, { returned: 'a b', error: '0' }, 'lee'), null);
    assert.ok(difference(call, { returned: 'a', error: '0' }, 'lee'));
  });
});

describe('a package for a conformance script', () => {
  const manifest = `<organization identifier="o"><title> Course </title>
    <item identifier=" one " identifierref="r" parameters = "?tc=X&amp;act=1"><title>Activity 1</title></item></organization>
    <resource identifier="r" href="Page.htm" xml:base="resources/"><file href="Page.htm"/></resource>
    <resource identifier="s"><file href="common/x.js" /></resource>`;
  it('a package contains all files listed in its manifest', () =>
    assert.deepEqual(filesOf(manifest), ['resources/Page.htm', 'resources/Page.htm', 'common/x.js']));
  it('a package provides the titles that are used to choose activities', () =>
    assert.equal(titlesOf(manifest).get('1'), 'Activity 1'));
  it('the page ends a session like the original page', () => {
    assert.deepEqual(endingOf('/resources/SequencingTest.htm').terminate, 'after the calls');
    assert.deepEqual(endingOf('/resources/exitAllOnUnload.htm'), {
      terminate: 'on unload',
      onUnload: 'exitAll',
    });
    assert.deepEqual(endingOf('/SequencingTestSingleDoTerminate.htm').terminate, 'on unload');
  });
});

it('every script belongs to a group', () => {
  for (const [name, group] of [
    ['API', 'API'],
    ['DMB', 'Data model, one course and two'],
    ['DDM', 'Data model, one course and two'],
    ['CM-09aa', 'Content structure and navigation'],
    ['T-01a', 'Large trees'],
  ] as const)
    assert.equal(groupOf({ name, start: '.', steps: [] }), group);
});

describe('a suite whose process ends early', () => {
  function suiteWith(program: string, source: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'lectern-suite-'));
    mkdirSync(dirname(join(folder, program)), { recursive: true });
    writeFileSync(join(folder, program), source);
    return folder;
  }
  const lrs = { endpoint: '', user: '', password: '', version: '2.0.0', grep: undefined };
  const pass = `process.send({ action: 'ready' });
    process.on('message', () => process.send({ action: 'test pass' }, () => `;

  it('fails for xAPI, even if all tests so far have passed', async () => {
    const early = await runXapiSuite(suiteWith('bin/lrs-test.js', `${pass} process.exit()));`), lrs);
    assert.equal(early.passed, 1);
    assert.match(early.failures[0]?.message ?? '', /ended early, with exit code 0/);
    const complete = `${pass} process.send({ action: 'end' }, () => process.exit())));`;
    assert.deepEqual((await runXapiSuite(suiteWith('bin/lrs-test.js', complete), lrs)).failures, []);
  });
  it('fails for cmi5', async () => {
    const folder = suiteWith('node_modules/jest/bin/jest.js', 'process.kill(process.pid);');
    await assert.rejects(
      runCmi5Suite(folder, { env: {}, folder, grep: undefined }),
      /ended early, with SIGTERM/,
    );
  });
});
