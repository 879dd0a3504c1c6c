import type { Context } from '../../platform/context.ts';

export function signInAddress({ config }: Pick<Context, 'config'>, token: string): string {
  return `${config.baseUrl}/session/sign-in?token=${token}`;
}
