import type { Selectable } from 'kysely';
import type { CertificateTable } from '../../../db/engine/generated.ts';
import { recordOf } from '../../../http/records.ts';
import { path } from '../../../http/routes.ts';
import { type Context, type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { showNumber } from './number.ts';
import { Certificate, type CertificateStatus, type Content, type VerifiedCertificate } from './schemas.ts';

/** Rows without a number were withdrawn; only the list of revoked credentials reads them. */
export type CertificateRow = Selectable<CertificateTable> & { number: string };
export type CertificateWithLogin = CertificateRow & { login_id: string | null };

/** Only `issue.ts` writes the column. */
export const contentOf = (row: Pick<CertificateRow, 'content'>) => row.content as Content;

type State = Pick<CertificateRow, 'revoked_at' | 'replaced_by' | 'valid_until'>;

export function statusOf(row: State, now: Date): CertificateStatus {
  if (row.revoked_at) return 'revoked';
  if (row.replaced_by) return 'replaced';
  return row.valid_until !== null && row.valid_until <= now ? 'expired' : 'valid';
}

/** `statusOf` as an SQL condition on `held`. */
export function isStatusSql(status: CertificateStatus, now: () => string): string {
  if (status === 'revoked') return 'held.revoked_at is not null';
  if (status === 'replaced') return 'held.replaced_by is not null and held.revoked_at is null';
  const end =
    status === 'expired'
      ? `held.valid_until <= ${now()}`
      : `(held.valid_until is null or held.valid_until > ${now()})`;
  return `held.revoked_at is null and held.replaced_by is null and ${end}`;
}

export const verifyUrl = (ctx: Context, number: string) =>
  `${ctx.config.baseUrl}${path`/verify/${showNumber(number)}`}`;

const times = (row: CertificateRow) => ({
  IssuedAt: row.issued_at.toISOString(),
  CompletedAt: row.completed_at.toISOString(),
  ValidUntil: row.valid_until?.toISOString() ?? null,
  RevokedAt: row.revoked_at?.toISOString() ?? null,
  ReplacedBy: row.replaced_by === null ? null : showNumber(row.replaced_by),
});

export function toCertificate(ctx: TenantContext, row: CertificateWithLogin): Certificate {
  return recordOf(Certificate, row, {
    Number: showNumber(row.number),
    Status: statusOf(row, tenantNow(ctx)),
    NameIncomplete: row.is_name_incomplete,
    CourseTitle: contentOf(row).CourseTitle,
    Issuer: contentOf(row).Issuer,
    ...times(row),
    Serial: contentOf(row).Serial,
    VerifyURL: verifyUrl(ctx, row.number),
  });
}

export function toVerified(ctx: TenantContext, row: CertificateRow): VerifiedCertificate {
  const { CourseTitle, Issuer } = contentOf(row);
  return {
    Number: showNumber(row.number),
    Status: statusOf(row, tenantNow(ctx)),
    Name: row.name,
    CourseTitle,
    Issuer,
    ...times(row),
    Reason: row.shows_reason ? row.reason : null,
  };
}

export function certificateNotFound(): Problem {
  return new Problem(
    'certificate_not_found',
    'There is no such certificate. Check the number, or see GET /certificate.',
    { param: 'Number' },
  );
}
