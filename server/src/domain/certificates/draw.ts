import type { CertificateInput } from '../../../../certificates/src/types.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { draw } from './draw-thread.ts';
import { showNumber } from './record/number.ts';
import { type CertificateRow, contentOf, verifyUrl } from './record/record.ts';
import { drawnSignatures, findImage } from './signatures.ts';

/** The same certificate gives the same bytes, because all that is drawn was stored when it was issued. */
export async function drawPdf(
  ctx: TenantContext,
  row: CertificateRow,
  attachments: CertificateInput['attachments'],
): Promise<Buffer> {
  const { LogoName, LoginID = null, Signatures, IssuerDomain: _, ...content } = contentOf(row);
  const certificate: CertificateInput = {
    ...content,
    Number: showNumber(row.number),
    VerifyURL: verifyUrl(ctx, row.number),
    Name: row.name,
    LoginID,
    IssuedAt: row.issued_at.toISOString(),
    CompletedAt: row.completed_at.toISOString(),
    ValidUntil: row.valid_until?.toISOString() ?? null,
    Logo: await findImage(ctx, LogoName),
    Signatures: await drawnSignatures(ctx, Signatures),
    attachments,
  };
  return draw({ certificate });
}
