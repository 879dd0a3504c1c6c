import { serveOnce } from '../../platform/isolated-program.ts';
import { readPackage } from '../standards/package.ts';

// Reads one package in a process of its own. See examine-package.ts.
serveOnce(readPackage);
