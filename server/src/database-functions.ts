import { enrolForTenants, enrolFunction } from './modules/enrolments/enrol-function.ts';
import { expireFunction } from './modules/enrolments/expire.ts';
import { startFunction } from './modules/enrolments/start.ts';
import { writeForTenants, writeProgressFunction } from './modules/enrolments/write-progress.ts';
import { createUserFunction, createUsersForTenants } from './modules/users/create-user-function.ts';
import { eraseFunction } from './modules/xapi/erase-function.ts';
import { storeForTenants, storeFunction } from './modules/xapi/store-function.ts';
import type { DatabaseFunction } from './platform/db/functions.ts';

export const databaseFunctions: readonly DatabaseFunction[] = [
  createUserFunction,
  enrolFunction,
  expireFunction,
  startFunction,
  writeProgressFunction,
  storeFunction,
  eraseFunction,
];

/** Call one of the others for several tenants. */
export const functionsForTenants: readonly DatabaseFunction[] = [
  createUsersForTenants,
  enrolForTenants,
  writeForTenants,
  storeForTenants,
].map(({ each }) => each);
