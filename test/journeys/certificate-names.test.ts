import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { fontFiles } from '../../certificates/src/font-files.ts';
import { launchBrowser } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newCourse, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';

const isMissing = (program: string) => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`]);
    return false;
  } catch {
    return true;
  }
};
const missing = ['pdfinfo', 'pdftotext', 'pdftoppm', 'pdfdetach', 'qpdf', 'zbarimg'].filter(isMissing);
/** `.ci/run full` installs them and sets ALL_LANGUAGES. */
const skip =
  !process.env.ALL_LANGUAGES &&
  missing.length > 0 &&
  `${missing.join(', ')} not installed (poppler-utils, qpdf, zbar-tools)`;

/** pdftotext does not read these correctly, whatever the PDF says. */
const unread = new Set(['Arabic', 'Thai', 'Devanagari']);

type Name = { FirstName: string; LastName: string; name: string; font: keyof typeof fontFiles };
const named = (FirstName: string, LastName: string, font: Name['font']): Name => ({
  ...{ FirstName, LastName, name: `${FirstName} ${LastName}`, font },
});
/** The family name comes first, without a space. */
const familyFirst = (FirstName: string, LastName: string, font: Name['font']): Name => ({
  ...{ FirstName, LastName, name: LastName + FirstName, font },
});
const names = {
  Latin: named('Zoë', 'Łukasiewicz-Ångström', 'serif'),
  Greek: named('Αθηνά', 'Παπαδοπούλου', 'serif'),
  Cyrillic: named('Юлия', 'Щербакова', 'serif'),
  Arabic: named('محمد', 'عبد الرحمن', 'arabic'),
  Hebrew: named('נועה', 'אברהמי', 'hebrew'),
  Thai: named('น้ำผึ้ง', 'ศรีสุวรรณ', 'thai'),
  Devanagari: named('क्षितिज', 'श्रीवास्तव', 'devanagari'),
  Chinese: familyFirst('龙骨', '欧阳', 'chinese'),
  Japanese: familyFirst('さくら', '直葉', 'japanese'),
  Korean: familyFirst('서연', '박', 'korean'),
};

let service: Awaited<ReturnType<typeof startService>>;
let tenant: TestTenant;
let page: Page;
let CourseID: string;
const folder = mkdtempSync(join(tmpdir(), 'lectern-names-'));

before(async () => {
  if (skip) return;
  service = await startService();
  tenant = await newTenant(service, { Name: 'Acme' });
  CourseID = await newCourse(service, { Title: 'Fire safety', Certificate: { On: 'passed' } });
  const browser = await launchBrowser();
  page = await (await browser.newContext()).newPage();
});
after(async () => {
  rmSync(folder, { recursive: true });
  await page?.context().close();
  await service?.close();
});

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

async function certificateOf({ FirstName, LastName }: Name) {
  const LoginID = await tenant.user({ FirstName, LastName });
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const path = `/enrolment/${LoginID}/${EnrollID}`;
  const Override = { Success: 'passed', Reason: 'Exam' };
  expectStatus(await tenant.api('PUT', path, { Override }), 200);
  const headers = { authorization: `Bearer ${tenant.key}`, accept: 'application/pdf' };
  const pdf = await fetch(`${service.baseUrl}${path}/certificate`, { headers });
  const { VerifyURL } = (await tenant.api('GET', `${path}/certificate`)).body;
  return { VerifyURL: String(VerifyURL), pdf: Buffer.from(await pdf.arrayBuffer()) };
}

/**
 * The share of the dark pixels of either name that the other has nearby. Of the certificate, the name is the first text
 * in the darkest colour.
 */
const alike = ([certificate = '', own = '']: string[]) => {
  const inkOf = async (source: string) => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const { width, height } = image;
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const context = canvas.getContext('2d');
    context?.drawImage(image, 0, 0);
    const { data = new Uint8ClampedArray() } = context?.getImageData(0, 0, width, height) ?? {};
    const isDark = (x: number, y: number) => {
      const [red = 0, , blue = 0] = data.subarray((y * width + x) * 4);
      return red < 80 && blue - red < 24;
    };
    const rows = [...Array(height).keys()].filter((y) => [...Array(width).keys()].some((x) => isDark(x, y)));
    const [top = 0] = rows;
    // Marks above and below letters are nearer than the next text.
    const bottom = rows.find((y, at) => (rows[at + 1] ?? Number.POSITIVE_INFINITY) - y > 40) ?? top;
    const columns = [...Array(width).keys()].filter((x) => rows.some((y) => y <= bottom && isDark(x, y)));
    const [left = 0] = columns;
    const box = { left, top, width: (columns.at(-1) ?? left) - left + 1, height: bottom - top + 1 };
    return { box, isDark: (x: number, y: number) => isDark(left + x, top + y) };
  };
  return Promise.all([inkOf(certificate), inkOf(own)]).then(([one, other]) => {
    type Ink = typeof one;
    const covered = (a: Ink, b: Ink) => {
      const [scaleX, scaleY] = [b.box.width / a.box.width, b.box.height / a.box.height];
      let [dark, found] = [0, 0];
      for (let y = 0; y < a.box.height; y++)
        for (let x = 0; x < a.box.width; x++) {
          if (!a.isDark(x, y)) continue;
          dark++;
          const near = [-2, -1, 0, 1, 2];
          const [toX, toY] = [Math.round(x * scaleX), Math.round(y * scaleY)];
          if (near.some((dx) => near.some((dy) => b.isDark(toX + dx, toY + dy)))) found++;
        }
      return dark === 0 ? 0 : found / dark;
    };
    const ratio = ({ box }: Ink) => box.width / box.height;
    return { share: Math.min(covered(one, other), covered(other, one)), ratio: ratio(one) / ratio(other) };
  });
};

for (const [script, person] of Object.entries(names))
  test(`A certificate for a name in ${script} looks as the browser draws it, and other programs read it`, {
    skip,
  }, async (t) => {
    const { name, font } = person;
    const { pdf, VerifyURL } = await certificateOf(person);
    writeFileSync(join(folder, 'a.pdf'), pdf);
    assert.match(run('qpdf', '--check', 'a.pdf'), /No syntax or stream encoding errors/);
    assert.ok(run('pdfinfo', 'a.pdf').split('\n')[0]?.includes(name), 'title');
    if (!unread.has(script))
      assert.ok(run('pdftotext', 'a.pdf', '-').normalize('NFC').includes(name), 'text');
    run('pdfdetach', '-save', '1', '-o', 'a.jwt', 'a.pdf');
    const { credentialSubject } = decodeJwt(readFileSync(join(folder, 'a.jwt'), 'utf8'));
    assert.ok(JSON.stringify(credentialSubject).includes(JSON.stringify(name)), 'credential');
    run('pdftoppm', '-png', '-r', '144', '-singlefile', 'a.pdf', 'a');
    assert.equal(run('zbarimg', '--raw', '-q', 'a.png').trim().toLowerCase(), VerifyURL.toLowerCase());

    const file = readFileSync(join('node_modules', fontFiles[font])).toString('base64');
    await page.setContent(
      `<style>@font-face{font-family:own;src:url(data:font/ttf;base64,${file})}
      p{margin:40px;font:84px own;color:#20242a;white-space:nowrap;width:max-content}</style><p>${name}</p>`,
    );
    await page.evaluate('document.fonts.ready');
    const own = await page.locator('p').screenshot();
    const picture = readFileSync(join(folder, 'a.png'));
    if (process.env.LOOK) {
      writeFileSync(join(process.env.LOOK, `name-${script}.png`), picture);
      writeFileSync(join(process.env.LOOK, `name-${script}-browser.png`), own);
    }
    const { share, ratio } = await page.evaluate(alike, [picture.toString('base64'), own.toString('base64')]);
    t.diagnostic(`${(share * 100).toFixed(1)} % alike, ratio of the shapes ${ratio.toFixed(3)}`);
    assert.ok(share > 0.97 && Math.abs(ratio - 1) < 0.03, `${share} ${ratio}`);
  });
