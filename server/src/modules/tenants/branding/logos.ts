import { maxLogoSide } from '../../../../../standards/logo.ts';
import { Problem } from '../../../platform/errors.ts';

/** In a logo's URL. */
export const logoNameLength = 22;

/** Whatever the file contained before it was checked, browsers treat it only as an image. */
export const logoHeaders = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Content-Disposition': 'inline',
  'X-Content-Type-Options': 'nosniff',
};

export type Size = { width: number; height: number };

export function rejectLogo(detail: string): never {
  throw new Problem('validation_failed', detail, { param: 'Logo' });
}

export function rejectDamaged(): never {
  rejectLogo('The logo is incomplete or damaged. Save it again with an image editor.');
}

/** A small file can describe an image that takes gigabytes to draw. */
export function checkSize({ width, height }: Size): Size {
  if (width < 1 || height < 1 || width > maxLogoSide || height > maxLogoSide)
    rejectLogo(
      `The logo is ${width} × ${height} pixels. Use an image of at most ${maxLogoSide} × ${maxLogoSide} pixels.`,
    );
  return { width, height };
}
