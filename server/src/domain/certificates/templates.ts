import { deleteOwn, ownRows } from '../../db/own-rows.ts';
import { transaction } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { differences } from '../../lib/tables.ts';
import { appendAudit } from '../audit/chain.ts';
import { type CertificateRule, changedRule, checkRule, newRule } from '../catalogue/certificate-rule.ts';
import { courseNotFound } from '../catalogue/problems.ts';
import { beginIssuing } from './issue.ts';
import type { CertificateTemplate, CertificateTemplateChange, TemplateRule } from './record/schemas.ts';
import { checkSerial } from './record/serial.ts';
import { keepSignatures } from './signatures.ts';

export const newTemplate: TemplateRule = {
  ...newRule,
  ...{ Layout: 'classic', PaperSize: 'A4', Signatures: [], Serial: null },
};

type Row = { course_id: string; rule: unknown; updated_at: Date };

/** Only `putTemplate` writes the column. */
const ruleOf = ({ rule }: Pick<Row, 'rule'>) => rule as TemplateRule;

const toTemplate = (row: Row): CertificateTemplate => ({
  CourseID: row.course_id,
  ...ruleOf(row),
  UpdatedAt: row.updated_at.toISOString(),
});

const select = (ctx: TenantContext, courseId: string) =>
  ownRows(ctx, 'certificate_template', { course_id: courseId }).select(['course_id', 'rule', 'updated_at']);

const notFound = () =>
  new Problem(
    'template_not_found',
    'Your tenant has no template for this course. Create one with PUT /certificate/template/{CourseID}.',
    { param: 'CourseID' },
  );

/** The rule of the tenant's template, if there is one. */
export async function findRule(ctx: TenantContext, courseId: string): Promise<TemplateRule | null> {
  const row = await select(ctx, courseId).executeTakeFirst();
  return row ? ruleOf(row) : null;
}

export async function readTemplate(ctx: TenantContext, courseId: string): Promise<CertificateTemplate> {
  const row = await select(ctx, courseId).executeTakeFirst();
  if (!row) throw notFound();
  return toTemplate(row);
}

/** The rule with which a template begins: that of the course, which must be offered to the tenant. */
export async function ruleOfCourse(ctx: TenantContext, courseId: string): Promise<TemplateRule> {
  const course = await ctx.db
    .selectFrom('course')
    .select(['status', 'tenants', 'certificate'])
    .where('course_id', '=', courseId)
    .executeTakeFirst();
  if (!course || course.status === 'draft' || (course.tenants && !course.tenants.includes(ctx.tenantId)))
    throw courseNotFound();
  // putCourse has checked it.
  return { ...newTemplate, ...(course.certificate as CertificateRule | null) };
}

export function checkTemplate({ On, ...rule }: TemplateRule): void {
  checkRule({ ...rule, ...(On && { On }) }, '');
  checkSerial(rule.Serial);
}

/** Creates the template or changes the given fields. It applies to results from now on. */
export async function putTemplate(
  ctx: TenantContext,
  courseId: string,
  input: CertificateTemplateChange,
): Promise<CertificateTemplate> {
  const ofCourse = await ruleOfCourse(ctx, courseId);
  return transaction(ctx, async (ctx) => {
    const before = await select(ctx, courseId).forUpdate().executeTakeFirst();
    const former = before ? ruleOf(before) : ofCourse;
    const rule = changedRule(former, input);
    checkTemplate(rule);
    if (input.Signatures) rule.Signatures = await keepSignatures(ctx, input.Signatures);
    const now = tenantNow(ctx);
    const stored = { rule: JSON.stringify(rule), updated_at: now };
    await ctx.db
      .insertInto('certificate_template')
      .values({ tenant_id: ctx.tenantId, course_id: courseId, since: now, ...stored })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'course_id']).doUpdateSet(stored))
      .execute();
    await beginIssuing(ctx, now);
    const Changed = before ? differences(rule, former) : Object.keys(rule);
    if (Changed.length > 0)
      await appendAudit(ctx, ctx.tenantId, {
        action: 'certificate_template.changed',
        targetId: courseId,
        data: { Changed },
      });
    return toTemplate({ course_id: courseId, rule, updated_at: now });
  });
}

/** The certificates of the course then follow its `Certificate` again. Issued certificates stay as they are. */
export async function deleteTemplate(ctx: TenantContext, courseId: string): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const { numDeletedRows } = await deleteOwn(ctx, 'certificate_template', {
      course_id: courseId,
    }).executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound();
    await appendAudit(ctx, ctx.tenantId, {
      action: 'certificate_template.deleted',
      targetId: courseId,
      data: {},
    });
  });
}
