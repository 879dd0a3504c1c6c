import Type from 'typebox';
import { CountedPageOf, countQuery, orderQuery, pageQuery } from '../../http/pagination.ts';
import { isNavigation } from '../../http/problems.ts';
import { ok, route } from '../../http/routes.ts';
import { Fields, OneOf } from '../../http/validation/schema.ts';
import { CourseID } from '../catalogue/schemas.ts';
import { languageOf } from '../delivery/player/page-texts.ts';
import { EnrollID } from '../enrolments/record/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import {
  findOfEnrolment,
  listCertificates,
  readCertificate,
  reissueCertificate,
  revokeCertificate,
} from './certificates.ts';
import { acceptedFormat, formats, respondAs } from './formats.ts';
import { certificateNotFound, contentOf, toVerified } from './record.ts';
import {
  Certificate,
  CertificateNumber,
  CertificateTemplate,
  CertificateTemplateChange,
  certificateStatuses,
  Revocation,
  VerifiedCertificate,
} from './schemas.ts';
import { deleteTemplate, putTemplate, readTemplate } from './templates.ts';
import { findByNumber } from './verify.ts';
import { unknownNumberPage, verifyPage } from './verify-page.ts';

const reading = { tag: 'Certificates', access: 'tenant', scope: 'certificates:read' } as const;
const writing = { tag: 'Certificates', access: 'tenant', scope: 'certificates:write' } as const;

const params = Type.Object({ Number: CertificateNumber });
const ofCourse = {
  path: '/certificate/template/{CourseID}',
  params: Type.Object({ CourseID }),
} as const;

export const certificateRoutes = [
  route({
    ...writing,
    ...ofCourse,
    method: 'PUT',
    name: 'putCertificateTemplate',
    summary: 'Create or change your own certificates for a course',
    description:
      "Replaces the `Certificate` of the course for your tenant. It applies to results from now on. Fields that you leave out keep their values. The logo and the colour are those of the tenant's branding.",
    example: ['On', 'ValidFor', 'Layout'],
    body: CertificateTemplateChange,
    responses: { 200: { description: 'The template.', schema: CertificateTemplate } },
    problems: ['course_not_found'],
    events: [],
    audits: ['certificate_template.changed'],
    handle: async (ctx, { params, body }) => ok(await putTemplate(ctx, params.CourseID, body)),
  }),
  route({
    ...reading,
    ...ofCourse,
    method: 'GET',
    name: 'readCertificateTemplate',
    summary: 'Read your template for the certificates of a course',
    description: 'Certificates that were issued earlier keep the texts and the design they had then.',
    responses: { 200: { description: 'The template.', schema: CertificateTemplate } },
    problems: ['template_not_found'],
    handle: async (ctx, { params }) => ok(await readTemplate(ctx, params.CourseID)),
  }),
  route({
    ...writing,
    ...ofCourse,
    method: 'DELETE',
    name: 'deleteCertificateTemplate',
    summary: 'Delete your template for the certificates of a course',
    description: 'New certificates follow the `Certificate` of the course again. Issued ones do not change.',
    responses: { 204: { description: 'Deleted.' } },
    problems: ['template_not_found'],
    events: [],
    audits: ['certificate_template.deleted'],
    handle: async (ctx, { params }) => {
      await deleteTemplate(ctx, params.CourseID);
      return { status: 204 };
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path: '/certificate',
    name: 'listCertificates',
    summary: 'List certificates',
    description: 'In the order in which they were issued.',
    query: Fields({
      ...pageQuery,
      ...orderQuery,
      ...countQuery,
      CourseID: Type.Optional(CourseID),
      LoginID: Type.Optional(LoginID),
      Status: Type.Optional(OneOf(certificateStatuses)),
    }),
    responses: { 200: { description: 'A page of certificates.', schema: CountedPageOf(Certificate) } },
    problems: ['user_not_found'],
    handle: async (ctx, { query }) => ok(await listCertificates(ctx, query)),
  }),
  route({
    ...reading,
    method: 'GET',
    path: '/certificate/{Number}',
    name: 'readCertificate',
    summary: 'Read a certificate',
    description: 'By its number, also if it was revoked or replaced.',
    params,
    responses: { 200: { description: 'The certificate.', schema: Certificate } },
    problems: ['certificate_not_found'],
    handle: async (ctx, { params }) => ok(await readCertificate(ctx, params.Number)),
  }),
  route({
    ...writing,
    method: 'POST',
    path: '/certificate/{Number}/revoke',
    name: 'revokeCertificate',
    summary: 'Revoke a certificate',
    description: 'It stays, and its public page says that it was revoked. This cannot be undone.',
    params,
    body: Revocation,
    responses: { 200: { description: 'The revoked certificate.', schema: Certificate } },
    problems: ['certificate_not_found'],
    events: ['certificate.revoked'],
    audits: ['certificate.revoked'],
    handle: async (ctx, { params, body }) => ok(await revokeCertificate(ctx, params.Number, body)),
  }),
  route({
    ...writing,
    method: 'POST',
    path: '/certificate/{Number}/reissue',
    name: 'reissueCertificate',
    summary: 'Issue a corrected certificate',
    description:
      "The new certificate has the person's present name, the present title of the course and the same dates. The former one is revoked and refers to it.",
    params,
    body: Revocation,
    responses: { 201: { description: 'The new certificate.', schema: Certificate } },
    problems: ['certificate_not_found', 'certificate_revoked'],
    events: ['certificate.issued', 'certificate.revoked'],
    audits: ['certificate.reissued'],
    handle: async (ctx, { params, body }) => ({
      status: 201,
      body: await reissueCertificate(ctx, params.Number, body),
    }),
  }),
  route({
    ...reading,
    method: 'GET',
    path: '/enrolment/{LoginID}/{EnrollID}/certificate',
    name: 'readCertificateOfEnrolment',
    summary: 'Read the newest certificate of an enrolment',
    description: 'It exists as soon as the result has been stored.',
    allowsLearners: true,
    params: Type.Object({ LoginID, EnrollID }),
    responses: {
      200: { description: 'The certificate, in the format of `Accept`.', schema: Certificate, type: formats },
    },
    problems: ['enrolment_not_found', 'certificate_not_found'],
    handle: async (ctx, { params, request }) => {
      const row = await findOfEnrolment(ctx, { loginId: params.LoginID, enrollId: params.EnrollID });
      return respondAs(ctx, row, acceptedFormat(request.headers.accept));
    },
  }),
  route({
    tag: 'Certificates',
    access: 'anyone',
    scope: null,
    method: 'GET',
    path: '/verify/{Number}',
    name: 'verifyCertificate',
    summary: 'Check a certificate',
    description:
      'Needs no key. Browsers get a page in the language of the reader, programs get JSON. Anyone who knows the number can see the name, the course, the dates and the issuer.',
    page: true,
    params,
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
