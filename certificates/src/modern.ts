import { shadesOf } from '../../standards/contrast.ts';
import { shortAddress } from './classic.ts';
import type { Page } from './page.ts';
import type { Texts } from './texts.ts';
import type { CertificateInput } from './types.ts';

const muted = '#5b6470';
const ink = '#14181d';
const band = 214;
const inset = 34;

/** A band in the tenant's colour with the code, and the text beside it. */
export function drawModern(page: Page, input: CertificateInput, texts: Texts): void {
  const { doc, width, height } = page;
  const shades = shadesOf(input.Colour ?? '#1d4ed8', 'light');
  doc.rect(0, 0, band, height).fill(shades.Fill);
  drawRings(doc, shades.OnFill, height);
  const inBand = { x: inset, width: band - 2 * inset, colour: shades.OnFill } as const;
  const code = 92;
  const foot = height - inset - 62;
  doc.roundedRect(inset, foot - code - 26, code + 18, code + 18, 8).fill('#ffffff');
  page.qr(input.VerifyURL, inset + 9, foot - code - 17, code);
  let y = page.text(texts.check, { ...inBand, y: foot, size: 10 });
  y = page.text(input.Number, { ...inBand, y: y + 2, size: 11, style: 'sansBold' });
  page.text(shortAddress(input), { ...inBand, y: y + 2, size: 7.5, min: 4.5, maxLines: 3 });
  const left = band + 52;
  const main = { x: left, width: width - left - 52 } as const;
  const hasLogo = page.logo(left, 46, { width: 220, height: 46, align: 'left' });
  if (hasLogo)
    page.text(texts.issuer, { ...inBand, y: inset + 8, size: 14, min: 8, maxLines: 4, style: 'sansBold' });
  else page.text(texts.issuer, { ...main, y: 56, size: 15, min: 8, colour: muted });
  if (texts.serial !== null)
    page.text(texts.serial, {
      ...{ ...main, y: 28, size: 8.5, min: 5, align: 'right', colour: muted },
    });
  const hasPictures = input.Signatures.some(({ Image }) => Image !== null);
  const line = height - (hasPictures ? 124 : 112);
  page.stack(
    [
      { gap: 0, text: texts.title, ...main, size: 24, min: 12, maxLines: 2, colour: shades.Text },
      {
        ...{ gap: 10, text: texts.name, ...main, size: 42, min: 14, maxLines: 2 },
        ...{ style: 'sansBold', colour: ink, lineHeight: 1.24 },
      },
      { gap: 18, text: texts.sentence, ...main, size: 15, min: 8, maxLines: 4, colour: muted },
      ...(texts.course === null
        ? []
        : [
            {
              style: 'sansBold' as const,
              ...{ gap: 4, text: texts.course, ...main, size: 25, min: 9, maxLines: 3 },
              ...{ colour: ink },
            },
          ]),
    ],
    { y: 150, bottom: line - 14 },
  );
  doc
    .lineWidth(0.8)
    .moveTo(left, line)
    .lineTo(width - 52, line)
    .stroke('#d8dde3');
  const dates = [
    [texts.dateLabel, texts.date],
    ...(texts.validUntil === null ? [] : [[texts.validUntilLabel, texts.validUntil]]),
  ];
  const columnWidth = Math.min(168, main.width / (dates.length + input.Signatures.length));
  const columnAt = (n: number) => ({ x: left + n * columnWidth, width: columnWidth - 20 });
  dates.forEach(([label = '', value = ''], n) => {
    page.text(label, { ...columnAt(n), y: line + 14, size: 9, colour: muted });
    page.text(value, { ...columnAt(n), y: line + 27, size: 12, min: 6, colour: ink });
  });
  input.Signatures.forEach(({ Name, Role, Image }, n) => {
    const column = columnAt(dates.length + n);
    page.signature(Image, column.x, line + 8, { width: column.width, height: 44, align: 'left' });
    const top = line + (hasPictures ? 56 : 14);
    const y = page.text(Name, {
      ...column,
      y: top,
      size: hasPictures ? 10 : 12,
      min: 7,
      maxLines: 2,
      colour: ink,
    });
    if (Role !== null) page.text(Role, { ...column, y, size: 9, min: 6, colour: muted });
  });
}

/** Large faint circles in the band. */
function drawRings(doc: PDFKit.PDFDocument, colour: string, height: number): void {
  doc.save().rect(0, 0, band, height).clip().lineWidth(26).strokeOpacity(0.09);
  for (const radius of [70, 130, 190]) doc.circle(band - 30, 150, radius).stroke(colour);
  doc.restore();
}
