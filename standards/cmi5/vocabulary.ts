// The identifiers of the cmi5 specification ("Quartz", sections 9.3 to 9.6).

export const moveOns = [
  'NotApplicable',
  'Passed',
  'Completed',
  'CompletedAndPassed',
  'CompletedOrPassed',
] as const;
export type MoveOn = (typeof moveOns)[number];

export const launchModes = ['Normal', 'Browse', 'Review'] as const;
export type LaunchMode = (typeof launchModes)[number];

/** The parameters that the launch adds to the query of an AU's URL (section 8.1). */
export const launchNames = ['endpoint', 'fetch', 'actor', 'registration', 'activityId'] as const;
/** Those of the launch of an xAPI package. */
export const xapiLaunchNames = ['endpoint', 'auth', 'actor', 'registration', 'activity_id'] as const;

const adl = 'http://adlnet.gov/expapi/verbs/';
const w3id = 'https://w3id.org/xapi/adl/verbs/';

/** The verbs that an AU uses in cmi5 defined statements. */
export const auVerbs = {
  initialized: `${adl}initialized`,
  completed: `${adl}completed`,
  passed: `${adl}passed`,
  failed: `${adl}failed`,
  terminated: `${adl}terminated`,
} as const;
export type AuVerb = keyof typeof auVerbs;

/** The verbs of the statements that the LMS sends. */
export const lmsVerbs = {
  launched: `${adl}launched`,
  abandoned: `${w3id}abandoned`,
  waived: `${w3id}waived`,
  satisfied: `${w3id}satisfied`,
} as const;

export const voidedVerb = `${adl}voided`;

const cmi5 = 'https://w3id.org/xapi/cmi5';

export const categories = {
  cmi5: `${cmi5}/context/categories/cmi5`,
  moveOn: `${cmi5}/context/categories/moveon`,
} as const;

export const activityTypes = {
  block: `${cmi5}/activitytype/block`,
  course: `${cmi5}/activitytype/course`,
} as const;

export const extensions = {
  sessionId: `${cmi5}/context/extensions/sessionid`,
  masteryScore: `${cmi5}/context/extensions/masteryscore`,
  launchMode: `${cmi5}/context/extensions/launchmode`,
  launchUrl: `${cmi5}/context/extensions/launchurl`,
  moveOn: `${cmi5}/context/extensions/moveon`,
  launchParameters: `${cmi5}/context/extensions/launchparameters`,
  progress: `${cmi5}/result/extensions/progress`,
  reason: `${cmi5}/result/extensions/reason`,
} as const;

export const launchDataId = 'LMS.LaunchData';
export const preferencesId = 'cmi5LearnerPreferences';
