import type { TenantContext } from '../../../infra/context/context.ts';
import { type CertificateRow, contentOf, verifyUrl } from '../record/record.ts';
import { issuerDid } from './did.ts';

const issuerUrl = (ctx: TenantContext) => `${ctx.config.baseUrl}/issuer/${encodeURIComponent(ctx.tenantId)}`;
/** Verifiers want the list and the credential to have the same issuer. */
export const listUrl = (ctx: TenantContext, list: number, domain?: string) =>
  `${issuerUrl(ctx)}/status/${list}${domain === undefined ? '' : `?Domain=${domain}`}`;

/** Without milliseconds, because some libraries write `.000` where there was none, which breaks a proof. */
export const seconds = (at: Date) => at.toISOString().replace(/\.\d+Z$/, 'Z');

/** The certificate as an Open Badges 3.0 credential (W3C VC Data Model 2.0). Its terms are in its two contexts. */
export function credentialOf(ctx: TenantContext, row: CertificateRow) {
  const content = contentOf(row);
  const { CourseTitle, Issuer, Title, Score, IssuerDomain } = content;
  const entry = String(row.status_index);
  const list = listUrl(ctx, row.status_list, IssuerDomain);
  return {
    '@context': [
      'https://www.w3.org/ns/credentials/v2',
      'https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json',
    ],
    id: verifyUrl(ctx, row.number),
    type: ['VerifiableCredential', 'OpenBadgeCredential'],
    issuer: { id: issuerDid(ctx, content), type: ['Profile'], name: Issuer },
    validFrom: seconds(row.issued_at),
    ...(row.valid_until && { validUntil: seconds(row.valid_until) }),
    name: Title ?? CourseTitle,
    credentialSubject: {
      // Learners have no DID.
      id: `urn:uuid:${row.certificate_id}`,
      type: ['AchievementSubject'],
      ...(row.name !== null && {
        identifier: [{ type: 'IdentityObject', identityHash: row.name, identityType: 'name', hashed: false }],
      }),
      activityEndDate: seconds(row.completed_at),
      achievement: {
        id: `${issuerUrl(ctx)}/course/${encodeURIComponent(row.course_id)}`,
        type: ['Achievement'],
        name: CourseTitle,
        description: CourseTitle,
        criteria: { narrative: `The course “${CourseTitle}” with the result ${content.Outcome}.` },
        ...(Score !== null && {
          resultDescription: [
            {
              id: `urn:uuid:${row.certificate_id}#score`,
              type: ['ResultDescription'],
              name: 'Score',
              resultType: 'Percent',
            },
          ],
        }),
      },
      ...(Score !== null && {
        result: [
          {
            type: ['Result'],
            resultDescription: `urn:uuid:${row.certificate_id}#score`,
            value: String(Score),
          },
        ],
      }),
    },
    credentialStatus: {
      id: `${list}#${entry}`,
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex: entry,
      statusListCredential: list,
    },
  };
}
