// Makes what all test processes use, before they start: dist/, and with `--embedded` the databases that are copied.
// A process of its own, because the compilers would keep 800 MB.
import { prepareImages } from '../server/test/support/test-database.ts';
import { ensureBuilt } from './build.ts';

await ensureBuilt();
if (process.argv.includes('--embedded')) await prepareImages();
