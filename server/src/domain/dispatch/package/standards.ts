/** The standards in which a course can be packed. */
export const dispatchStandards = ['scorm12', 'scorm2004', 'cmi5', 'xapi', 'aicc'] as const;
export type DispatchStandard = (typeof dispatchStandards)[number];
