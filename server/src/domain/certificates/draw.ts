import type { CertificateInput, DrawnCertificate } from '../../../../certificates/src/types.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { renderCertificate } from './draw-thread.ts';
import { showNumber } from './record/number.ts';
import { type CertificateRow, contentOf, verifyUrl } from './record/record.ts';

async function logoOf(ctx: TenantContext, name: string | null): Promise<CertificateInput['Logo']> {
  if (name === null) return null;
  const row = await ctx.db
    .selectFrom('certificate_logo')
    .select(['type', 'width', 'height', 'content'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row ?? null;
}

/** The same certificate gives the same bytes, because all that is drawn was stored when it was issued. */
export async function drawPdf(
  ctx: TenantContext,
  row: CertificateRow,
  attachments: CertificateInput['attachments'],
): Promise<DrawnCertificate> {
  const { LogoName, LoginID = null, ...content } = contentOf(row);
  return renderCertificate({
    ...content,
    Number: showNumber(row.number),
    VerifyURL: verifyUrl(ctx, row.number),
    Name: row.name,
    LoginID,
    IssuedAt: row.issued_at.toISOString(),
    CompletedAt: row.completed_at.toISOString(),
    ValidUntil: row.valid_until?.toISOString() ?? null,
    Logo: await logoOf(ctx, LogoName),
    attachments,
  });
}
