import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFileIndex } from '../server/src/domain/catalogue/packages/file-index.ts';
import { createWarnings } from './warnings.ts';
import { readXapiPackage } from './xapi-package.ts';

const activity = (id: string, inner: string) =>
  `<activity id="${id}" type="t"><name>${id}</name>${inner}</activity>`;
const launch = '<launch lang="en">index.html</launch>';

function read(activities: string, paths = ['index.html']) {
  const text = `<tincan xmlns="http://projecttincan.com/tincan.xsd"><activities>${activities}</activities></tincan>`;
  const warnings = createWarnings();
  const report = readXapiPackage(
    Buffer.from(text),
    'tincan.xml',
    createFileIndex(paths),
    warnings.warn('tincan.xml'),
  );
  return { ...report, warnings: warnings.list() };
}

describe('xAPI package', () => {
  it('an xAPI package has a unit for each activity with a page', () => {
    const { Title, Tree } = read(activity('urn:course', launch) + activity('urn:question', ''));
    assert.deepEqual([Title, Tree.Units.map(({ UnitID }) => UnitID)], ['urn:course', ['urn:course']]);
    assert.deepEqual([Tree.Units[0]?.Href, Tree.Units[0]?.Kind], ['index.html', 'au']);
  });

  it('an xAPI package with a missing page is imported with a warning', () => {
    assert.match(read(activity('urn:course', launch), []).warnings[0]?.Message ?? '', /index\.html/);
  });

  for (const [activities, why] of [
    ['', /no activity has a page/],
    [activity('course', launch), /not an absolute IRI/],
    [activity('urn:a', launch) + activity('urn:a', launch), /used twice/],
    [activity('urn:a', '<launch>../index.html</launch>'), /outside the package/],
  ] as const)
    it(`an xAPI package is rejected: ${why.source}`, () => {
      assert.throws(() => read(activities), why);
    });
});
