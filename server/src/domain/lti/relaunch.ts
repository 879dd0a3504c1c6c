import { databaseFunction, functionForTenants } from '../../db/functions.ts';
import { byTenant, contextOf, openQueue } from '../../infra/calls/queue.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { newId } from '../../lib/ids.ts';

/** A launch as its token describes it. Details that the platform does not send are null. */
export type Relaunch = {
  nonce: string;
  platformId: string;
  deploymentId: string;
  resourceLinkId: string | null;
  subject: string;
  loginId: string;
  courseId: string;
  durationId: string | null;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  lineItem: string | null;
  mayRead: boolean;
};

/** `isNew`: the nonce was not used before. `enroll_id` is null if the launch has to create or change something. */
type Outcome = { isNew: boolean; enrollId: string | null };

const columns = `n integer, "launchId" uuid, nonce text, "platformId" uuid, "deploymentId" text, "resourceLinkId" text,
      subject text, "loginId" text, "courseId" text, "durationId" text, "firstName" text, "lastName" text, email text,
      "lineItem" text, "mayRead" boolean`;

/**
 * Uses the nonces of launches, and logs those that need nothing else, because the same place has opened the course for
 * the same learner before. `$3` is the time, `$4` that of the tenant. The order keeps two statements from deadlocks.
 */
export const relaunchFunction = databaseFunction({
  name: 'repeat_lti_launch',
  parameters: 'text, jsonb, timestamptz, timestamptz',
  returns: 'table (n integer, is_new boolean, enroll_id uuid)',
  body: `
declare
  request record;
  learner record;
begin
  for request in
    select * from jsonb_to_recordset($2) as r (${columns}) order by r."resourceLinkId", r."loginId", r.nonce
  loop
    n := request.n;
    enroll_id := null;
    insert into lti_nonce (tenant_id, nonce, used_at) values ($1, request.nonce, $3) on conflict do nothing;
    is_new := found;
    if is_new then
      select own.user_id into learner from "user" own
      where own.tenant_id = $1 and own.login_id = request."loginId" and own.enabled
        and (request."firstName" is null or own.first_name = request."firstName")
        and (request."lastName" is null or own.last_name = request."lastName")
        and (request.email is null or own.email = request.email) limit 1;
      if found then
        update lti_link link set launched_at = $3 from enrolment own
        where own.tenant_id = $1 and own.user_id = learner.user_id and own.course_id = request."courseId"
          and own.ended_at is null and (own.expires_at is null or own.expires_at > $4)
          and (request."durationId" is null or own.duration_id = request."durationId")
          and link.tenant_id = $1 and link.enroll_id = own.enroll_id and link.platform_id = request."platformId"
          and link.resource_link_id = request."resourceLinkId" and link.subject = request.subject
          and link.user_id = learner.user_id and link.may_read = request."mayRead"
          and link.line_item is not distinct from request."lineItem"
        returning link.enroll_id into enroll_id;
      end if;
      if enroll_id is not null then
        insert into lti_launch (tenant_id, launch_id, platform_id, deployment_id, message, user_id, course_id,
          enroll_id, resource_link_id, launched_at)
        values ($1, request."launchId", request."platformId", left(request."deploymentId", 255), 'launch',
          learner.user_id, request."courseId", enroll_id, request."resourceLinkId", $3);
      end if;
    end if;
    return next;
  end loop;
end`,
});

export const relaunchForTenants = functionForTenants(relaunchFunction, 'outcome.*');

/** When a class opens its course, the launches share statements. */
const relaunches = openQueue<TenantContext, Relaunch, Outcome>({
  name: 'lti_relaunch',
  isShared: true,
  key: ({ nonce }) => nonce,
  max: 50,
  run: async (calls) => {
    const own = byTenant(calls.map((call, n) => ({ ...call, n })));
    const requests = own.map((rows) => {
      const { ctx } = rows[0] as (typeof rows)[0];
      const now = ctx.now();
      const items = rows.map(({ row, n }) => ({ ...row, n, launchId: newId(now) }));
      return { ctx, values: [JSON.stringify(items), now, tenantNow(ctx)] };
    });
    const { rows } = await relaunchForTenants.call<{ n: number; is_new: boolean; enroll_id: string | null }>(
      contextOf(calls),
      requests,
    );
    const results: (Outcome | undefined)[] = calls.map(() => undefined);
    for (const { n, is_new, enroll_id } of rows) results[n] = { isNew: is_new, enrollId: enroll_id };
    return results;
  },
});

/** Uses the nonce of a launch. Finds the enrolment if nothing has changed since the last launch from the same place. */
export const relaunch = (ctx: TenantContext, launch: Relaunch): Promise<Outcome> =>
  relaunches.add(ctx, launch);
