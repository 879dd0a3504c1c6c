import { serveOnce } from '../../../lib/isolated-program.ts';
import { readPackage } from './read-package.ts';

// Reads one package in a separate process. Started by examine-package.ts.
serveOnce(readPackage);
