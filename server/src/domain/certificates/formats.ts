import { ok, type RouteResponse } from '../../http/routes.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { drawPdf } from './draw.ts';
import { showNumber } from './number.ts';
import { type CertificateWithLogin, toCertificate } from './record.ts';

/** The formats of a certificate by media type. The first one is the default. */
export const formats = ['application/json', 'application/pdf'] as const;
type Format = (typeof formats)[number];

/** The format that the caller prefers. Earlier types win among those with the same quality (RFC 9110 §12.5.1). */
export function acceptedFormat(accept: string | undefined): Format {
  const wanted = (accept ?? '')
    .toLowerCase()
    .split(',', 20)
    .map((part) => {
      const [type = '', ...parameters] = part.split(';').map((text) => text.trim());
      const quality = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
      return { type, quality: Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  const found = wanted.flatMap(({ type }) => formats.find((format) => format === type) ?? []);
  return found[0] ?? formats[0];
}

const extensions: Record<Format, string> = { 'application/json': 'json', 'application/pdf': 'pdf' };

/** A file with a name under which browsers save it. */
function fileOf(row: CertificateWithLogin, format: Format, body: Buffer | string): RouteResponse {
  const name = `certificate-${showNumber(row.number)}.${extensions[format]}`;
  return {
    status: 200,
    body,
    headers: { 'Content-Type': format, 'Content-Disposition': `attachment; filename="${name}"` },
  };
}

export async function respondAs(
  ctx: TenantContext,
  row: CertificateWithLogin,
  format: Format,
): Promise<RouteResponse> {
  if (format === 'application/json') return ok(toCertificate(ctx, row));
  return fileOf(row, format, (await drawPdf(ctx, row, [])).pdf);
}
