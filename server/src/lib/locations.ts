import { basename, join } from 'node:path';

/** True in the built service, which has all files in one folder. False when running from sources. */
const isBuilt = !import.meta.url.endsWith('.ts');
const dist = join(import.meta.dirname, isBuilt ? '..' : '../../../dist');
const server = isBuilt ? import.meta.dirname : join(import.meta.dirname, '../..');

/**
 * Folders that the service reads. `npm run build` writes all of them to `dist/`; browser code and the package program are read only from there.
 */
export const locations = {
  console: join(dist, 'console'),
  player: join(dist, 'player'),
  guide: join(dist, 'guide'),
  /** Draws certificates. Loaded only when one is drawn. */
  certificates: join(dist, 'certificates'),
  migrations: join(server, 'migrations'),
  /** The service's package.json, which is also in the published package. */
  manifest: join(server, isBuilt ? '../..' : '..', 'package.json'),
  /** Started once per import. From sources, each start would take three times as long. */
  packageProgram: join(dist, 'server/package-program.js'),
  courses: isBuilt ? join(server, 'courses') : join(server, '../courses'),
  /** Our own code. Processes that handle untrusted input may read it. */
  code: isBuilt
    ? [server]
    : [join(server, 'src'), join(server, 'package.json'), join(server, '../standards'), join(dist, 'server')],
};

/** Returns the URL of a program that runs in its own process or thread, given the name of its source file. */
export function programAddress(source: string, parent: string): URL {
  return new URL(isBuilt ? `./${basename(source, '.ts')}.js` : source, isBuilt ? import.meta.url : parent);
}
