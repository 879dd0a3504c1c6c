import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { Attack, Outcome } from '../attack.ts';
import { type Reply, sendRequest, tally } from '../send-request.ts';
import type { Target } from '../target.ts';

type Files = Iterable<[string, string | Readable]>;

async function zipOf(files: Files): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of files)
    if (typeof content === 'string') zip.addBuffer(Buffer.from(content), name);
    else zip.addReadStream(content, name);
  zip.end();
  return buffer(zip.outputStream);
}

async function refused(target: Target, zip: Buffer, times = 1): Promise<Outcome> {
  const replies: Reply[] = await Promise.all(
    Array.from({ length: times }, () =>
      sendRequest(`${target.service.baseUrl}/course/phishing/package`, {
        method: 'PUT',
        key: target.operator,
        headers: { 'content-type': 'application/zip' },
        body: zip,
      }),
    ),
  );
  const withstood = replies.every(({ status }) => [413, 422, 429, 503].includes(status));
  const code = replies[0]?.body?.code ?? '';
  return { withstood, detail: `${(zip.length / 1_048_576).toFixed(1)} MB: ${tally(replies)} ${code}` };
}

function* nestedFolders(): Generator<[string, string]> {
  for (let n = 0; n < 1_000; n++) yield [`${n}/${'d/'.repeat(507)}f`, ''];
}

const manifest = (inside: string) => `<?xml version="1.0"?>
<manifest identifier="m" version="1" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
<organizations default="o"><organization identifier="o"><title>T</title>${inside}</organization></organizations>
<resources><resource identifier="r" type="webcontent" adlcp:scormtype="sco" href="index.html"/></resources></manifest>`;

function* hugeManifest(): Generator<[string, string]> {
  yield ['index.html', 'x'];
  const items = Array.from({ length: 190_000 }, (_, n) => `<item identifier="i${n}" identifierref="r"/>`);
  yield ['imsmanifest.xml', manifest(items.join(''))];
}

function* deepManifest(): Generator<[string, string]> {
  yield ['index.html', 'x'];
  const depth = 60_000;
  const items = Array.from({ length: depth }, (_, n) => `<item identifier="i${n}"><title>t</title>`);
  yield ['imsmanifest.xml', manifest(items.join('') + '</item>'.repeat(depth))];
}

function* zeros(): Generator<[string, string | Readable]> {
  yield ['imsmanifest.xml', manifest('<item identifier="i" identifierref="r"><title>t</title></item>')];
  const block = Buffer.alloc(1024 ** 2);
  yield ['index.html', Readable.from(Array.from({ length: 1024 }, () => block))];
}

export const archiveAttacks: readonly Attack[] = [
  {
    name: 'a zip of 1,000 entries, each 508 folders deep',
    run: async (target) => refused(target, await zipOf(nestedFolders())),
  },
  {
    name: 'the same zip four times at once',
    run: async (target) => refused(target, await zipOf(nestedFolders()), 4),
  },
  {
    name: 'a manifest of 190,000 units',
    run: async (target) => refused(target, await zipOf(hugeManifest())),
  },
  {
    name: 'a manifest 60,000 units deep',
    run: async (target) => refused(target, await zipOf(deepManifest())),
  },
  {
    name: 'a file of 1 GB that takes 1 MB in the zip',
    run: async (target) => refused(target, await zipOf(zeros())),
  },
];
