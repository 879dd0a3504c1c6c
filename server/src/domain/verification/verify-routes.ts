import type { Readable } from 'node:stream';
import Type from 'typebox';
import { isNavigation } from '../../http/problems.ts';
import { ok, route } from '../../http/routes.ts';
import { beginWithin } from '../../infra/calls/limits.ts';
import { Problem } from '../../lib/errors.ts';
import { certificateNotFound, contentOf, toVerified } from '../certificates/record/record.ts';
import { CertificateNumber, FileCheck, VerifiedCertificate } from '../certificates/record/schemas.ts';
import { languageOf } from '../delivery/player/page-texts.ts';
import { checkFile, maxFileBytes } from './check-file.ts';
import { findByNumber } from './verify.ts';
import { checkPage, unknownNumberPage, verifyPage } from './verify-page.ts';

/** Nobody needs a key to check a certificate. */
const open = { tag: 'Certificates', access: 'anyone', scope: null } as const;

async function collect(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxFileBytes)
      throw new Problem('payload_too_large', 'The file is larger than 4 MiB, so it is not a certificate.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export const verifyRoutes = [
  route('GET /verify', 'openCertificateCheck', {
    ...open,
    summary: 'Open the page that checks certificates',
    description: 'A page for people, with a field for the number and a place to drop a file.',
    page: true,
    responses: { 200: { description: 'The page.', type: 'text/html' } },
    handle: async (_ctx, { request }) => checkPage(languageOf(request)),
  }),
  route('POST /verify', 'verifyCertificateFile', {
    ...open,
    summary: 'Check a file',
    description:
      'Checks the signature in a PDF, PNG, SVG, VC-JWT or JSON credential that a tenant of this service issued. Needs no key, and stores nothing.',
    bodyLimit: maxFileBytes,
    streams: {
      types: ['application/octet-stream'],
      description: 'The file, of up to 4 MiB.',
      examples: { 'application/octet-stream': '{"@context":["https://www.w3.org/ns/credentials/v2"]}' },
    },
    responses: { 200: { description: 'The result.', schema: FileCheck } },
    problems: ['payload_too_large'],
    events: [],
    audits: [],
    handle: async (ctx, { request }) => {
      const file = await collect(request.body as Readable);
      beginWithin(ctx, request, 'file_checks', 'anyone');
      return ok(await checkFile(ctx, file));
    },
  }),
  route('GET /verify/{Number}', 'verifyCertificate', {
    ...open,
    summary: 'Check a certificate',
    description:
      'Needs no key. Browsers get a page in the language of the reader, programs get JSON. Anyone who knows the number can see the name, the course, the dates and the issuer.',
    page: true,
    params: Type.Object({ Number: CertificateNumber }),
    responses: {
      200: {
        description: 'The certificate, whether it is valid or not.',
        schema: VerifiedCertificate,
        type: ['application/json', 'text/html'],
      },
    },
    problems: ['certificate_not_found'],
    handle: async (ctx, { params, request }) => {
      const found = await findByNumber(ctx, params.Number);
      const isPage = isNavigation(request);
      if (!found && isPage) return unknownNumberPage(languageOf(request));
      if (!found) throw certificateNotFound();
      const certificate = toVerified(found.ctx, found.row);
      return isPage
        ? verifyPage(languageOf(request), certificate, contentOf(found.row).TimeZone)
        : ok(certificate);
    },
  }),
];
