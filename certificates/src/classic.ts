import { shadesOf } from '../../standards/contrast.ts';
import type { Page } from './page.ts';
import type { Texts } from './texts.ts';
import type { CertificateInput } from './types.ts';

const muted = '#5b6470';
const ink = '#20242a';

/** A framed page with serifs, everything centred. */
export function drawClassic(page: Page, input: CertificateInput, texts: Texts): void {
  const { doc, width, height } = page;
  const accent = input.Colour ? shadesOf(input.Colour, 'light').Text : '#1f3a5f';
  drawFrame(page, accent);
  const hasPictures = input.Signatures.some(({ Image }) => Image !== null);
  const middle = { x: 110, width: width - 220, align: 'center' } as const;
  const hasLogo = page.logo(middle.x, 58, { width: middle.width, height: 48, align: 'center' });
  if (!hasLogo) page.text(texts.issuer, { ...middle, y: 68, size: 15, min: 9, colour: muted });
  const foot = height - 118;
  page.stack(
    [
      {
        gap: 0,
        text: texts.title,
        ...middle,
        size: 42,
        min: 16,
        maxLines: 2,
        style: 'serif',
        colour: accent,
      },
      { gap: 12, height: 0, draw: (y) => drawOrnament(page, y, accent) },
      { gap: 22, text: texts.certifies, ...middle, size: 12, colour: muted },
      { gap: 8, text: texts.name, ...middle, size: 42, min: 13, maxLines: 2, style: 'serif', colour: ink },
      {
        gap: 5,
        height: 0,
        draw: (y) =>
          doc
            .lineWidth(0.5)
            .moveTo(width / 2 - 150, y)
            .lineTo(width / 2 + 150, y)
            .stroke('#c3c9d0'),
      },
      { gap: 15, text: texts.sentence, ...middle, size: 13, min: 8, maxLines: 3, colour: muted },
      ...(texts.course === null
        ? []
        : [
            {
              style: 'serif' as const,
              ...{ gap: 6, text: texts.course, ...middle, size: 26, min: 9, maxLines: 2 },
              ...{ colour: ink },
            },
          ]),
    ],
    { y: 120, bottom: foot - (hasPictures ? 32 : 14) },
  );
  page.qr(input.VerifyURL, 62, foot, 56);
  page.text(texts.check, { x: 128, y: foot + 4, width: 150, size: 9, colour: ink });
  page.text(input.Number, { x: 128, y: foot + 18, width: 150, size: 9, style: 'sansBold', colour: ink });
  page.text(shortAddress(input), {
    x: 128,
    y: foot + 32,
    width: 150,
    size: 7.5,
    min: 4.5,
    maxLines: 2,
    colour: muted,
  });
  if (texts.serial !== null)
    page.text(texts.serial, {
      ...{ x: width - 62 - 300, y: 46, width: 300, size: 8.5, min: 5 },
      ...{ align: 'right', colour: muted },
    });
  const columns = [
    [texts.dateLabel, texts.date],
    ...(texts.validUntil === null ? [] : [[texts.validUntilLabel, texts.validUntil]]),
  ];
  const signers =
    input.Signatures.length === 0 ? [{ Name: texts.issuer, Role: null, Image: null }] : input.Signatures;
  // Two signatures take a part of the middle.
  const signerWidth = signers.length === 1 ? 180 : 112;
  const right = width - 62 - signers.length * signerWidth - (signers.length - 1) * 14;
  const left = 278;
  const centre = Math.min(width / 2, (left + right) / 2);
  const columnWidth = Math.min(132, (2 * (right - centre)) / columns.length);
  const size = signers.length === 1 ? 11 : 9.5;
  columns.forEach(([label = '', value = ''], n) => {
    const x = centre + (n - columns.length / 2) * columnWidth;
    const column = { x: x + 11, width: columnWidth - 22, align: 'center' } as const;
    page.text(value, { ...column, y: foot + 14, size, min: 6, colour: ink });
    page.text(label, { ...column, y: foot + 33, size: 8.5, min: 6, colour: muted });
  });
  signers.forEach(({ Name, Role, Image }, n) => {
    const x = right + n * (signerWidth + 14);
    page.signature(Image, x, foot - 24, { width: signerWidth, height: 50, align: 'center' });
    doc
      .lineWidth(0.6)
      .moveTo(x, foot + 30)
      .lineTo(x + signerWidth, foot + 30)
      .stroke('#8a929c');
    const below = { x, width: signerWidth, align: 'center' } as const;
    const y = page.text(Name, {
      ...below,
      y: foot + 33,
      size: 9,
      min: 6,
      maxLines: 2,
      colour: Role === null ? muted : ink,
    });
    if (Role !== null) page.text(Role, { ...below, y, size: 8, min: 6, colour: muted });
  });
}

export const shortAddress = ({ VerifyURL }: CertificateInput) => VerifyURL.replace(/^https?:\/\//, '');

function drawFrame({ doc, width, height }: Page, accent: string): void {
  drawRosette(doc, width / 2, height / 2 + 6, accent);
  doc
    .lineWidth(2.4)
    .rect(22, 22, width - 44, height - 44)
    .stroke(accent);
  doc
    .lineWidth(0.5)
    .rect(30, 30, width - 60, height - 60)
    .stroke(accent);
  const corner = 20;
  for (const [x, y, dx, dy] of [
    [30, 30, 1, 1],
    [width - 30, 30, -1, 1],
    [30, height - 30, 1, -1],
    [width - 30, height - 30, -1, -1],
  ] as const) {
    doc.rect(x, y, dx * corner, dy * corner).fill('#ffffff');
    doc
      .lineWidth(0.5)
      .moveTo(x + dx * corner, y)
      .lineTo(x + dx * corner, y + dy * corner)
      .lineTo(x, y + dy * corner)
      .stroke(accent);
    doc
      .lineWidth(0.5)
      .rect(x + dx * 6, y + dy * 6, dx * 8, dy * 8)
      .fill(accent);
  }
}

/** A faint pattern of fine lines, as on securities. */
function drawRosette(doc: PDFKit.PDFDocument, x: number, y: number, accent: string): void {
  doc.save().lineWidth(0.35).strokeOpacity(0.1);
  for (const [petals, radius] of [
    [9, 168],
    [14, 118],
  ] as const) {
    for (let step = 0; step <= 360; step++) {
      const angle = (step / 360) * 2 * Math.PI * 5;
      const distance = radius * (0.72 + 0.28 * Math.cos((petals * angle) / 5));
      const point = [x + distance * Math.cos(angle), y + distance * Math.sin(angle)] as const;
      if (step === 0) doc.moveTo(...point);
      else doc.lineTo(...point);
    }
    doc.stroke(accent);
  }
  doc.restore();
}

function drawOrnament({ doc, width }: Page, y: number, accent: string): void {
  const x = width / 2;
  doc.lineWidth(0.7);
  for (const side of [-1, 1])
    doc
      .moveTo(x + side * 9, y)
      .lineTo(x + side * 70, y)
      .stroke(accent);
  doc
    .moveTo(x, y - 4)
    .lineTo(x + 4, y)
    .lineTo(x, y + 4)
    .lineTo(x - 4, y)
    .fill(accent);
}
