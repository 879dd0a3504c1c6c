import type { CertificateInput } from '../../../../certificates/src/types.ts';
import { fullName } from '../../../../standards/full-name.ts';
import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { dayOf } from '../../lib/days.ts';
import { changedRule, textIn } from '../catalogue/certificate-rule.ts';
import { courseNotFound } from '../catalogue/problems.ts';
import { draw } from './draw-thread.ts';
import { numberExample } from './record/number.ts';
import type { CertificateTemplateChange, Content } from './record/schemas.ts';
import { serialOf } from './record/serial.ts';
import { drawnSignatures } from './signatures.ts';
import { checkTemplate, ruleOfCourse } from './templates.ts';
import { endOf } from './validity.ts';

type Sample = {
  title: string | null;
  issuer: string;
  language: 'en' | 'de' | 'fr';
  time_zone: string;
  colour: string | null;
  logo_type: string | null;
  logo_width: number | null;
  logo_height: number | null;
  logo: Uint8Array | null;
  first_name: string | null;
  last_name: string | null;
  login_id: string | null;
};

const sampleText = `
select client.name as issuer, client.language, client.time_zone, own.colour, own.logo_type, own.logo_width, own.logo_height,
  own.logo, (select course.title from course where course.course_id = $2
    and course.status <> 'draft' and (course.tenants is null or $1 = any(course.tenants))) as title,
  person.first_name, person.last_name, person.login_id
from tenant client left join branding own on own.tenant_id = $1
left join lateral (
  select known.first_name, known.last_name, known.login_id from "user" known
  where known.tenant_id = $1 order by length(concat_ws(' ', known.first_name, known.last_name)) desc limit 1
) person on true
where client.tenant_id = $1`;

/** A certificate that nobody earned, with the longest name of the tenant and a template that is not saved. */
export async function drawSample(
  ctx: TenantContext,
  { courseId, language }: { courseId: string; language?: Content['Language'] | undefined },
  input: CertificateTemplateChange,
): Promise<Buffer> {
  const rule = changedRule(await ruleOfCourse(ctx, courseId), input);
  const On = rule.On ?? 'passed';
  checkTemplate(rule);
  const [row] = await run<Sample>(ctx, sampleText, [ctx.tenantId, courseId]);
  if (!row || row.title === null) throw courseNotFound();
  const now = tenantNow(ctx);
  const { Layout, PaperSize, Serial } = rule;
  const Language = language ?? row.language;
  const day = dayOf(now, row.time_zone);
  const certificate: CertificateInput = {
    ...{ Layout, PaperSize },
    Title: textIn(rule.Title, Language),
    Text: textIn(rule.Text, Language),
    Serial: serialOf(Serial, { courseId, day, count: 1 }),
    Signatures: await drawnSignatures(ctx, rule.Signatures),
    ...{ Outcome: On, CourseTitle: row.title, Issuer: row.issuer, Language, Score: 92 },
    ...{ TimeZone: row.time_zone, Colour: row.colour, Number: numberExample },
    VerifyURL: `${ctx.config.baseUrl}/verify/${numberExample}`,
    Name: fullName(row.first_name, row.last_name) || row.login_id || 'Ada Lovelace',
    LoginID: row.login_id,
    IssuedAt: now.toISOString(),
    CompletedAt: now.toISOString(),
    ValidUntil: endOf(rule, now, row.time_zone)?.toISOString() ?? null,
    Logo: row.logo && {
      ...{ type: row.logo_type ?? '', width: row.logo_width ?? 0, height: row.logo_height ?? 0 },
      content: row.logo,
    },
    attachments: [],
  };
  return draw({ certificate });
}
