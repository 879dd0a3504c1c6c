import { decodePng } from './png.ts';
import type { Picture } from './types.ts';

/** What pdfkit draws: an object of the document, with its name on the page. */
type Drawable = PDFKit.Mixins.ImageSrc & { colorSpace?: string };

/** The header has the colour type in byte 25, and whether the image is interlaced in byte 28. */
const isOpaque = (png: Buffer) => (png[25] ?? 0) < 4 && png[28] === 0 && !png.includes('tRNS');

/**
 * pdfkit decodes these PNGs in the background, and adds them in the order in which they are ready, so that the bytes
 * change. An error there ends the thread. In images with fewer than 256 colours, it misreads transparency.
 */
function addPng(doc: PDFKit.PDFDocument, png: Buffer): Drawable {
  const { width, height, colours, opacity } = decodePng(png);
  const add = (entries: object, pixels: Buffer) => {
    const size = { Width: width, Height: height, BitsPerComponent: 8 };
    const image = doc.ref({ Type: 'XObject', Subtype: 'Image', ...size, ...entries });
    image.end(pixels);
    return image;
  };
  const SMask = add({ ColorSpace: 'DeviceGray' }, opacity);
  const obj = add({ ColorSpace: 'DeviceRGB', SMask }, colours);
  return { width, height, obj, label: `Picture${obj.id}` } as object as Drawable;
}

export function openPicture(doc: PDFKit.PDFDocument, { type, content }: Picture): Drawable {
  const bytes = Buffer.from(content);
  if (type === 'image/png' && !isOpaque(bytes)) return addPng(doc, bytes);
  // pdfkit's types leave this method out.
  return (doc as unknown as { openImage: (bytes: Buffer) => Drawable }).openImage(bytes);
}
