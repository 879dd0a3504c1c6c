// After the packages are installed: what a first start would otherwise wait for.
import { keepNewDatabase } from '../src/platform/db/pglite-folder.ts';
import { ensureConsole } from './build-console.ts';
import { joinPackages } from './join-packages.ts';

await ensureConsole();
await keepNewDatabase();
await joinPackages();
