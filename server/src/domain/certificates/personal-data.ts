import { countTenantRows, pagesOf } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { batchOf, batchRows, type PersonalData, type Retained } from '../../infra/context/personal-data.ts';
import type { ErasedCertificates } from '../tenants/schemas.ts';
import { readTenant } from '../tenants/tenants.ts';
import { type CertificateRow, toCertificate } from './record/record.ts';
import { endOf } from './validity.ts';

const matching = (max: number | string) => `
select own.certificate_id from certificate own where own.tenant_id = $1 and own.user_id = $2 limit ${max}`;

/** Their number opens nothing, and their credential is revoked, because nobody can vouch for it any more. */
export const withdrawSql = `user_id = null, number = null, name = null, is_name_incomplete = false, reason = null, content = '{}', replaced_by = null,
  revoked_at = coalesce(held.revoked_at, $3), next_notice_at = null`;

const changes: Record<ErasedCertificates['Show'], string> = {
  name: 'user_id = null, next_notice_at = $3',
  course: `user_id = null, name = null, is_name_incomplete = false, reason = null, content = held.content - 'LoginID' - 'Score', next_notice_at = $3`,
  nothing: withdrawSql,
};

const eraseText = (show: ErasedCertificates['Show']) => `
update certificate held set ${changes[show]}
where held.tenant_id = $1 and held.certificate_id = any(array(${matching(batchRows)})) returning 1`;

/** What is shown of the certificates of somebody who is erased now, and until when. */
async function choiceOf(
  ctx: TenantContext,
): Promise<{ show: ErasedCertificates['Show']; until: Date | null }> {
  const { ErasedCertificates, TimeZone } = await readTenant(ctx, { tenantId: ctx.tenantId });
  const until = endOf({ ValidFor: ErasedCertificates.For }, tenantNow(ctx), TimeZone);
  return { show: ErasedCertificates.Show, until };
}

const erased = {
  name: 'The connection between the certificates and the user.',
  course: 'The name, the LoginID and the score on the certificates, and why any was revoked.',
  nothing: 'The certificates. Their numbers are unknown from now on, and their credentials are revoked.',
};
const retained: Record<ErasedCertificates['Show'], Retained> = {
  name: {
    what: 'The certificates as they were issued, with the name.',
    why: 'The tenant has decided that they can still be checked, with the name.',
  },
  course: {
    what: 'The numbers, courses and dates of the certificates, and whether they were revoked.',
    why: 'A certificate that was handed out can still be checked. The public page no longer shows a name.',
  },
  nothing: {
    what: 'The entries of the credentials in the list of revoked ones.',
    why: 'Copies of the credentials must not count as valid.',
  },
};

export const certificateData: PersonalData = {
  name: 'Certificates',
  tables: ['certificate'],
  erased: erased.course,
  retained: retained.course,
  describe: async (ctx) => {
    const { show, until } = await choiceOf(ctx);
    return {
      erased: erased[show],
      retained: { ...retained[show], until: show === 'nothing' ? null : until },
    };
  },
  eraseForUser: async (ctx, { userId }) => {
    const { show, until } = await choiceOf(ctx);
    const values = [ctx.tenantId, userId, show === 'nothing' ? tenantNow(ctx) : until];
    const done = await run(ctx, eraseText(show), values);
    return batchOf(done.length);
  },
  count: (ctx, { userId, max }) => countTenantRows(ctx, matching('$3'), [userId, max]),
  read: async function* (ctx, { userId, loginId }) {
    const pages = pagesOf<CertificateRow>(ctx, {
      table: 'certificate',
      of: { user_id: userId },
      key: ['certificate_id'],
      rows: 50,
    });
    for await (const page of pages)
      yield* page.map((row) => toCertificate(ctx, { ...row, login_id: loginId }));
  },
};
