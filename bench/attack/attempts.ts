import type { Attempt } from './attempt.ts';
import { accessAttempts } from './attempts/access.ts';
import { archiveAttempts } from './attempts/archives.ts';
import { bodyAttempts } from './attempts/bodies.ts';
import { connectionAttempts } from './attempts/connections.ts';
import { evidenceAttempts } from './attempts/evidence.ts';
import { fileAttempts } from './attempts/files.ts';
import { floodAttempts } from './attempts/floods.ts';
import { heavyAttempts } from './attempts/heavy.ts';
import { inputAttempts } from './attempts/input.ts';
import { launchAttempts } from './attempts/launches.ts';
import { scopeAttempts } from './attempts/scopes.ts';

/** All attempts. */
export const attempts: readonly Attempt[] = [
  ...bodyAttempts,
  ...floodAttempts,
  ...connectionAttempts,
  ...launchAttempts,
  ...archiveAttempts,
  ...scopeAttempts,
  ...evidenceAttempts,
  ...inputAttempts,
  ...accessAttempts,
  ...fileAttempts,
  ...heavyAttempts,
];
