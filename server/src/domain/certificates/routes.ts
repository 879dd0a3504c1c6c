import Type from 'typebox';
import { CountedPageOf, countQuery, orderQuery, PageOf, pageQuery } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { zipOf } from '../../lib/zip-stream.ts';
import { CourseID } from '../catalogue/schemas.ts';
import { EnrollID } from '../enrolments/record/schemas.ts';
import { Tenant } from '../tenants/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import { issueEarlier } from './back-issue.ts';
import {
  findOfEnrolment,
  listCertificates,
  readCertificate,
  reissueCertificate,
  revokeCertificate,
} from './certificates.ts';
import { acceptedFormat, drawSelected, formats, respondAs } from './formats.ts';
import { drawSample } from './preview.ts';
import { numberExample } from './record/number.ts';
import {
  BackIssue,
  Certificate,
  CertificateNumber,
  CertificateTemplate,
  CertificateTemplateChange,
  certificateFilter,
  Reissue,
  Revocation,
  SigningKeys,
} from './record/schemas.ts';
import { rotateKeys } from './rotate-keys.ts';
import { deleteTemplate, putTemplate, readTemplate } from './templates.ts';

const reading = { tag: 'Certificates', access: 'tenant', scope: 'certificates:read' } as const;
const writing = { tag: 'Certificates', access: 'tenant', scope: 'certificates:write' } as const;

const params = Type.Object({ Number: CertificateNumber });
const ofCourse = {
  params: Type.Object({ CourseID }),
} as const;

export const certificateRoutes = [
  route('PUT /certificate/template/{CourseID}', 'putCertificateTemplate', {
    ...writing,
    ...ofCourse,
    summary: 'Create or change your own certificates for a course',
    description:
      "Replaces the `Certificate` of the course for your tenant. It applies to results from now on. Fields that you leave out keep their values; those of a new template are the course's. The logo and the colour are those of the tenant's branding.",
    example: ['On', 'ValidFor', 'Layout'],
    body: CertificateTemplateChange,
    responses: { 200: { description: 'The template.', schema: CertificateTemplate } },
    problems: ['course_not_found'],
    events: [],
    audits: ['certificate_template.changed'],
    handle: async (ctx, { params, body }) => ok(await putTemplate(ctx, params.CourseID, body)),
  }),
  route('GET /certificate/template/{CourseID}', 'readCertificateTemplate', {
    ...reading,
    ...ofCourse,
    summary: 'Read your template for the certificates of a course',
    description: 'Certificates that were issued earlier keep the texts and the design they had then.',
    responses: { 200: { description: 'The template.', schema: CertificateTemplate } },
    problems: ['template_not_found'],
    handle: async (ctx, { params }) => ok(await readTemplate(ctx, params.CourseID)),
  }),
  route('DELETE /certificate/template/{CourseID}', 'deleteCertificateTemplate', {
    ...writing,
    ...ofCourse,
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
  route('POST /certificate/template/{CourseID}/preview', 'previewCertificateTemplate', {
    ...writing,
    summary: 'Draw a certificate with a template that is not saved',
    description:
      'Draws a PDF with the longest name of your tenant, a score of 92 and the present day. Nothing is stored, and the number on it is not valid.',
    params: ofCourse.params,
    query: Fields({
      Language: Type.Optional({
        ...Tenant.properties.Language,
        description: 'The language of the sample. The default is that of the tenant.',
      }),
    }),
    body: CertificateTemplateChange,
    example: ['Layout'],
    responses: { 200: { description: 'The PDF.', type: 'application/pdf' } },
    problems: ['course_not_found'],
    events: [],
    audits: [],
    handle: async (ctx, { params, query, body }) => ({
      status: 200,
      body: await drawSample(ctx, { courseId: params.CourseID, language: query.Language }, body),
      headers: { 'Content-Type': 'application/pdf' },
    }),
  }),
  route('GET /certificate', 'listCertificates', {
    ...reading,
    summary: 'List certificates',
    description: 'In the order in which they were issued.',
    query: Fields({
      ...pageQuery,
      ...orderQuery,
      ...countQuery,
      ...certificateFilter,
    }),
    responses: { 200: { description: 'A page of certificates.', schema: CountedPageOf(Certificate) } },
    problems: ['user_not_found'],
    handle: async (ctx, { query }) => ok(await listCertificates(ctx, query)),
  }),
  route('GET /certificate/zip', 'downloadCertificates', {
    ...reading,
    summary: 'Download certificates as a zip of PDFs',
    description:
      'Those that match the filters, or those with the given numbers. Revoked and replaced ones are in folders of their own. The zip is streamed.',
    query: Fields({
      ...certificateFilter,
      Numbers: Type.Optional(
        Type.String({
          maxLength: 4000,
          examples: [numberExample],
          description: 'Up to 200 numbers, separated by commas.',
        }),
      ),
    }),
    streamsResponse: true,
    responses: { 200: { description: 'The PDFs.', type: 'application/zip' } },
    problems: ['user_not_found'],
    handle: async (ctx, { query }) => ({
      status: 200,
      body: zipOf(drawSelected(ctx, query)),
      headers: {
        'Content-Type': 'application/zip',
        'Content-Disposition': 'attachment; filename="certificates.zip"',
      },
    }),
  }),
  route('POST /certificate/template/{CourseID}/issue', 'issueEarlierCertificates', {
    ...writing,
    summary: 'Issue certificates for earlier results',
    description:
      "For people who reached the result before the course had a rule, and have no certificate for the course: one for each person's latest result, under the present rule. The end counts from the day of the result. With `Plan=true`, only counts them.",
    params: Type.Object({ CourseID }),
    query: Fields({
      Plan: Type.Optional(
        Type.Boolean({ description: 'If true, nothing is issued, and the response says how many would be.' }),
      ),
    }),
    responses: { 200: { description: 'How many certificates were issued.', schema: BackIssue } },
    problems: ['course_not_found'],
    events: ['certificate.issued'],
    audits: ['certificate.issued_earlier'],
    handle: async (ctx, { params, query }) =>
      ok(await issueEarlier(ctx, { courseId: params.CourseID, plan: query.Plan === true })),
  }),
  route('POST /certificate/key', 'rotateCertificateKeys', {
    ...writing,
    summary: 'Rotate the keys that sign certificates',
    description:
      'Creates and publishes the next keys. They sign certificates from `SignsFrom`, a day later, so that verifiers with a cached document know them by then. Certificates that were issued earlier keep their signatures, and former keys stay published.',
    responses: { 201: { description: 'The keys.', schema: SigningKeys } },
    events: [],
    audits: ['certificate_key.rotated'],
    handle: async (ctx) => ({ status: 201, body: await rotateKeys(ctx) }),
  }),
  route('GET /certificate/user/{LoginID}', 'listCertificatesOfUser', {
    ...reading,
    summary: "List a user's certificates",
    description: 'In the order in which they were issued. Learners can read their own.',
    allowsLearners: true,
    params: Type.Object({ LoginID }),
    query: Fields({ ...pageQuery, ...orderQuery }),
    responses: { 200: { description: 'A page of certificates.', schema: PageOf(Certificate) } },
    problems: ['user_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await listCertificates(ctx, { ...query, LoginID: params.LoginID })),
  }),
  route('GET /certificate/{Number}', 'readCertificate', {
    ...reading,
    summary: 'Read a certificate',
    description: 'By its number, also if it was revoked or replaced.',
    params,
    responses: { 200: { description: 'The certificate.', schema: Certificate } },
    problems: ['certificate_not_found'],
    handle: async (ctx, { params }) => ok(await readCertificate(ctx, params.Number)),
  }),
  route('POST /certificate/{Number}/revoke', 'revokeCertificate', {
    ...writing,
    summary: 'Revoke a certificate',
    description: 'It stays, and its public page says that it was revoked. This cannot be undone.',
    params,
    body: Revocation,
    responses: {
      200: {
        description: 'The revoked certificate.',
        schema: Certificate,
        example: {
          ...{ Status: 'revoked', RevokedAt: '2026-02-28T09:00:00Z', Reason: 'Issued for the wrong person.' },
        },
      },
    },
    problems: ['certificate_not_found'],
    events: ['certificate.revoked'],
    audits: ['certificate.revoked'],
    handle: async (ctx, { params, body }) => ok(await revokeCertificate(ctx, params.Number, body)),
  }),
  route('POST /certificate/{Number}/reissue', 'reissueCertificate', {
    ...writing,
    summary: 'Issue a corrected certificate',
    description:
      "The new certificate has the person's name, the title of the course and the texts and layout of today, and the same dates. The former one is revoked and refers to it. A certificate that was revoked before is only reissued if you ask for it with `IfRevoked`, because the new one is valid.",
    params,
    body: Reissue,
    responses: { 201: { description: 'The new certificate.', schema: Certificate } },
    problems: ['certificate_not_found', 'certificate_revoked'],
    events: ['certificate.issued', 'certificate.revoked'],
    audits: ['certificate.reissued'],
    handle: async (ctx, { params, body }) => ({
      status: 201,
      body: await reissueCertificate(ctx, params.Number, body),
    }),
  }),
  route('GET /enrolment/{LoginID}/{EnrollID}/certificate', 'readCertificateOfEnrolment', {
    ...reading,
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
];
