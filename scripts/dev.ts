// Serves from the TypeScript sources: npm run dev
import { ensureBuilt } from './build.ts';

await ensureBuilt();
process.argv.splice(2, Number.POSITIVE_INFINITY, 'serve');
await import('../server/src/cli/cli.ts');
