import { createReadStream } from 'node:fs';
import { openContext } from '../app/open-context.ts';
import { startDeploymentTrail } from '../domain/audit/chain.ts';
import { deleteCourse, putCourse, readAuthoredCourse } from '../domain/catalogue/courses.ts';
import { importPackage } from '../domain/catalogue/import-package.ts';
import { createKey } from '../domain/identity/keys.ts';
import { readClocks } from '../domain/tenants/clock.ts';
import { readTenant } from '../domain/tenants/tenants.ts';
import type { Config } from '../infra/context/config.ts';
import { type Context, serviceActor } from '../infra/context/context.ts';
import { openObjectStore } from '../infra/storage/object-store.ts';
import { claimStore } from '../infra/storage/storage-owner.ts';
import { Problem } from '../lib/errors.ts';
import { openLog } from '../lib/log.ts';
import { returnToOwner } from '../lib/owner-only.ts';

export { revokeKey } from '../domain/identity/keys.ts';
export { deleteTenant } from '../domain/privacy/delete-tenant.ts';
export { createTenant, updateTenant } from '../domain/tenants/tenants.ts';

/**
 * Runs the work on the configured database after migrating it, and closes it afterwards. Unless `creates` is set, the
 * database must exist, so that a command without the service's settings does not silently use another one.
 */
export async function withDatabase<Answer>(
  config: Config,
  act: (ctx: Context) => Promise<Answer>,
  options: { migrates?: boolean; creates?: boolean } = {},
): Promise<Answer> {
  const log = openLog(process.env.LOG_LEVEL ? config.logLevel : 'warn');
  const ctx = await openContext(config, log, { creates: false, ...options, isService: false });
  try {
    await startDeploymentTrail(ctx);
    await readClocks(ctx);
    return await act({ ...ctx, actor: { ...serviceActor, kind: 'command_line' } });
  } finally {
    await ctx.engine.close();
    returnToOwner(config.dataDir);
  }
}

/** Imports a package. A course created for it is removed again if the package is rejected. */
export async function importCourse(
  ctx: Context,
  input: { path: string; courseId: string; title: string | undefined },
) {
  const { path, courseId, title } = input;
  const known = await readAuthoredCourse(ctx, { courseId }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'course_not_found') return null;
    throw error;
  });
  if (!known) await putCourse(ctx, { courseId, Title: title ?? courseId });
  try {
    const { release } = await importPackage(ctx, { courseId, zip: createReadStream(path) });
    if (!known && title === undefined) await putCourse(ctx, { courseId, Title: release.Title });
    return release;
  } catch (error) {
    if (!known) await deleteCourse(ctx, { courseId });
    throw error;
  }
}

/** Makes the object store that of this database, after a restore. */
export async function claimStorage(ctx: Context) {
  const { storage } = ctx.config;
  if (storage === null) throw new Error('STORAGE_URL is not set, so there is no store to claim.');
  const store = openObjectStore(storage);
  await claimStore(ctx, store);
  return { Storage: store.place };
}

export async function makeKey(ctx: Context, input: Parameters<typeof createKey>[1]) {
  if (input.tenantId !== null) await readTenant(ctx, { tenantId: input.tenantId });
  return createKey(ctx, input);
}
