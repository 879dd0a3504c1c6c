import { findDamage, findUnusedFolders } from '../domain/catalogue/find-damage.ts';
import { runPackageImports } from '../domain/catalogue/package-imports.ts';
import { issueCertificates } from '../domain/certificates/issue.ts';
import { noticeEnds } from '../domain/certificates/notices.ts';
import { expireEnrolments } from '../domain/enrolments/expire.ts';
import { startDispatcher } from '../domain/events/webhooks/dispatcher.ts';
import { purgeDeliveries } from '../domain/events/webhooks/results.ts';
import { forgetEvidence } from '../domain/evidence/personal-data.ts';
import { deleteOldImports, workImports } from '../domain/imports/work.ts';
import { purgeLaunches } from '../domain/lti/launches.ts';
import { syncPlatforms } from '../domain/lti/roster/job.ts';
import { forgetRecipients } from '../domain/mail/recipients.ts';
import { purgeMails } from '../domain/mail/results.ts';
import { sendMails } from '../domain/mail/send.ts';
import { followPaths } from '../domain/paths/follow.ts';
import { finishDeletions } from '../domain/privacy/delete-tenant.ts';
import { removeUntouched } from '../domain/privacy/erase.ts';
import { finishErasures } from '../domain/privacy/erase-batches.ts';
import { purgeProvisioningLog } from '../domain/provisioning/settings.ts';
import { sendReminders } from '../domain/reminders/job.ts';
import { countAccess } from '../domain/reports/count-access.ts';
import { countActivity } from '../domain/reports/count-activity.ts';
import { countCompletion } from '../domain/reports/count-completion.ts';
import { runSchedules } from '../domain/reports/schedules/run-schedules.ts';
import { storeUsage } from '../domain/reports/usage.ts';
import { followRequirements } from '../domain/requirements/follow.ts';
import { deleteExpiredResponses } from '../infra/calls/stored-responses.ts';
import type { Context } from '../infra/context/context.ts';
import { type Job, startJobs } from '../infra/operations/jobs.ts';
import { clearScratch, scratchAge } from '../lib/files.ts';
import { mailAttachments, mailChecks } from './mail-checks.ts';
import { webhookSources } from './webhook-sources.ts';

export const jobs: readonly Job[] = [
  {
    name: 'enrolments.expire',
    every: 30,
    isPerNode: true,
    run: async (ctx) => void (await expireEnrolments(ctx)),
  },
  { name: 'certificates.issue', every: 2, isPerNode: true, run: issueCertificates },
  { name: 'evidence.forget', every: 3_600, isPerNode: true, run: forgetEvidence },
  { name: 'certificates.end', every: 60, isPerNode: true, run: noticeEnds },
  { name: 'imports.work', every: 2, isPerNode: true, run: (ctx) => workImports(ctx, removeUntouched) },
  { name: 'imports.delete', every: 86_400, isPerNode: true, run: deleteOldImports },
  { name: 'requirements.follow', every: 2, isPerNode: true, run: followRequirements },
  { name: 'reminders.send', every: 60, isPerNode: true, run: sendReminders },
  { name: 'paths.follow', every: 2, isPerNode: true, run: followPaths },
  { name: 'reports.count', every: 10, isPerNode: true, run: countCompletion },
  { name: 'reports.access', every: 10, isPerNode: true, run: countAccess },
  { name: 'reports.activity', every: 10, isPerNode: true, run: countActivity },
  { name: 'reports.schedule', every: 10, isPerNode: true, run: runSchedules },
  { name: 'retries.forget', every: 3_600, isPerNode: true, run: deleteExpiredResponses },
  {
    name: 'packages.check',
    every: 86_400,
    run: async (ctx) => {
      await findDamage(ctx);
      await findUnusedFolders(ctx);
    },
  },
  { name: 'packages.import', every: 2, isPerNode: true, run: runPackageImports },
  { name: 'files.clear', every: 3_600, run: (ctx) => clearScratch(ctx.config.dataDir, scratchAge) },
  { name: 'storage.move', every: 60, run: (ctx) => ctx.files.moveIn() },
  { name: 'storage.sweep', every: 21_600, run: (ctx) => ctx.files.sweep(ctx.now()) },
  { name: 'mail.send', every: 2, isPerNode: true, run: (ctx) => sendMails(ctx, mailChecks, mailAttachments) },
  { name: 'mail.purge', every: 86_400, isPerNode: true, run: purgeMails },
  { name: 'lti.members', every: 30, isPerNode: true, run: syncPlatforms },
  { name: 'lti.purge', every: 3_600, isPerNode: true, run: purgeLaunches },
  { name: 'mail.forget', every: 3_600, run: forgetRecipients },
  { name: 'tenants.delete', every: 10, run: finishDeletions },
  { name: 'users.erase', every: 10, isPerNode: true, run: finishErasures },
  { name: 'provisioning.purge', every: 86_400, isPerNode: true, run: purgeProvisioningLog },
  { name: 'webhooks.purge', every: 86_400, isPerNode: true, run: (ctx) => purgeDeliveries(ctx) },
];

export type Worker = { stop: () => Promise<void> };

/** Every node stores its own counts. */
const usageMilliseconds = 60_000;

/** Less than the 10 s in which a whole shutdown must complete. */
const graceMilliseconds = 8_000;

/** Starts the background work, which several nodes can do at the same time. `stop` lets running jobs finish. */
export async function startWorker(ctx: Context): Promise<Worker> {
  const queue = await startJobs(ctx, jobs);
  const dispatcher = startDispatcher(ctx, webhookSources);
  const usage = setInterval(() => void storeUsage(ctx), usageMilliseconds).unref();
  return {
    stop: async () => {
      clearInterval(usage);
      await Promise.all([queue.stop(graceMilliseconds), dispatcher.stop(graceMilliseconds)]);
      await storeUsage(ctx);
    },
  };
}
