import { databaseFunction, functionForTenants } from '../../db/functions.ts';
import { byTenant, contextOf, openQueue } from '../../infra/calls/queue.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';

/** A launch as its token describes it. Details that the platform does not send are null. */
export type Relaunch = {
  launchId: string;
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

/** `isNew`: the log does not have the launch yet. `enrollId` is null if the launch has to create or change something. */
type Outcome = { isNew: boolean; enrollId: string | null };

const columns = `n integer, "launchId" uuid, "platformId" uuid, "deploymentId" text, "resourceLinkId" text,
      subject text, "loginId" text, "courseId" text, "durationId" text, "firstName" text, "lastName" text, email text,
      "lineItem" text, "mayRead" boolean`;

/**
 * Logs launches that need nothing else, because the same place has opened the course for the same learner before. `$3` is
 * the time, `$4` that of the tenant. The order keeps two statements from deadlocks.
 */
export const relaunchFunction = databaseFunction({
  name: 'repeat_lti_launch',
  parameters: 'text, jsonb, timestamptz, timestamptz',
  returns: 'table (n integer, is_new boolean, enroll_id uuid)',
  body: `
declare
  request record;
  known record;
begin
  for request in
    select * from jsonb_to_recordset($2) as r (${columns}) order by r."resourceLinkId", r."loginId", r."launchId"
  loop
    n := request.n;
    is_new := true;
    enroll_id := null;
    select learner.user_id, link.enroll_id into known from "user" learner
    join enrolment own on own.tenant_id = $1 and own.user_id = learner.user_id and own.course_id = request."courseId"
    join lti_link link on link.tenant_id = $1 and link.enroll_id = own.enroll_id
      and link.platform_id = request."platformId" and link.resource_link_id = request."resourceLinkId"
    where learner.tenant_id = $1 and learner.login_id = request."loginId" and learner.enabled
      and (request."firstName" is null or learner.first_name = request."firstName")
      and (request."lastName" is null or learner.last_name = request."lastName")
      and (request.email is null or learner.email = request.email)
      and own.ended_at is null and (own.expires_at is null or own.expires_at > $4)
      and (request."durationId" is null or own.duration_id = request."durationId")
      and link.subject = request.subject and link.user_id = learner.user_id and link.may_read = request."mayRead"
      and link.line_item is not distinct from request."lineItem" limit 1;
    if found then
      insert into lti_launch (tenant_id, launch_id, platform_id, deployment_id, message, user_id, course_id, enroll_id,
        resource_link_id, launched_at)
      values ($1, request."launchId", request."platformId", left(request."deploymentId", 255), 'launch', known.user_id,
        request."courseId", known.enroll_id, request."resourceLinkId", $3) on conflict do nothing;
      is_new := found;
      if is_new then
        enroll_id := known.enroll_id;
        update lti_link link set launched_at = $3
        where link.tenant_id = $1 and link.enroll_id = known.enroll_id and link.platform_id = request."platformId"
          and link.resource_link_id = request."resourceLinkId";
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
  key: ({ launchId }) => launchId,
  max: 50,
  run: async (calls) => {
    const own = byTenant(calls.map((call, n) => ({ ...call, n })));
    const requests = own.map((rows) => {
      const { ctx } = rows[0] as (typeof rows)[0];
      const now = ctx.now();
      const items = rows.map(({ row, n }) => ({ ...row, n }));
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

/** Logs the launch and finds its enrolment, if nothing has changed since the last launch from the same place. */
export const relaunch = (ctx: TenantContext, launch: Relaunch): Promise<Outcome> =>
  relaunches.add(ctx, launch);
