import type { TenantContext } from '../../infra/context/context.ts';

/** Where a learning suite sends a learner, and the ID of the course in statements to it: some suites compare the two. */
export const courseAddress = ({ config }: Pick<TenantContext, 'config'>, courseId: string) =>
  `${config.baseUrl}/console/?course=${encodeURIComponent(courseId)}`;
