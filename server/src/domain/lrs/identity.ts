import type { Agent } from '../../../../standards/xapi/types.ts';
import type { Context } from '../../infra/context/context.ts';

/** Identifies the learner in statements of this service by LoginID, without other personal data (cmi5, section 9.2). */
export function accountOf({ homePage }: Pick<Context, 'homePage'>, loginId: string) {
  return { homePage, name: loginId };
}

/** The service as the authority of its own statements. */
export function lmsAuthority({ homePage }: Context): Agent {
  return { objectType: 'Agent', account: { homePage, name: 'Lectern' } };
}

export const courseActivity = ({ homePage }: Context, courseId: string) =>
  `${homePage}/course/${encodeURIComponent(courseId)}`;
