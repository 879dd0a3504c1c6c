import type { TenantContext } from '../../infra/context/context.ts';

export async function zoneOf(_: TenantContext): Promise<string> {
  return 'UTC';
}
