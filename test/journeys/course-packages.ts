import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packFolder } from '../../server/src/lib/pack-folder.ts';
import { au, courseStructure } from '../../standards/cmi5/test-support.ts';

const root = join(import.meta.dirname, '../..');

/** Packs a demo course from its source. */
export async function packCourse(name: 'phishing' | 'fire-safety' | 'recovery-position'): Promise<string> {
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

/** A SCORM 1.2 page that makes few API calls. It finishes on a click or when the learner leaves. */
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

/**
 * A course with three units. The second unit's page may be missing. The third unit opens after the first is
 * completed.
 */
export function packRow(options: { withoutSecond?: boolean; named?: string } = {}): Promise<string> {
  const { named = 'Part' } = options;
  const item = (number: number, more = '') =>
    `<item identifier="part-${number}" identifierref="file-${number}"><title>${named} ${number}</title>${more}</item>`;
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

/** A SCORM 1.2 course whose page only starts the session. Tests add what it reports. */
export function packSilent(): Promise<string> {
  return pack('silent', {
    'imsmanifest.xml': `<?xml version="1.0"?>
<manifest identifier="silent" version="1" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
<organizations default="all"><organization identifier="all"><title>Silent</title><item identifier="only" identifierref="file"><title>Only</title></item></organization></organizations>
<resources><resource identifier="file" type="webcontent" adlcp:scormtype="sco" href="index.html"><file href="index.html"/></resource></resources></manifest>`,
    'index.html': `<!doctype html><title>Silent</title><h1>Silent</h1><script>parent.API.LMSInitialize('')</script>`,
  });
}

/** Elements that the page of `packEverything12` shows. */
const elements12 = [
  ...['student_id', 'credit', 'lesson_mode', 'lesson_status', 'entry', 'total_time', 'lesson_location'].map(
    (name) => `cmi.core.${name}`,
  ),
  ...[
    'suspend_data',
    'launch_data',
    'comments',
    'comments_from_lms',
    'interactions._count',
    'objectives._count',
  ].map((name) => `cmi.${name}`),
  ...['mastery_score', 'max_time_allowed', 'time_limit_action'].map((name) => `cmi.student_data.${name}`),
  ...['audio', 'language', 'text'].map((name) => `cmi.student_preference.${name}`),
  'cmi.objectives.0.id',
];

/**
 * A SCORM 1.2 page that shows its initial data. One button answers a question wrongly and adds a comment, and
 * the other passes.
 */
const pageWithEverything = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>
<button id="answer">Answer</button><button id="pass">Pass</button><dl></dl>
<script>
  const api = parent.API;
  let open = api.LMSInitialize('') === 'true';
  for (const element of ${JSON.stringify(elements12)}) {
    const value = document.createElement('dd');
    value.dataset.element = element;
    value.textContent = api.LMSGetValue(element);
    document.querySelector('dl').append(element, value);
  }
  const finish = (values) => {
    if (!open) return;
    open = false;
    for (const [name, value] of Object.entries(values))
      if (api.LMSSetValue(name, value) !== 'true') document.body.append(name + ': error ' + api.LMSGetLastError());
    api.LMSFinish('');
  };
  document.getElementById('answer').onclick = () => finish({
    'cmi.core.lesson_location': 'page 3', 'cmi.suspend_data': 'half', 'cmi.comments': 'Too dark',
    'cmi.student_preference.audio': '40', 'cmi.student_preference.language': 'German', 'cmi.student_preference.text': '-1',
    'cmi.objectives.0.id': 'exits', 'cmi.objectives.0.status': 'passed',
    'cmi.interactions.0.id': 'q1', 'cmi.interactions.0.type': 'choice', 'cmi.interactions.0.student_response': 'a,c',
    'cmi.interactions.0.result': 'wrong', 'cmi.interactions.0.latency': '00:00:07.5',
    'cmi.core.score.raw': '70', 'cmi.core.lesson_status': 'completed', 'cmi.core.exit': 'suspend',
    'cmi.core.session_time': '00:01:30',
  });
  document.getElementById('pass').onclick = () => finish({ 'cmi.core.score.raw': '90', 'cmi.core.lesson_status': 'completed' });
  addEventListener('pagehide', () => finish({}));
</script>`;

/**
 * A SCORM 1.2 package that uses most elements of a manifest. The second unit opens after the first is passed.
 */
export function packEverything12(): Promise<string> {
  const said = `<adlcp:maxtimeallowed>01:00:00</adlcp:maxtimeallowed><adlcp:timelimitaction>continue,no message</adlcp:timelimitaction>
<adlcp:datafromlms>level=2</adlcp:datafromlms><adlcp:masteryscore>80</adlcp:masteryscore>`;
  const after = '<adlcp:prerequisites type="aicc_script">test="passed"</adlcp:prerequisites>';
  const item = (id: string, title: string, more: string) =>
    `<item identifier="${id}" identifierref="file-${id}"><title>${title}</title>${more}</item>`;
  const resource = (id: string) =>
    `<resource identifier="file-${id}" type="webcontent" adlcp:scormtype="sco" href="${id}.html"><file href="${id}.html"/></resource>`;
  const manifest = `<?xml version="1.0"?>
<manifest identifier="everything" version="1" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
<organizations default="all"><organization identifier="all"><title>Everything</title>${item('test', 'Test', said)}${item('certificate', 'Certificate', after)}</organization></organizations>
<resources>${resource('test')}${resource('certificate')}</resources></manifest>`;
  return pack('everything', {
    'imsmanifest.xml': manifest,
    'test.html': pageWithEverything('Test'),
    'certificate.html': pageWithEverything('Certificate'),
  });
}

/** A SCORM 1.2 or 2004 unit with a time limit of three seconds. The unit does not check the limit itself. */
export function packTimed(edition: '1.2' | '2004', action: string): Promise<string> {
  const is12 = edition === '1.2';
  const limits =
    '<imsss:sequencing><imsss:limitConditions attemptAbsoluteDurationLimit="PT3S"/></imsss:sequencing>';
  const limit = is12
    ? `<adlcp:maxtimeallowed>00:00:03</adlcp:maxtimeallowed><adlcp:timelimitaction>${action}</adlcp:timelimitaction>`
    : `<adlcp:timeLimitAction>${action}</adlcp:timeLimitAction>${limits}`;
  const namespaces = is12
    ? 'xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"'
    : 'xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3" xmlns:imsss="http://www.imsglobal.org/xsd/imsss"';
  const manifest = `<?xml version="1.0"?>
<manifest identifier="timed" version="1" ${namespaces}>
<metadata><schema>ADL SCORM</schema><schemaversion>${is12 ? '1.2' : '2004 4th Edition'}</schemaversion></metadata>
<organizations default="all"><organization identifier="all"><title>Quick test</title>
<item identifier="test" identifierref="file"><title>Quick test</title>${limit}</item></organization></organizations>
<resources><resource identifier="file" type="webcontent" adlcp:${is12 ? 'scormtype' : 'scormType'}="sco" href="test.html"><file href="test.html"/></resource></resources></manifest>`;
  const script = is12
    ? "const api = parent.API; api.LMSInitialize(''); api.LMSSetValue('cmi.core.score.raw', '40'); api.LMSSetValue('cmi.core.lesson_status', 'incomplete');"
    : "const api = parent.API_1484_11; api.Initialize(''); api.SetValue('cmi.score.scaled', '0.4'); api.SetValue('cmi.completion_status', 'incomplete');";
  return pack('timed', {
    'imsmanifest.xml': manifest,
    'test.html': `<!doctype html><title>Quick test</title><h1>Quick test</h1><script>${script}</script>`,
  });
}

/** A plain web course without an API. */
export function packWebPage(): Promise<string> {
  return pack('page', { 'index.html': '<!doctype html><title>House rules</title><h1>House rules</h1>' });
}

const sco2004 = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>
<p id="entry"></p><p id="note"></p><button id="done">Done</button><button id="leave">Leave</button>
<script>
  const api = parent.API_1484_11;
  let open = api.Initialize('') === 'true';
  document.getElementById('entry').textContent = api.GetValue('cmi.entry') + ' ' + api.GetValue('cmi.location');
  document.getElementById('note').textContent = 'note: ' + api.GetValue('adl.data.0.store');
  const finish = (request) => {
    if (!open) return;
    open = false;
    if (request) api.SetValue('adl.nav.request', request);
    api.Terminate('');
  };
  document.getElementById('done').onclick = () => {
    api.SetValue('cmi.location', 'seen');
    api.SetValue('cmi.completion_status', 'completed');
    api.SetValue('cmi.success_status', 'passed');
    api.SetValue('adl.data.0.store', 'from ${title}');
    finish();
  };
  document.getElementById('leave').onclick = () => finish('suspendAll');
  addEventListener('pagehide', () => finish());
</script>`;

/**
 * A SCORM 2004 package with choice as its only navigation. The second unit opens when the first is satisfied.
 * The third is a page without an API. The units share a note.
 */
export function packChoice(): Promise<string> {
  const map = '<adlcp:data><adlcp:map targetID="note" writeSharedData="true"/></adlcp:data>';
  const objective = (id: string, more = '') =>
    `<imsss:objectives><imsss:primaryObjective objectiveID="own"><imsss:mapInfo targetObjectiveID="${id}" writeSatisfiedStatus="true"/></imsss:primaryObjective>${more}</imsss:objectives>`;
  const byContent = '<imsss:deliveryControls completionSetByContent="true" objectiveSetByContent="true"/>';
  const locked = `<imsss:sequencingRules><imsss:preConditionRule><imsss:ruleConditions conditionCombination="any">
    <imsss:ruleCondition referencedObjective="before" operator="not" condition="objectiveStatusKnown"/><imsss:ruleCondition referencedObjective="before" operator="not" condition="satisfied"/>
    </imsss:ruleConditions><imsss:ruleAction action="disabled"/></imsss:preConditionRule></imsss:sequencingRules>`;
  const before =
    '<imsss:objective objectiveID="before"><imsss:mapInfo targetObjectiveID="one" readSatisfiedStatus="true"/></imsss:objective>';
  const item = (number: number, inner: string) =>
    `<item identifier="part-${number}" identifierref="file-${number}"><title>Part ${number}</title>${inner}</item>`;
  const resource = (number: number, type: string) =>
    `<resource identifier="file-${number}" type="webcontent" adlcp:scormType="${type}" href="part-${number}.html"><file href="part-${number}.html"/></resource>`;
  const manifest = `<?xml version="1.0"?>
<manifest identifier="choice" version="1" xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3" xmlns:imsss="http://www.imsglobal.org/xsd/imsss">
<metadata><schema>ADL SCORM</schema><schemaversion>2004 4th Edition</schemaversion></metadata>
<organizations default="all"><organization identifier="all"><title>Choose yourself</title>
${item(1, `${map}<imsss:sequencing>${objective('one')}${byContent}</imsss:sequencing>`)}
${item(2, `${map}<imsss:sequencing>${locked}${objective('two', before)}${byContent}</imsss:sequencing>`)}
${item(3, '')}
<imsss:sequencing><imsss:controlMode choice="true" flow="false"/></imsss:sequencing>
</organization></organizations>
<resources>${resource(1, 'sco')}${resource(2, 'sco')}${resource(3, 'asset')}</resources></manifest>`;
  return pack('choice', {
    'imsmanifest.xml': manifest,
    'part-1.html': sco2004('Part 1'),
    'part-2.html': sco2004('Part 2'),
    'part-3.html': '<!doctype html><h1>Just to read</h1>',
  });
}

/**
 * A SCORM 1.2 package with one page that runs the script. `sw.js` is a service worker that answers all
 * requests itself.
 */
export function packScript(title: string, script: string): Promise<string> {
  const manifest = `<?xml version="1.0"?>
<manifest identifier="script" version="1" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
<organizations default="all"><organization identifier="all"><title>${title}</title>
<item identifier="page" identifierref="file"><title>${title}</title></item></organization></organizations>
<resources><resource identifier="file" type="webcontent" adlcp:scormtype="sco" href="index.html"><file href="index.html"/></resource></resources></manifest>`;
  return pack('script', {
    'imsmanifest.xml': manifest,
    'index.html': `<!doctype html><title>${title}</title><h1>${title}</h1><script>${script}</script>`,
    'sw.js': "addEventListener('fetch', (event) => event.respondWith(new Response('hijacked')));",
  });
}

/** An AICC page like those in old content: it reads its bookmark, and reports through forms. */
export const aiccPage = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>
<p id="was"></p><button id="later">Later</button><button id="done">Done</button><p id="said"></p>
<script>
  const asked = new URLSearchParams(location.search);
  const report = async (command, ...lines) => {
    const fields = { command, version: '3.5', session_id: asked.get('AICC_SID'), aicc_data: lines.join('\\r\\n') };
    const response = await fetch(asked.get('AICC_URL'), { method: 'POST', body: new URLSearchParams(fields) });
    return response.text();
  };
  const show = (id, text) => { document.getElementById(id).textContent = text; };
  const said = (text) => show('said', /^error=0/.test(text) ? 'saved' : text);
  document.getElementById('later').onclick = async () =>
    said(await report('PutParam', '[Core]', 'Lesson_Location=page 2', 'Lesson_Status=I,S', 'Time=00:00:20', '[Core_Lesson]', 'answers=[1,2]'));
  document.getElementById('done').onclick = async () => {
    await report('PutParam', '[Core]', 'Lesson_Status=C', 'Score=90,100,0', 'Time=00:01:00');
    said(await report('ExitAU'));
  };
  report('GetParam').then((text) => {
    const value = (name) => new RegExp('^' + name + '=(.*)$', 'im').exec(text)?.[1] ?? '';
    show('was', [value('Lesson_Status'), value('Lesson_Location'), value('answers')].join(' | '));
  });
</script>`;

/** An AICC course with two units. The second needs a score of 80. */
export function packAicc(): Promise<string> {
  return pack('aicc', {
    'course/c.crs': '[Course]\r\nCourse_ID=c\r\nCourse_Title=Manual handling\r\n',
    'course/c.au': 'System_ID,File_Name,Mastery_Score\r\nA1,one.html,\r\nA2,two.html?part=2,80\r\n',
    'course/c.des': 'System_ID,Title\r\nA1,Lifting\r\nA2,Carrying\r\n',
    'course/c.cst': 'Block,Member,Member\r\nROOT,A1,A2\r\n',
    'course/one.html': aiccPage('Lifting'),
    'course/two.html': aiccPage('Carrying'),
    'readme.txt': 'Manual handling',
  });
}

/** A cmi5 course with one unit that must open in its own window. */
export function packOwnWindow(): Promise<string> {
  return pack('own-window', {
    'cmi5.xml': courseStructure(au({ attributes: 'launchMethod="OwnWindow" moveOn="NotApplicable"' })),
    'index.html': '<!doctype html><title>A part</title><h1>A window of its own</h1>',
  });
}

/** A SCORM package whose units open these pages. */
export function packPages(
  pages: { href: string; type?: 'sco' | 'asset' }[],
  files: Record<string, string>,
  edition: '1.2' | '2004' = '1.2',
): Promise<string> {
  const is12 = edition === '1.2';
  const namespaces = is12
    ? 'xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"'
    : 'xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3"';
  const items = pages.map(
    (_, n) => `<item identifier="part-${n}" identifierref="file-${n}"><title>Part ${n + 1}</title></item>`,
  );
  const resources = pages.map(
    ({ href, type = 'sco' }, n) =>
      `<resource identifier="file-${n}" type="webcontent" adlcp:${is12 ? 'scormtype' : 'scormType'}="${type}" href="${href}"/>`,
  );
  return pack('pages', {
    'imsmanifest.xml': `<?xml version="1.0"?>
<manifest identifier="pages" version="1" ${namespaces}>
<metadata><schema>ADL SCORM</schema><schemaversion>${is12 ? '1.2' : '2004 4th Edition'}</schemaversion></metadata>
<organizations default="all"><organization identifier="all"><title>Pages</title>${items.join('')}</organization></organizations>
<resources>${resources.join('')}</resources></manifest>`,
    ...files,
  });
}
