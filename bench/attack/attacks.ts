import type { Attack } from './attack.ts';
import { accessAttacks } from './attacks/access.ts';
import { archiveAttacks } from './attacks/archives.ts';
import { bodyAttacks, endlessBodyAttacks } from './attacks/bodies.ts';
import { connectionAttacks } from './attacks/connections.ts';
import { evidenceAttacks } from './attacks/evidence.ts';
import { fileAttacks } from './attacks/files.ts';
import { floodAttacks } from './attacks/floods.ts';
import { heavyAttacks } from './attacks/heavy.ts';
import { inputAttacks } from './attacks/input.ts';
import { launchAttacks } from './attacks/launches.ts';
import { scopeAttacks } from './attacks/scopes.ts';

/** A process without a proxy refuses these. */
export const accessAndEvidence: readonly Attack[] = [
  ...bodyAttacks,
  ...launchAttacks,
  ...archiveAttacks,
  ...scopeAttacks,
  ...evidenceAttacks,
  ...inputAttacks,
  ...accessAttacks,
  ...fileAttacks,
];

/** The proxy in front refuses these (deploy/nginx.conf). */
export const load: readonly Attack[] = [
  ...floodAttacks,
  ...connectionAttacks,
  ...heavyAttacks,
  ...endlessBodyAttacks,
];
