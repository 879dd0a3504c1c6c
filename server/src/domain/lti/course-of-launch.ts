import { run } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { type Claims, Rejected } from './verify.ts';

type Course = { courseId: string; durationId?: string };

/** The custom parameter for `$ResourceLink.id.history` (LTI 1.3, appendix C): the places of which this one is a copy. */
export const historyParameter = 'resource_link_history';

const formerCourse = `
select own.course_id, own.duration_id
from unnest($3::text[]) with ordinality as earlier (id, place)
join lti_link link on link.tenant_id = $1 and link.platform_id = $2 and link.resource_link_id = earlier.id
join enrolment own on own.tenant_id = $1 and own.enroll_id = link.enroll_id
order by earlier.place, link.launched_at desc limit 1`;

/** What the place opened of which this one is a copy: some platforms copy no parameters of places. */
async function findFormer(
  ctx: TenantContext,
  platformId: string,
  { custom }: Claims,
): Promise<Course | null> {
  const history = custom[historyParameter];
  if (typeof history !== 'string') return null;
  const places = history.split(',', 50).map((id) => id.trim());
  const values = [ctx.tenantId, platformId, places];
  const [former] = await run<{ course_id: string; duration_id: string }>(ctx, formerCourse, values);
  return former ? { courseId: former.course_id, durationId: former.duration_id } : null;
}

/** The course that a place in the platform opens, and its enrolment option if it has several. */
export async function courseOf(ctx: TenantContext, platformId: string, claims: Claims): Promise<Course> {
  const { custom, targetLinkUri } = claims;
  const query =
    targetLinkUri !== null && URL.canParse(targetLinkUri)
      ? new URL(targetLinkUri).searchParams
      : new URLSearchParams();
  const named = (name: string) => {
    const value = custom[name];
    return typeof value === 'string' && value !== '' ? value : query.get(name);
  };
  const courseId = named('course');
  const durationId = named('option');
  if (courseId) return { courseId, ...(durationId && { durationId }) };
  const former = await findFormer(ctx, platformId, claims);
  if (!former) throw new Rejected('no_course', 'Neither the custom parameters nor the URL name a course.');
  return former;
}
