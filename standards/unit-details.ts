import type { UnitDetails } from './items.ts';

/** The details of a unit whose package specifies none. */
export const noDetails: UnitDetails = {
  MasteryScore: null,
  MaxTimeAllowed: null,
  TimeLimitAction: null,
  DataFromLMS: null,
  Prerequisites: null,
  CompletionThreshold: null,
  SharedData: [],
  HideLMSUI: [],
  Sequencing: null,
};
