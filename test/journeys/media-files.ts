import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'media');

/** Six seconds of a test pattern with a tone (VP9 and Opus, which every Chromium plays). */
export const clip = () => readFileSync(join(folder, 'clip.mp4'));
export const tone = () => readFileSync(join(folder, 'clip.mp3'));

export const captions = 'WEBVTT\n\n00:00.000 --> 00:06.000\nA tone sounds\n';

export const policyPage = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Travel policy</title>
<body style="font: 18px/1.6 sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem"><h1>Travel policy</h1>
${Array.from({ length: 20 }, (_, n) => `<p>Section ${n + 1}. Travel by train where you can, and keep your receipts for the year in which you travelled.</p>`).join('\n')}</body></html>`;

/** A PDF with a page for each text, in a font that every reader has and no document contains. */
export function pdfOf(texts: readonly string[], link = 'https://web.example/'): Buffer {
  const objects: string[] = [];
  const add = (text: string) => objects.push(text);
  const kids = texts.map((_, n) => `${4 + 3 * n} 0 R`).join(' ');
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Kids [${kids}] /Count ${texts.length} >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  for (const [n, text] of texts.entries()) {
    const content = `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 3 * n} 0 R /Annots [${6 + 3 * n} 0 R] >>`,
    );
    add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
    add(`<< /Type /Annot /Subtype /Link /Rect [72 690 300 725] /A << /S /URI /URI (${link}) >> >>`);
  }
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
