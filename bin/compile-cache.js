// Preloaded by --import: keeps what Node made of the sources, so that the next start need not strip and compile them.
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Not in the system's folder for temporary files, where others may write. A folder that is read-only is no harm.
module.enableCompileCache?.(
  join(dirname(fileURLToPath(import.meta.url)), '../node_modules/.cache/lectern-compile'),
);
