import type { Standard } from './types.ts';

/** What distinguishes the standards at run time. The service and the player ask here, not for a name. */
export type Traits = {
  /**
   * `api`: units call the SCORM API of the page. `statements`: they send xAPI statements to the service. `hacp`: they
   * post to it (AICC CMI001, HACP). `scores`: another service sends scores (LTI, AGS). `page`: the player itself reports
   * that they were shown.
   */
  reports: 'api' | 'statements' | 'hacp' | 'scores' | 'page';
  /** The data model of run-time data. */
  model: 'scorm12' | 'scorm2004' | null;
  /** Whether SCORM 2004 sequencing decides which unit follows. */
  isSequenced: boolean;
  /** Whether an enrolment can have several attempts. A cmi5 registration is one that never ends (cmi5 9.4). */
  hasAttempts: boolean;
  /** Whether content can be told that its learner is only looking. */
  canReview: boolean;
};

const usual = { hasAttempts: true, canReview: true, isSequenced: false } as const;
const scorm2004: Traits = { ...usual, reports: 'api', model: 'scorm2004', isSequenced: true };
const page: Traits = { ...usual, reports: 'page', model: null };

export const traits: Readonly<Record<Standard, Traits>> = {
  scorm12: { ...usual, reports: 'api', model: 'scorm12' },
  'scorm2004-2nd': scorm2004,
  'scorm2004-3rd': scorm2004,
  'scorm2004-4th': scorm2004,
  cmi5: { ...usual, reports: 'statements', model: null, hasAttempts: false },
  xapi: { ...usual, reports: 'statements', model: null },
  aicc: { ...usual, reports: 'hacp', model: 'scorm12', canReview: false },
  lti: { ...usual, reports: 'scores', model: null, canReview: false },
  web: page,
  document: page,
  video: page,
  audio: page,
  page,
};

/** Whether units report to the service, and not through the player. */
export const reportsDirectly = (standard: Standard): boolean =>
  ['statements', 'hacp', 'scores'].includes(traits[standard].reports);
