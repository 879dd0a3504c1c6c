// Preloaded by --import, for a quick start: what Node makes of the sources is kept, so that the next start need not
// strip and compile them, and packages of many files are read as one (ADR 29).
import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { joinedAddresses } from './platform/joined-packages.ts';

// Not in the system's folder for temporary files, where others may write. A folder that is read-only is no harm.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/lectern-compile'));

const addresses = joinedAddresses();
registerHooks({
  resolve(specifier, context, next) {
    const url = context.parentURL?.includes('/node_modules/') ? undefined : addresses.get(specifier);
    return url ? { url, format: 'module', shortCircuit: true } : next(specifier, context);
  },
});
