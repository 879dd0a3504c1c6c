import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packFolder } from '../../src/platform/pack-folder.ts';

const root = join(import.meta.dirname, '../..');

/** Packs a course of ours from its source. */
export async function packCourse(name: 'phishing' | 'fire-safety'): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'lectern-')), `${name}.zip`);
  await packFolder(join(root, 'courses', name), file);
  return file;
}

async function pack(name: string, files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, 'course', path)), { recursive: true });
    await writeFile(join(folder, 'course', path), text);
  }
  const file = join(folder, `${name}.zip`);
  await packFolder(join(folder, 'course'), file);
  return file;
}

/** A SCORM 1.2 page with the least that content does: begin, and finish on a click or on leaving. */
const sco = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>
<p id="status"></p><button id="done">Done</button><button id="later">Later</button>
<script>
  const api = parent.API;
  let open = api.LMSInitialize('') === 'true';
  document.getElementById('status').textContent = api.LMSGetValue('cmi.core.entry') + ' ' + api.LMSGetValue('cmi.core.lesson_status');
  const finish = (exit, status) => {
    if (!open) return;
    open = false;
    if (status) api.LMSSetValue('cmi.core.lesson_status', status);
    api.LMSSetValue('cmi.core.exit', exit);
    api.LMSFinish('');
  };
  document.getElementById('done').onclick = () => finish('', 'completed');
  document.getElementById('later').onclick = () => finish('suspend', 'incomplete');
  addEventListener('pagehide', () => finish('suspend'));
</script>`;

/** Three units in a row, the second one missing on purpose if asked; the third one opens after the first is done. */
export function packRow(options: { withoutSecond?: boolean } = {}): Promise<string> {
  const item = (number: number, more = '') =>
    `<item identifier="part-${number}" identifierref="file-${number}"><title>Part ${number}</title>${more}</item>`;
  const resource = (number: number, type = 'sco') =>
    `<resource identifier="file-${number}" type="webcontent" adlcp:scormtype="${type}" href="part-${number}.html"><file href="part-${number}.html"/></resource>`;
  const prerequisite = '<adlcp:prerequisites type="aicc_script">part-1</adlcp:prerequisites>';
  const manifest = `<?xml version="1.0"?>
<manifest identifier="row" version="1" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
<organizations default="all"><organization identifier="all"><title>Three in a row</title>${item(1)}${item(2)}${item(3, prerequisite)}</organization></organizations>
<resources>${resource(1)}${resource(2, 'asset')}${resource(3)}</resources></manifest>`;
  return pack('row', {
    'imsmanifest.xml': manifest,
    'part-1.html': sco('Part 1'),
    ...(options.withoutSecond ? {} : { 'part-2.html': '<!doctype html><h1>Just to read</h1>' }),
    'part-3.html': sco('Part 3'),
  });
}

/** A plain web course that knows nothing of learning systems. */
export function packWebPage(): Promise<string> {
  return pack('page', { 'index.html': '<!doctype html><title>House rules</title><h1>House rules</h1>' });
}
