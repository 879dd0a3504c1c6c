import assert from 'node:assert/strict';
import { packCourse } from '../../../test/journeys/made-courses.ts';
import { newKey } from '../../src/modules/enrolment-keys/key-text.ts';
import { beginning } from '../../src/modules/people/erasure-progress.ts';
import { newId } from '../../src/platform/ids.ts';
import { play, scorm12 } from './player.ts';
import type { TestService } from './service.ts';
import { expectStatus, type TestTenant } from './tenant.ts';

/** A text that occurs in all data that must stay invisible to others. */
export const secret = 'Confidential';
/** Clients of different tenants may choose the same identifiers. */
export const sameKey = { 'Idempotency-Key': 'order 1' };
export const sameUser = { LoginID: 'same everywhere' };

/** A tenant with rows in every table, and the identifiers for paths, queries and bodies. */
export async function fill(
  service: TestService,
  receiver: string,
  tenant: TestTenant,
): Promise<Record<string, string>> {
  const CourseID = `course of ${tenant.TenantID}`;
  const path = `/course/${encodeURIComponent(CourseID)}`;
  // Offered only to this tenant from the start, so that no other log mentions it.
  await service.api('PUT', path, { Title: CourseID, Tenants: [tenant.TenantID] });
  await service.importPackage(encodeURIComponent(CourseID), await packCourse('phishing'));
  await service.api('PUT', `${path}/option/standard`, {});
  const LoginID = await tenant.user({
    FirstName: `${secret} ${tenant.TenantID}`,
    Email: `${tenant.TenantID}@${secret}.example`,
    GroupName: `${secret} group ${tenant.TenantID}`,
    Password: 'right',
  });
  const { body } = await tenant.api('POST', `/enrol/${LoginID}/${encodeURIComponent(CourseID)}`, {
    Reference: `${secret} reference ${tenant.TenantID}`,
  });
  const { commit } = await play(service, body.LaunchURL);
  await commit({ Data: scorm12('incomplete', 50) });
  await tenant.api('POST', `/user/check/${LoginID}`, { Password: 'wrong' });
  const { EnrollID, LaunchURL } = body;
  const made = await tenant.api('POST', '/enrolment/key', {
    CourseIDs: [CourseID],
    DurationIDs: ['standard'],
    LoginID,
    PurchaseOrder: `${secret} order ${tenant.TenantID}`,
  });
  await tenant.api('POST', `/enrol/key/${LoginID}/${newKey()}`);
  const [unused] = made.body.Items;
  const forAnybody = { CourseIDs: [CourseID], DurationIDs: ['standard'] };
  const [redeemed] = (await tenant.api('POST', '/enrolment/key', forAnybody)).body.Items;
  expectStatus(await tenant.api('POST', `/enrol/key/${await tenant.user()}/${redeemed.Key}`), 201);
  expectStatus(await tenant.api('POST', '/user', sameUser, sameKey), 201);
  const { InvitationID } = (await tenant.api('POST', '/invitation', { LoginID })).body;
  const link = await tenant.api('POST', `/user/session/${LoginID}`);
  const token = new URL(link.body.SignInURL).searchParams.get('token');
  await service.api('POST', '/session/sign-in', { token });
  await tenant.api('DELETE', `/user/${await tenant.user()}`);
  await leaveErasure(service, tenant.TenantID);
  const hook = await tenant.api('POST', '/webhook', {
    URL: receiver,
    Description: `${secret} endpoint ${tenant.TenantID}`,
  });
  const { WebhookID, Secret } = hook.body;
  assert.equal((await tenant.api('POST', `/webhook/${WebhookID}/ping`)).body.Status, 'delivered');
  const { EventID } = (await tenant.api('GET', `/events?EnrollID=${EnrollID}`)).body.Items[0];
  const again = await tenant.api('POST', `/webhook/${WebhookID}/replay`, { EventIDs: [EventID] });
  assert.deepEqual(again.body, { Deliveries: 1 });
  expectStatus(await tenant.api('GET', '/overview'), 200);
  const key = new URL(LaunchURL).searchParams.get('key') ?? '';
  const names = { TenantID: tenant.TenantID, KeyID: tenant.keyId, DurationID: 'standard' };
  return {
    ...names,
    LoginID,
    CourseID,
    Release: '1',
    EnrollID,
    InvitationID,
    WebhookID,
    webhookSecret: Secret,
    EventID,
    Key: unused.KeyID,
    unusedKey: unused.Key,
    redeemedKey: redeemed.Key,
    enrolment: EnrollID,
    key,
    GroupName: `${secret} group ${tenant.TenantID}`,
  };
}

/** Leaves the state of a node that crashed before its last batch. */
async function leaveErasure({ ctx }: TestService, tenantId: string): Promise<void> {
  const now = ctx.now();
  const own = { tenant_id: tenantId, erasure_id: newId(now) };
  const progress = JSON.stringify(beginning(now));
  await ctx.db
    .insertInto('erasure_under_way')
    .values({ ...own, user_id: newId(now), progress })
    .execute();
  await ctx.db
    .insertInto('erasure_enrolment')
    .values({ ...own, enroll_id: newId(now) })
    .execute();
}
