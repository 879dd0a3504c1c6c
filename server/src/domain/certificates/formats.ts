import { ok, type RouteResponse } from '../../http/routes.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { safeName, type ZipEntry } from '../../lib/zip-stream.ts';
import { selectCertificates } from './certificates.ts';
import { credentialJwt, credentialWithProof } from './credential/sign.ts';
import { drawPdf } from './draw.ts';
import { draw } from './draw-thread.ts';
import { showNumber } from './record/number.ts';
import {
  type CertificateRow,
  type CertificateWithLogin,
  contentOf,
  statusOf,
  toCertificate,
} from './record/record.ts';

/** The formats of a certificate by media type. The first one is the default. */
export const formats = [
  'application/json',
  'application/pdf',
  'application/vc+jwt',
  'application/vc',
  'application/vc+ld+json',
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
  'application/vc': 'json',
  'application/vc+ld+json': 'json',
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

/** The PDF of a certificate, with its credential attached. */
export async function drawCertificate(ctx: TenantContext, row: CertificateRow): Promise<Buffer> {
  const attachment = {
    name: 'credential.jwt',
    type: 'application/vc+jwt',
    description: 'Open Badges 3.0 credential (VC-JWT)',
    content: new TextEncoder().encode(await credentialJwt(ctx, row)),
  };
  return drawPdf(ctx, row, [attachment]);
}

/** The certificate as a file, in any format but that of the API's records. */
async function contentAs(ctx: TenantContext, row: CertificateRow, format: Format): Promise<Buffer | string> {
  if (format === 'application/pdf') return drawCertificate(ctx, row);
  if (format === 'application/vc' || format === 'application/vc+ld+json')
    return Buffer.from(JSON.stringify(await credentialWithProof(ctx, row)));
  const credential = await credentialJwt(ctx, row);
  if (format !== 'image/png' && format !== 'image/svg+xml') return credential;
  const { Colour, CourseTitle: Title, Issuer } = contentOf(row);
  return draw({ badge: { Colour, Title, Issuer, credential, type: format } });
}

export async function respondAs(
  ctx: TenantContext,
  row: CertificateWithLogin,
  format: Format,
): Promise<RouteResponse> {
  if (format === 'application/json') return ok(toCertificate(ctx, row));
  return fileOf(row, format, await contentAs(ctx, row, format));
}

/** The PDFs of the selected certificates, named after the person and the course. A PDF does not say that it no longer counts. */
export async function* drawSelected(
  ctx: TenantContext,
  selection: Parameters<typeof selectCertificates>[1],
): AsyncGenerator<ZipEntry> {
  for await (const row of selectCertificates(ctx, selection)) {
    const { CourseTitle } = contentOf(row);
    const name = [row.name ?? '', CourseTitle].map(safeName).filter(Boolean).join(' – ');
    const status = statusOf(row, tenantNow(ctx));
    const folder = status === 'revoked' || status === 'replaced' ? `${status}/` : '';
    yield {
      name: `${folder}${name} – ${showNumber(row.number)}.pdf`,
      content: await drawCertificate(ctx, row),
      at: row.issued_at,
    };
  }
}
