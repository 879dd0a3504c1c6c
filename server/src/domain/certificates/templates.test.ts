import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { jpeg, png, pngChunk, pngHeader, pngOf } from '../../../test/support/images.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
} from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);

async function withTemplate(template: object, fields: Record<string, unknown> = {}) {
  const tenant = await newTenant(service, fields);
  const CourseID = await newCourse(service);
  const path = `/certificate/template/${CourseID}`;
  const saved = await tenant.api('PUT', path, { On: 'passed', ...template });
  return { tenant, CourseID, path, saved };
}

async function earn(tenant: TestTenant, CourseID: string) {
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Lovelace' });
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const path = `/enrolment/${LoginID}/${EnrollID}`;
  expectStatus(await tenant.api('PUT', path, { Override: { Success: 'passed', Reason: 'Exam' } }), 200);
  return { path, certificate: async () => (await tenant.api('GET', `${path}/certificate`)).body };
}

const pdfOf = async (tenant: TestTenant, path: string) => {
  const headers = { Authorization: `Bearer ${tenant.key}`, Accept: 'application/pdf' };
  return Buffer.from(await (await fetch(`${service.baseUrl}${path}/certificate`, { headers })).arrayBuffer());
};

async function infoOf(pdf: Buffer): Promise<{ Title?: string }> {
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const file = await getDocument({ data: new Uint8Array(pdf), verbosity: 0 }).promise;
  return (await file.getMetadata()).info;
}

test('counted serials have no gaps, also if many people finish at the same time, and corrections count', async () => {
  const { tenant, CourseID, path } = await withTemplate({ Serial: '{Course}/{Year}-{Counter:3}' });
  const learners = await Promise.all(Array.from({ length: 12 }, () => earn(tenant, CourseID)));
  const made = await Promise.all(learners.map(({ certificate }) => certificate()));
  const year = new Date().getUTCFullYear();
  const expected = (count: number) =>
    Array.from({ length: count }, (_, n) => `${CourseID}/${year}-${String(n + 1).padStart(3, '0')}`);
  assert.deepEqual(made.map(({ Serial }) => Serial).sort(), expected(12));
  const again = await tenant.api('POST', `/certificate/${made[0].Number}/reissue`, { Reason: 'Name' });
  expectStatus(again, 201);
  assert.equal(again.body.Serial, expected(13).at(-1));
  expectStatus(await tenant.api('PUT', path, { Serial: null }), 200);
  assert.equal((await (await earn(tenant, CourseID)).certificate()).Serial, null);
  expectStatus(await tenant.api('PUT', path, { Serial: '{Random}' }), 200);
  assert.match((await (await earn(tenant, CourseID)).certificate()).Serial, /^[0-9A-Z]{8}$/);
  expectStatus(await tenant.api('PUT', path, { Serial: 'No. {Counter}' }), 200);
  assert.equal((await (await earn(tenant, CourseID)).certificate()).Serial, 'No. 14');
  const open = await fetch(`${service.baseUrl}/verify/No.%2014`, { headers: { accept: 'application/json' } });
  assert.equal(open.status, 404);
});

for (const [name, template, param] of [
  ['a serial with an unknown placeholder', { Serial: '{Count}' }, 'Serial'],
  ['a serial that is the same for all', { Serial: 'FS-{Year}' }, 'Serial'],
  ['an unknown placeholder in one language', { Text: { en: '{Name}', de: '{Nam}' } }, 'Text'],
  ['a title of 4,000 characters in one language', { Title: { fr: 'x'.repeat(4_000) } }, 'Title'],
  ['a language that there is not', { Title: { es: 'Certificado' } }, 'Title'],
  [
    'a picture that is no image',
    {
      Signatures: [
        { Name: 'G', Role: null, Image: Buffer.from('<svg onload="x()"></svg>').toString('base64') },
      ],
    },
    'Signatures',
  ],
  [
    'the name of an unknown picture',
    { Signatures: [{ Name: 'G', Role: null, Image: 'nothing' }] },
    'Signatures',
  ],
] as const)
  test(`rejected when it is saved: ${name}`, async () => {
    const { saved } = await withTemplate(template);
    assert.equal(saved.status, 422, JSON.stringify(saved.body));
    assert.ok(saved.body.param.startsWith(param), saved.body.param);
  });

test('a text in several languages is that of the tenant, or else English', async () => {
  for (const [Language, title] of [
    ['de', 'Nachweis'],
    ['fr', 'Proof'],
  ] as const) {
    const { tenant, CourseID, saved } = await withTemplate({
      Title: { en: 'Proof', de: 'Nachweis' },
      Text: { en: '{Name} has passed', de: '{Name} hat bestanden' },
    });
    expectStatus(saved, 200);
    assert.deepEqual(saved.body.Title, { en: 'Proof', de: 'Nachweis' });
    expectStatus(await tenant.api('PUT', '/settings', { Language }), 200);
    const { path } = await earn(tenant, CourseID);
    const { Title } = await infoOf(await pdfOf(tenant, path));
    assert.ok(Title?.startsWith(title), Title);
  }
});

test('pictures of signatures are kept, also those of a template that has changed', async () => {
  const Image = png(60, 20, [200, 0, 0]).toString('base64');
  const { tenant, CourseID, path, saved } = await withTemplate({
    Signatures: [{ Name: 'Grace Hopper', Role: 'Head of Training', Image }],
  });
  expectStatus(saved, 200);
  const [signature] = saved.body.Signatures;
  assert.match(signature.Image, /^[\w-]{22}$/);
  const first = await earn(tenant, CourseID);
  const before = await pdfOf(tenant, first.path);
  const kept = await tenant.api('PUT', path, { Signatures: [{ ...signature, Role: null }] });
  assert.deepEqual(kept.body.Signatures, [{ ...signature, Role: null }]);
  expectStatus(await tenant.api('PUT', path, { Signatures: [] }), 200);
  assert.deepEqual(await pdfOf(tenant, first.path), before);
  const other = await newTenant(service);
  const theirs = await other.api('PUT', path, { Signatures: [signature] });
  expectProblem(theirs, 422, 'validation_failed', 'Signatures');
});

test('a sample is drawn in the language that the preview asks for', async () => {
  const Title = { en: 'Well done', de: 'Gut gemacht' };
  const { tenant, path } = await withTemplate({ Title }, { Language: 'en' });
  const titleOf = async (query: string) => {
    const reply = await fetch(`${service.baseUrl}${path}/preview${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ Title }),
    });
    assert.equal(reply.status, 200);
    return (await infoOf(Buffer.from(await reply.arrayBuffer()))).Title;
  };
  assert.match((await titleOf('')) ?? '', /^Well done/);
  assert.match((await titleOf('?Language=de')) ?? '', /^Gut gemacht/);
});

/** The opacity of each pixel of each transparent picture in a PDF. */
const opacitiesOf = (pdf: Buffer) =>
  [...pdf.toString('latin1').matchAll(/\/ColorSpace \/DeviceGray.*?stream\n(.*?)\nendstream/gs)].map(
    ([, pixels = '']) => [...inflateSync(Buffer.from(pixels, 'latin1'))],
  );

/** Pixels that are transparent, opaque, opaque and transparent. */
const transparent = {
  'sixteen colours': pngOf(pngHeader(4, 1, [4, 3, 0, 0, 0]), Buffer.from([0, 0x01, 0x10]), [
    pngChunk('PLTE', Buffer.from([255, 255, 255, 200, 0, 0])),
    pngChunk('tRNS', Buffer.from([0])),
  ]),
  'four shades': pngOf(pngHeader(4, 1, [2, 0, 0, 0, 0]), Buffer.from([0, 0xc3]), [
    pngChunk('tRNS', Buffer.from([0, 3])),
  ]),
  'interlaced shades': pngOf(
    pngHeader(4, 1, [8, 4, 0, 0, 1]),
    Buffer.from([0, 9, 0, 0, 9, 255, 0, 9, 255, 9, 0]),
  ),
  '16 bits, filtered': pngOf(
    pngHeader(4, 1, [16, 4, 0, 0, 0]),
    Buffer.from([1, 9, 9, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 1, 1]),
  ),
};

for (const [name, picture] of Object.entries(transparent))
  test(`transparent pictures are drawn the same way each time: ${name}`, async () => {
    const Image = picture.toString('base64');
    const { tenant, CourseID, saved } = await withTemplate({
      Signatures: [{ Name: 'Grace Hopper', Role: null, Image }],
    });
    expectStatus(saved, 200);
    expectStatus(await tenant.api('PUT', '/branding', { Logo: Image }), 200);
    const { path } = await earn(tenant, CourseID);
    const [first = Buffer.alloc(0), ...others] = await Promise.all(
      Array.from({ length: 8 }, () => pdfOf(tenant, path)),
    );
    assert.deepEqual(opacitiesOf(first), Array(2).fill([0, 255, 255, 0]));
    for (const other of others) assert.ok(first.equals(other));
  });

test('a PDF claims PDF/A-3, but not with a CMYK picture, and is drawn without a damaged one', async () => {
  const cmyk = jpeg();
  cmyk[11] = 4;
  const damaged = pngOf(pngHeader(4, 1, [8, 6, 0, 0, 0]), Buffer.from([9]));
  for (const [picture, isClaimed] of [
    [damaged, true],
    [cmyk, false],
  ] as const) {
    const Image = picture.toString('base64');
    const { tenant, CourseID, saved } = await withTemplate({
      Signatures: [{ Name: 'Grace Hopper', Role: null, Image }],
    });
    expectStatus(saved, 200);
    const pdf = (await pdfOf(tenant, (await earn(tenant, CourseID)).path)).toString('latin1');
    assert.equal(pdf.includes('<pdfaid:part>3</pdfaid:part>'), isClaimed);
    assert.equal(pdf.includes('/OutputIntents'), isClaimed);
  }
});
