import { countTenantRows, pagesOf } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';
import { type CertificateRow, toCertificate } from './record/record.ts';

const matching = (max: number | string) => `
select own.certificate_id from certificate own where own.tenant_id = $1 and own.user_id = $2 limit ${max}`;

const anonymize = `
update certificate held set user_id = null, name = null, reason = null, content = held.content - 'LoginID' - 'Score'
where held.tenant_id = $1 and held.certificate_id = any(array(${matching(batchRows)})) returning 1`;

export const certificateData: PersonalData = {
  name: 'Certificates',
  tables: ['certificate'],
  erased: 'The name, the LoginID and the score on the certificates, and why any was revoked.',
  retained: {
    what: 'The numbers, courses and dates of the certificates, and whether they were revoked.',
    why: 'A certificate that was handed out can still be checked. The public page no longer shows a name.',
  },
  eraseForUser: async (ctx, { userId }) => {
    const values = [ctx.tenantId, userId];
    return batchOf((await run(ctx, { name: 'anonymize_certificates', text: anonymize, values })).length);
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
