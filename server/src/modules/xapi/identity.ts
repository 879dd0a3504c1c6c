import type { Agent } from '../../../../standards/xapi/types.ts';
import type { Context } from '../../platform/context.ts';

/**
 * Identifies the learner in statements of this service by LoginID, without other personal data
 * (cmi5, section 9.2).
 */
export function accountOf({ config }: Context, loginId: string) {
  return { homePage: config.baseUrl, name: loginId };
}

/** The service as the authority of its own statements. */
export function lmsAuthority({ config }: Context): Agent {
  return { objectType: 'Agent', account: { homePage: config.baseUrl, name: 'Lectern' } };
}

export const courseActivity = ({ config }: Context, courseId: string) =>
  `${config.baseUrl}/course/${encodeURIComponent(courseId)}`;
