import { createHash } from 'node:crypto';
import { type LogoType, maxLogoBytes } from '../../../../../standards/logo.ts';
import { jpegStart, readJpeg } from './jpeg.ts';
import { logoNameLength, rejectLogo, type Size } from './logos.ts';
import { pngSignature, readPng } from './png.ts';
import { isWebp, readWebp } from './webp.ts';

/** `name` changes with the content, so a logo's URL can be cached forever. */
export type Logo = Size & { type: LogoType; name: string; content: Buffer };

const startsWith = (bytes: Buffer, start: Buffer) => bytes.subarray(0, start.length).equals(start);

function readImage(bytes: Buffer): Size & { type: LogoType; content: Buffer } {
  if (startsWith(bytes, pngSignature)) return { type: 'image/png', ...readPng(bytes) };
  if (startsWith(bytes, jpegStart)) return { type: 'image/jpeg', ...readJpeg(bytes) };
  if (isWebp(bytes)) return { type: 'image/webp', ...readWebp(bytes) };
  return rejectLogo('The logo is not a PNG, JPEG or WebP image. Save it in one of these formats.');
}

/**
 * Recognises the image by its bytes, checks it, and keeps only what a browser needs to show it. The result contains
 * no metadata and no other file.
 */
export function readLogo(bytes: Buffer): Logo {
  if (bytes.length > maxLogoBytes)
    rejectLogo(
      `The logo is larger than ${maxLogoBytes / 1024} KiB. Reduce its size or its number of colours.`,
    );
  const image = readImage(bytes);
  const name = createHash('sha256').update(image.content).digest('base64url').slice(0, logoNameLength);
  return { ...image, name };
}
