import { ownRows, updateOwn } from '../../db/own-rows.ts';
import type { Condition } from '../../db/page.ts';
import { parametersAfter, run, transaction } from '../../db/transaction.ts';
import { type Order, type PageQuery, pageById } from '../../http/pagination.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { lowestId } from '../../lib/ids.ts';
import { appendAudit } from '../audit/chain.ts';
import type { CertificateRule } from '../catalogue/certificate-rule.ts';
import { readEnrolment } from '../enrolments/list.ts';
import { appendEvents } from '../events/append.ts';
import { findUserId, userNotFound } from '../users/users.ts';
import { issueDue, issueNow } from './issue.ts';
import { readNumber, showNumber } from './record/number.ts';
import {
  type CertificateRow,
  type CertificateWithLogin,
  certificateNotFound,
  contentOf,
  isStatusSql,
  toCertificate,
} from './record/record.ts';
import type { Certificate, CertificateFilter, Reissue, Revocation, TemplateRule } from './record/schemas.ts';
import { findRule, newTemplate } from './templates.ts';

const withLogin = (rows: string) => `
select held.*, holder.login_id from (${rows}) held
left join "user" holder on holder.tenant_id = $1 and holder.user_id = held.user_id`;

async function conditionsOf(ctx: TenantContext, input: CertificateFilter): Promise<Condition[]> {
  const { CourseID, LoginID, Status, IssuedAfter, IssuedBefore, NameIncomplete } = input;
  const conditions: Condition[] = [];
  if (CourseID !== undefined) conditions.push(({ add }) => `held.course_id = ${add(CourseID)}`);
  if (LoginID !== undefined) {
    const userId = await findUserId(ctx, LoginID);
    if (userId === null) throw userNotFound();
    conditions.push(({ add }) => `held.user_id = ${add(userId)}`);
  }
  // Their IDs begin with the time at which they were issued.
  for (const [at, operator] of [
    [IssuedAfter, '>='],
    [IssuedBefore, '<'],
  ] as const)
    if (at !== undefined)
      conditions.push(({ add }) => `held.certificate_id ${operator} ${add(lowestId(new Date(at)))}`);
  if (NameIncomplete !== undefined)
    conditions.push(() => `${NameIncomplete ? '' : 'not '}held.is_name_incomplete`);
  if (Status !== undefined) conditions.push(({ add }) => isStatusSql(Status, () => add(tenantNow(ctx))));
  return conditions;
}

export async function listCertificates(
  ctx: TenantContext,
  input: PageQuery & Order & CertificateFilter & { Count?: boolean },
) {
  if (input.Cursor === undefined) await issueDue(ctx);
  const where = [() => 'held.number is not null', ...(await conditionsOf(ctx, input))];
  const newest = input.Order === 'newest';
  const list = { table: 'certificate', key: 'certificate_id', where, newest, show: withLogin } as const;
  return pageById<CertificateWithLogin, Certificate>(ctx, input, list, (row) => toCertificate(ctx, row));
}

/** The certificates that the filter selects, or those with these numbers. */
export async function* selectCertificates(
  ctx: TenantContext,
  { Numbers, ...filter }: CertificateFilter & { Numbers?: string },
): AsyncGenerator<CertificateRow> {
  await issueDue(ctx);
  const numbers = Numbers?.split(',').map((typed) => readNumber(typed) ?? '');
  const conditions = await conditionsOf(ctx, filter);
  if (numbers) conditions.push(({ add }) => `held.number = any(${add(numbers)})`);
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const sql = parametersAfter(ctx.tenantId, after);
    const where = conditions.map((condition) => ` and ${condition(sql)}`).join('');
    const text = `select held.* from certificate held
      where held.tenant_id = $1 and held.number is not null and held.certificate_id > $2${where} order by held.certificate_id limit 50`;
    const rows = await run<CertificateRow>(ctx, text, sql.values);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.certificate_id;
  }
}

const ofEnrolment = withLogin(`select own.* from certificate own
  where own.tenant_id = $1 and own.enroll_id = $2 order by own.certificate_id desc limit 1`);

export function notEarned(): Problem {
  return new Problem(
    'certificate_not_found',
    'The enrolment has no certificate: the course issues none, or the learner has not earned it yet.',
    { param: 'EnrollID' },
  );
}

/** The newest certificate of an enrolment that exists. */
export async function findNewest(ctx: TenantContext, enrollId: string): Promise<CertificateWithLogin> {
  await issueDue(ctx);
  const [row] = await run<CertificateWithLogin>(ctx, ofEnrolment, [ctx.tenantId, enrollId]);
  if (!row) throw notEarned();
  return row;
}

/** The newest certificate of a user's enrolment. */
export async function findOfEnrolment(
  ctx: TenantContext,
  input: { loginId: string; enrollId: string },
): Promise<CertificateWithLogin> {
  await readEnrolment(ctx, input);
  return findNewest(ctx, input.enrollId);
}

/** Locks the certificate's row until the transaction ends. */
async function lock(ctx: TenantContext, typed: string): Promise<CertificateRow> {
  const row = await ownRows(ctx, 'certificate')
    .selectAll()
    .where('number', '=', readNumber(typed) ?? '')
    .$narrowType<{ number: string }>()
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw certificateNotFound();
  return row;
}

const ofNumber = withLogin('select own.* from certificate own where own.tenant_id = $1 and own.number = $2');

export async function readCertificate(ctx: TenantContext, typed: string): Promise<Certificate> {
  const [row] = await run<CertificateWithLogin>(ctx, ofNumber, [ctx.tenantId, readNumber(typed) ?? '']);
  if (!row) throw certificateNotFound();
  return toCertificate(ctx, row);
}

async function revokeRow(ctx: TenantContext, row: CertificateRow, input: Revocation): Promise<void> {
  await updateOwn(ctx, 'certificate', { certificate_id: row.certificate_id })
    .set({
      revoked_at: tenantNow(ctx),
      reason: input.Reason,
      shows_reason: input.ShowReason ?? false,
      next_notice_at: null,
    })
    .execute();
  const subject = { enrollId: row.enroll_id, courseId: row.course_id };
  await appendEvents(ctx, [
    {
      type: 'certificate.revoked',
      ...(row.user_id !== null && { userId: row.user_id }),
      ...subject,
      data: { Number: showNumber(row.number) },
    },
  ]);
}

/** Revokes a certificate. Repeating it changes nothing. */
export async function revokeCertificate(
  ctx: TenantContext,
  typed: string,
  input: Revocation,
): Promise<Certificate> {
  await transaction(ctx, async (ctx) => {
    const row = await lock(ctx, typed);
    if (row.revoked_at) return;
    await revokeRow(ctx, row, input);
    await appendAudit(ctx, ctx.tenantId, {
      action: 'certificate.revoked',
      targetId: showNumber(row.number),
      data: {},
    });
  });
  return readCertificate(ctx, typed);
}

/** What the course says now; what the former certificate has if no rule is left. */
async function presentRule(ctx: TenantContext, row: CertificateRow) {
  const course = await ctx.db
    .selectFrom('course')
    .select(['title', 'certificate'])
    .where('course_id', '=', row.course_id)
    .executeTakeFirst();
  const { CourseTitle, Outcome, Title, Text, Layout, PaperSize, Signatures } = contentOf(row);
  const rule: Partial<TemplateRule> = (await findRule(ctx, row.course_id)) ??
    // putCourse has checked it.
    (course?.certificate as CertificateRule | null | undefined) ?? {
      Title,
      Text,
      Layout,
      PaperSize,
      Signatures,
    };
  return { title: course?.title ?? CourseTitle, rule: { ...newTemplate, ...rule, On: Outcome } };
}

/**
 * Issues another certificate for the same attempt, with the person's name, the course's title and the layout of today, and
 * revokes the former one. The dates stay.
 */
export async function reissueCertificate(
  ctx: TenantContext,
  typed: string,
  input: Reissue,
): Promise<Certificate> {
  await issueDue(ctx);
  const number = await transaction(ctx, async (ctx) => {
    const row = await lock(ctx, typed);
    if (row.user_id === null || row.replaced_by)
      throw new Problem(
        'certificate_revoked',
        row.user_id === null
          ? 'The person has been erased, so the certificate cannot be issued again.'
          : `The certificate was replaced. Reissue ${showNumber(row.replaced_by ?? '')} instead.`,
        { param: 'Number' },
      );
    if (row.revoked_at && input.IfRevoked !== 'issue')
      throw new Problem(
        'certificate_revoked',
        'The certificate was revoked, and a corrected one would be valid. To issue it, set IfRevoked to issue.',
        { param: 'IfRevoked' },
      );
    const present = await presentRule(ctx, row);
    const { Score: score } = contentOf(row);
    await issueNow(ctx, [{ ...row, ...present, user_id: row.user_id, score, issue: row.issue + 1 }]);
    const { number } = await ownRows(ctx, 'certificate', { enroll_id: row.enroll_id, attempt: row.attempt })
      .select('number')
      .where('issue', '=', row.issue + 1)
      .$narrowType<{ number: string }>()
      .executeTakeFirstOrThrow();
    if (!row.revoked_at) await revokeRow(ctx, row, input);
    await appendAudit(ctx, ctx.tenantId, {
      action: 'certificate.reissued',
      targetId: showNumber(row.number),
      data: { Number: showNumber(number) },
    });
    return number;
  });
  return readCertificate(ctx, number);
}
