import { serveOnce } from '../../../platform/isolated-program.ts';
import { readPackage } from './read-package.ts';

// Reads one package in a process of its own. See examine-package.ts.
serveOnce(readPackage);
