import { drawClassic } from './classic.ts';
import { fontsFor } from './fonts.ts';
import { isIncomplete } from './lines.ts';
import { drawModern } from './modern.ts';
import { openPage } from './page.ts';
import { textsOf } from './texts.ts';
import type { CertificateInput } from './types.ts';

/** Draws a certificate as a PDF of one page. The same input gives the same bytes. */
export async function renderCertificate(input: CertificateInput): Promise<Uint8Array> {
  const found = textsOf(input);
  const all = Object.values(found).filter(Boolean).join(' ');
  const isPartial = input.LoginID !== null && isIncomplete(fontsFor('sans', all), found.name);
  const name = isPartial ? `${found.name} (${input.LoginID})` : found.name;
  const texts = { ...found, name };
  // Readers of metadata show the marks that keep the direction of a name.
  const title = input.Title === null ? input.CourseTitle : found.title.replaceAll(/[\u2066-\u2069]/g, '');
  const page = openPage(input, all, title);
  const draw = { classic: drawClassic, modern: drawModern }[input.Layout];
  draw(page, input, texts);
  for (const { name, type, description, content } of input.attachments)
    page.doc.file(Buffer.from(content), {
      name,
      type,
      description,
      hidden: false,
      creationDate: new Date(input.IssuedAt),
      modifiedDate: new Date(input.IssuedAt),
    });
  const parts: Buffer[] = [];
  page.doc.on('data', (part: Buffer) => parts.push(part));
  const end = new Promise((resolve, reject) => page.doc.on('end', resolve).on('error', reject));
  page.doc.end();
  await end;
  return Buffer.concat(parts);
}
