import type { DatabaseFunction } from '../db/functions.ts';
import { enrolForTenants, enrolFunction } from '../domain/enrolments/enrol-function.ts';
import { expireFunction } from '../domain/enrolments/expire.ts';
import { startForTenants, startFunction } from '../domain/enrolments/run-time/start.ts';
import { writeForTenants, writeProgressFunction } from '../domain/enrolments/run-time/write-progress.ts';
import { eraseFunction } from '../domain/lrs/erase-function.ts';
import { storeForTenants, storeFunction } from '../domain/lrs/store-function.ts';
import { relaunchForTenants, relaunchFunction } from '../domain/lti/relaunch.ts';
import { createUserFunction, createUsersForTenants } from '../domain/users/create-user.ts';
import { readAnswers } from '../infra/calls/stored-responses.ts';

export const databaseFunctions: readonly DatabaseFunction[] = [
  createUserFunction,
  enrolFunction,
  expireFunction,
  startFunction,
  writeProgressFunction,
  storeFunction,
  eraseFunction,
  relaunchFunction,
  readAnswers,
];

/** Call one of the others for several tenants. */
export const functionsForTenants: readonly DatabaseFunction[] = [
  createUsersForTenants,
  enrolForTenants,
  startForTenants,
  writeForTenants,
  storeForTenants,
  relaunchForTenants,
].map(({ each }) => each);
