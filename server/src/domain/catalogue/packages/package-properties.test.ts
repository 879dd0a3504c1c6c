import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { resolveTarget } from '../../../../../standards/launch-path.ts';
import { readManifest } from '../../../../../standards/manifest.ts';
import { PackageRejection } from '../../../../../standards/rejection.ts';
import { manifest12, manifest2004, oneItem, oneResource } from '../../../../../standards/test-support.ts';
import { createWarnings } from '../../../../../standards/warnings.ts';
import { importBytes, rawZip } from '../../../../test/support/zips.ts';
import { createFileIndex } from './file-index.ts';

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 50) };
const course = rawZip([
  { name: 'imsmanifest.xml', data: manifest12(oneItem, oneResource) },
  { name: 'a/', data: '' },
  { name: 'index.html', data: '<p>Hello</p>', method: 0 },
]);
const manifest = manifest2004(
  '<item identifier="i" identifierref="r"><title>T</title><imsss:sequencing IDRef="s"><imsss:controlMode flow="true"/><imsss:objectives><imsss:primaryObjective objectiveID="p"><imsss:mapInfo targetObjectiveID="g"/></imsss:primaryObjective></imsss:objectives></imsss:sequencing></item>',
);
const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
  minLength: 1,
  maxLength: 12,
});

function changed(original: Uint8Array, edits: [number, number][]): Buffer {
  const bytes = Buffer.from(original);
  for (const [at, value] of edits) bytes[at % bytes.length] = value;
  return bytes;
}

/** `importBytes` rethrows anything except a Problem. */
async function staysInside(bytes: Uint8Array): Promise<void> {
  const { report, names } = await importBytes(bytes);
  if (report) assert.ok(names.every((name) => name === 'out' || name.startsWith('out/')));
  else assert.deepEqual(names, []);
}

describe('any upload', () => {
  it('random bytes are rejected with a reason', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), staysInside), runs);
  });

  it('a damaged zip is rejected with a reason and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(changes, (edits) => staysInside(changed(course, edits))),
      runs,
    );
  });

  it('entries with any name stay inside the folder', async () => {
    const part = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom('..', '.', '', '\\', 'C:', '\0', '~', 'ſ'),
    );
    const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 5 }), (names) =>
        staysInside(rawZip([{ name: 'index.html' }, ...names.map((each) => ({ name: each, data: 'x' }))])),
      ),
      runs,
    );
  });

  it('a damaged manifest is either read or rejected with a reason', () => {
    const snippet = fc.constantFrom(
      '<',
      '>',
      '"',
      '&',
      '<item>',
      '</item>',
      'xmlns:x=""',
      '<!DOCTYPE x>',
      '\u0000',
      'é',
      '999999999999',
      '-1',
      '',
    );
    const edit = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 40 }), snippet);
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 5 }), (edits) => {
        let text = manifest;
        for (const [at, length, put] of edits) {
          const start = at % (text.length + 1);
          text = text.slice(0, start) + put + text.slice(start + length);
        }
        try {
          const files = createFileIndex(['index.html']);
          readManifest(Buffer.from(text), 'imsmanifest.xml', files, createWarnings().warn('imsmanifest.xml'));
        } catch (error) {
          assert.ok(error instanceof PackageRejection, String(error));
        }
      }),
      { numRuns: runs.numRuns * 5 },
    );
  });

  it("a unit's URL never points outside the package", () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 6, unit: 'binary' }),
      fc.constantFrom('..', '/', '%2e', '\\', '?', '#', '%', ':', '//'),
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const files = createFileIndex(['index.html', 'a/b.html']);
    fc.assert(
      fc.property(text, text, text, (base, href, parameters) => {
        const target = resolveTarget([base], href, parameters, files);
        if (target.kind === 'refused') return;
        const url = new URL(target.href, 'https://host/root/');
        if (target.kind === 'foreign') assert.match(url.protocol, /^https?:$/);
        else assert.ok(url.href.startsWith('https://host/root/'), target.href);
      }),
      { numRuns: 5_000 },
    );
  });
});
