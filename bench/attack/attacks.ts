import type { Attack } from './attack.ts';
import { accessAttacks } from './attacks/access.ts';
import { archiveAttacks } from './attacks/archives.ts';
import { bodyAttacks } from './attacks/bodies.ts';
import { connectionAttacks } from './attacks/connections.ts';
import { evidenceAttacks } from './attacks/evidence.ts';
import { fileAttacks } from './attacks/files.ts';
import { floodAttacks } from './attacks/floods.ts';
import { heavyAttacks } from './attacks/heavy.ts';
import { inputAttacks } from './attacks/input.ts';
import { launchAttacks } from './attacks/launches.ts';
import { scopeAttacks } from './attacks/scopes.ts';

export const attacks: readonly Attack[] = [
  ...bodyAttacks,
  ...floodAttacks,
  ...connectionAttacks,
  ...launchAttacks,
  ...archiveAttacks,
  ...scopeAttacks,
  ...evidenceAttacks,
  ...inputAttacks,
  ...accessAttacks,
  ...fileAttacks,
  ...heavyAttacks,
];
