import { ok, type RouteResponse } from '../../http/routes.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { bakedPng, bakedSvg } from './badge.ts';
import { credentialJwt } from './credential.ts';
import { drawPdf } from './draw.ts';
import { showNumber } from './number.ts';
import { type CertificateWithLogin, contentOf, toCertificate } from './record.ts';

/** The formats of a certificate by media type. The first one is the default. */
export const formats = [
  'application/json',
  'application/pdf',
  'application/vc+jwt',
  'image/png',
  'image/svg+xml',
] as const;
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

const extensions: Record<Format, string> = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/vc+jwt': 'jwt',
  'image/png': 'png',
  'image/svg+xml': 'svg',
};

/** A file with a name under which browsers save it. */
function fileOf(row: CertificateWithLogin, format: Format, body: Buffer | string): RouteResponse {
  const name = `certificate-${showNumber(row.number)}.${extensions[format]}`;
  return {
    status: 200,
    body,
    headers: { 'Content-Type': format, 'Content-Disposition': `attachment; filename="${name}"` },
  };
}

const attachmentOf = (credential: string) => ({
  name: 'credential.jwt',
  type: 'application/vc+jwt',
  description: 'Open Badges 3.0 credential (VC-JWT)',
  content: Buffer.from(credential),
});

export async function respondAs(
  ctx: TenantContext,
  row: CertificateWithLogin,
  format: Format,
): Promise<RouteResponse> {
  if (format === 'application/json') return ok(toCertificate(ctx, row));
  const credential = await credentialJwt(ctx, row);
  const { Colour: colour, CourseTitle: title } = contentOf(row);
  const bodies: Record<
    Exclude<Format, 'application/json'>,
    () => Promise<Buffer | string> | Buffer | string
  > = {
    'application/pdf': async () => (await drawPdf(ctx, row, [attachmentOf(credential)])).pdf,
    'application/vc+jwt': () => credential,
    'image/png': () => bakedPng({ colour, credential }),
    'image/svg+xml': () => bakedSvg({ colour, title, credential }),
  };
  return fileOf(row, format, await bodies[format]());
}
