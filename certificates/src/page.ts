import PDFDocument from 'pdfkit';
import { encode } from 'uqr';
import { escapeXml } from './escape-xml.ts';
import type { LoadedFont, ParsedFont, Shaped, Style } from './fonts.ts';
import { fontsFor } from './fonts.ts';
import { type Fitted, fit, type Line, lineWidth } from './lines.ts';
import { openPicture } from './pictures.ts';
import type { CertificateInput, Picture } from './types.ts';

type Align = 'left' | 'center' | 'right';

export type TextBlock = {
  x: number;
  /** The top of the block. */
  y: number;
  width: number;
  size: number;
  min?: number;
  maxLines?: number;
  style?: Style;
  colour?: string;
  align?: Align;
  lineHeight?: number;
};

/** A page to draw on. Lengths are in points, from the top left corner. */
export type Page = {
  doc: PDFKit.PDFDocument;
  width: number;
  height: number;
  /** Draws text and returns its bottom. */
  text: (text: string, block: TextBlock) => number;
  /** Draws blocks below each other, each after a gap, and smaller if they would reach below `bottom`. */
  stack: (blocks: readonly StackedBlock[], area: { y: number; bottom: number }) => void;
  qr: (text: string, x: number, y: number, size: number) => void;
  logo: (x: number, y: number, box: Box) => boolean;
  /** Draws a picture at the foot of the box, if there is one. */
  signature: (picture: Picture | null, x: number, y: number, box: Box) => void;
};

type Box = { width: number; height: number; align: Align };

/** A text, or something else of a fixed height. */
export type StackedBlock = { gap: number } & (
  | ({ text: string } & Omit<TextBlock, 'y'>)
  | { height: number; draw: (y: number) => void }
);

/** pdfkit writes the texts of the XMP metadata as they are, so a title with `&` or `<` would not be XML. */
function escapeMetadata(doc: PDFKit.PDFDocument): void {
  // The cast names what pdfkit does last, after it has written these texts elsewhere.
  const own = doc as unknown as { info: Record<string, unknown>; endMetadata: () => void };
  const end = own.endMetadata.bind(doc);
  own.endMetadata = () => {
    for (const [name, text] of Object.entries(own.info))
      if (typeof text === 'string') own.info[name] = escapeXml(text);
    end();
  };
}

/** Copied text is wrong in these scripts unless the original text is given beside the glyphs. */
const needsActualText = /[\p{Script=Arabic}\p{Script=Thai}\p{Script=Devanagari}]/u;

/**
 * Draws a run with its own glyphs: pdfkit asks its font for the layout of a text. pdfkit's own layout is wrong in Thai
 * and Arabic. The cast names what pdfkit keeps of a font. A parsed font is used for all documents, and keeps the glyphs
 * that it has once made, so the characters of a glyph come from here.
 */
function useGlyphs(doc: PDFKit.PDFDocument, font: LoadedFont, glyphs: Shaped): void {
  doc.font(font.name);
  const { font: drawn } = (doc as unknown as { _font: { font: ParsedFont } })._font;
  font.parsed ??= drawn;
  drawn.layout = () => ({
    glyphs: glyphs.map(({ id, codePoints }) => ({
      ...{ id, codePoints },
      advanceWidth: drawn.getGlyph(id).advanceWidth,
    })),
    positions: glyphs.map(({ xAdvance, xOffset, yOffset }) => ({ xAdvance, yAdvance: 0, xOffset, yOffset })),
    advanceWidth: glyphs.reduce((sum, { xAdvance }) => sum + xAdvance, 0),
  });
}

export function openPage(input: CertificateInput, texts: string, title: string): Page {
  const doc = new PDFDocument({
    size: input.PaperSize === 'A4' ? 'A4' : 'LETTER',
    layout: 'landscape',
    margin: 0,
    // No standard font: they have no Unicode.
    font: null as unknown as string,
    pdfVersion: '1.7',
    subset: 'PDF/A-3b',
    lang: input.Language,
    displayTitle: true,
    info: {
      Title: [title, input.Name].filter(Boolean).join(' – '),
      Author: input.Issuer,
      Subject: input.CourseTitle,
      Keywords: input.Number,
      Creator: 'Lectern',
      Producer: 'Lectern',
      // The same certificate gives the same bytes.
      CreationDate: new Date(input.IssuedAt),
      ModDate: new Date(input.IssuedAt),
    },
  });
  escapeMetadata(doc);
  const registered = new Set<string>();
  const fontsOf = (style: Style) => {
    const fonts = fontsFor(style, texts);
    // pdfkit also takes fonts that it has parsed, which its types leave out.
    for (const { name, bytes, parsed } of fonts)
      if (!registered.has(name)) registered.add(name) && doc.registerFont(name, (parsed ?? bytes) as Buffer);
    return fonts;
  };
  const { width, height } = doc.page;
  const fitText = (text: string, block: Omit<TextBlock, 'y'>) => {
    const { size, min = 7, maxLines = 1, style = 'sans' } = block;
    return fit(fontsOf(style), text, { size, min, width: block.width, maxLines });
  };
  const heightOf = ({ lines, size }: Fitted, { lineHeight = usualLineHeight }: Omit<TextBlock, 'y'>) =>
    lines.length * size * lineHeight;
  const drawText: Page['text'] = (text, block) => {
    const { x, y, colour = '#1c2024', lineHeight = usualLineHeight } = block;
    const fitted = fitText(text, block);
    fitted.lines.forEach((line, n) => {
      const baseline = y + fitted.size * (lineHeight * n + (lineHeight + 0.72) / 2);
      drawLine(doc, line, { ...block, x, y: baseline, size: fitted.size, colour });
    });
    return y + heightOf(fitted, block);
  };
  return {
    doc,
    width,
    height,
    text: drawText,
    stack: (blocks, { y, bottom }) => {
      const heightAt = (scale: number) =>
        blocks.reduce((sum, block) => {
          const own =
            'text' in block ? heightOf(fitText(block.text, scaled(block, scale)), block) : block.height;
          return sum + block.gap * scale + own;
        }, y);
      let scale = 1;
      while (heightAt(scale) > bottom && scale > 0.4) scale -= 0.05;
      let at = y;
      for (const block of blocks) {
        at += block.gap * scale;
        if ('text' in block) at = drawText(block.text, { ...scaled(block, scale), y: at });
        else {
          block.draw(at);
          at += block.height;
        }
      }
    },
    qr: (text, x, y, size) => drawCode(doc, text, x, y, size),
    logo: (x, y, box) => drawPicture(doc, input.Logo, x, y, { ...box, valign: 'center' }),
    signature: (picture, x, y, box) => void drawPicture(doc, picture, x, y, { ...box, valign: 'bottom' }),
  };
}

const usualLineHeight = 1.36;

const scaled = <B extends { size: number; min?: number }>(block: B, scale: number): B => ({
  ...block,
  size: block.size * scale,
  min: Math.min(block.min ?? 7, block.size * scale),
});

function drawLine(
  doc: PDFKit.PDFDocument,
  line: Line,
  { x, y, width, size, colour, align }: TextBlock & { colour: string },
): void {
  const free = width - lineWidth(line, size);
  let at = x + (align === 'center' ? free / 2 : align === 'right' ? free : 0);
  for (const run of line.runs) {
    useGlyphs(doc, run.font, run.glyphs);
    const advance = lineWidth({ runs: [run], isRightToLeft: false }, size);
    const isMarked = needsActualText.test(run.text);
    if (isMarked) doc.markContent('Span', { actual: run.text });
    doc
      .fontSize(size)
      .fillColor(colour)
      .text(run.text, at, y, { lineBreak: false, features: [], baseline: 'alphabetic' });
    if (isMarked) doc.endMarkedContent();
    at += advance;
  }
}

function drawCode(doc: PDFKit.PDFDocument, text: string, x: number, y: number, size: number): void {
  const { data } = encode(text, { ecc: 'M', border: 0 });
  const module = size / data.length;
  for (const [row, cells] of data.entries())
    for (let start = 0; start < cells.length; start++) {
      if (!cells[start]) continue;
      let end = start;
      while (cells[end]) end++;
      doc.rect(x + start * module, y + row * module, (end - start) * module, module);
      start = end;
    }
  doc.fill('#000000');
}

/** Returns false if there is no picture that a PDF can show: PNG and JPEG, but not WebP. */
function drawPicture(
  doc: PDFKit.PDFDocument,
  picture: Picture | null,
  x: number,
  y: number,
  { width, height, align, valign }: Box & { valign: 'center' | 'bottom' },
): boolean {
  if (!picture || !/png|jpeg/.test(picture.type)) return false;
  try {
    const opened = openPicture(doc, picture);
    doc.image(opened, x, y, { fit: [width, height], align, valign } as object);
    // PDF/A permits CMYK only with a profile of the printer, which nobody knows, so the file does not claim it.
    if (opened.colorSpace === 'DeviceCMYK') Object.assign(doc, { subset: null });
    return true;
  } catch {
    // An issued certificate must always be drawn.
    return false;
  }
}
