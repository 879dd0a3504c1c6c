import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFileIndex } from '../server/src/domain/catalogue/packages/file-index.ts';
import { foldedPath } from '../server/src/domain/catalogue/packages/zip-names.ts';
import { parseSeconds } from './durations.ts';
import { unitEvidence } from './evidence.ts';
import { resolveTarget } from './launch-path.ts';
import { parseBoolean, parseNumber } from './numbers.ts';
import { resume } from './resume.ts';
import { unitOf } from './test-support.ts';
import { titleOfPage } from './web.ts';
import { decodeXml, hasDoctype } from './xml-text.ts';

// Texts from courses and packages must be parsed in linear time.

const elements = [
  'cmi.completion_threshold',
  'cmi.core.lesson_status',
  'cmi.core.score.max',
  'cmi.core.score.min',
  'cmi.core.score.raw',
  'cmi.core.session_time',
  'cmi.core.total_time',
  'cmi.progress_measure',
  'cmi.scaled_passing_score',
  'cmi.score.max',
  'cmi.score.min',
  'cmi.score.raw',
  'cmi.score.scaled',
  'cmi.session_time',
  'cmi.student_data.mastery_score',
  'cmi.success_status',
  'cmi.total_time',
  'lectern.completion',
  'lectern.seconds',
];
const learner = { ID: 'ann', Name: 'Ann' };
const files = createFileIndex(['a.html']);
const readers: Record<string, (text: string) => unknown> = {
  parseNumber,
  parseSeconds,
  parseBoolean: (text) => parseBoolean(text, true),
  unitEvidence: (text) => {
    const data = { ...Object.fromEntries(elements.map((name) => [name, text])), 'cmi.score.raw': '1' };
    for (const standard of ['scorm12', 'scorm2004-4th', 'web'] as const)
      unitEvidence(standard, unitOf({ Kind: 'sco' }), data);
  },
  resume: (text) => {
    const data = Object.fromEntries(elements.map((name) => [name, text]));
    for (const standard of ['scorm12', 'scorm2004-4th'] as const)
      resume(standard, unitOf({ Kind: 'sco' }), data, learner);
  },
  resolveTarget: (text) => resolveTarget([text], text, text, files),
  foldedPath,
  titleOfPage: (text) => titleOfPage(Buffer.from(text)),
  decodeXml: (text) => decodeXml(Buffer.from(text), () => {}),
  hasDoctype,
};

const size = 65_536;
const fill = (text: string) => text.repeat(size / text.length);
const worst = [
  `${fill('1')}x`,
  `1${fill('.')}x`,
  `${fill('1.')}x`,
  `P${fill('1')}`,
  `PT${fill('1.')}`,
  `${fill('1:')}`,
  `x${fill(' ')}x`,
  `x${fill('. ')}x`,
  fill('../'),
  fill('%25'),
  fill('?#'),
  fill('<title'),
  fill('<title>'),
  fill('&#x1'),
  `<?xml ${fill('encoding ')}`,
  fill('<!---->'),
  `a${fill('\u0315')}${fill('\u0344')}`,
];

for (const [name, read] of Object.entries(readers))
  test(`the time that ${name} takes for the worst-case text is linear in its length`, () => {
    for (const text of worst) {
      const used = process.threadCpuUsage();
      read(text);
      const { user, system } = process.threadCpuUsage(used);
      const milliseconds = (user + system) / 1_000;
      // What grows with the square takes seconds, also on a fast machine.
      assert.ok(milliseconds < 800, `${JSON.stringify(text.slice(0, 20))} took ${milliseconds} ms`);
    }
  });
