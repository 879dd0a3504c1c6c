import { pathToFileURL } from 'node:url';
import type { PackageReport } from '../../../../../standards/types.ts';
import type { Context } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { IsolationFailure } from '../../../lib/isolated.ts';
import { locations } from '../../../lib/locations.ts';
import type { PackageSource } from './read-package.ts';

const program = pathToFileURL(locations.packageProgram);
/** Enough for a manifest with 200,000 elements of ten attributes each. */
const memory = { heapMegabytes: 256, wasmMegabytes: 256 };

/** Unpacks and checks a package in a separate process, so that a malicious archive cannot harm the service. */
export async function examinePackage(ctx: Context, source: PackageSource): Promise<PackageReport> {
  const { file, folder } = source;
  const limits = { ...memory, seconds: ctx.config.importSeconds, files: [file], folder };
  try {
    return (await ctx.isolate(program, source, limits)) as PackageReport;
  } catch (error) {
    if (error instanceof Problem || (error instanceof Error && 'errno' in error)) throw error;
    ctx.log.error({ err: error }, 'a package could not be read');
    throw unreadable(error, ctx.config.importSeconds);
  }
}

function unreadable(error: unknown, seconds: number): Problem {
  const isLate = error instanceof IsolationFailure && error.reason === 'time';
  const why = isLate
    ? `Reading the package exceeded the time limit of ${seconds} s`
    : 'Reading the package failed or exceeded the memory limit';
  return new Problem(
    'package_unreadable',
    `${why}, so nothing was imported. Split the course, or export it again from the authoring tool.`,
  );
}
