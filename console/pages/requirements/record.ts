import type { components } from '../../../client/src/generated.ts';
import { type Api, useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';

export type Requirement = components['schemas']['Requirement'];
export type RequirementChange = components['schemas']['RequirementChange'];
export type Audience = Requirement['Audience'];

/** As many as one page of the API holds: no tenant has nearly as many. */
const query = { Limit: 200 };

export const readRequirements = async (client: Api['client']): Promise<readonly Requirement[]> =>
  (await dataOf(client.GET('/requirement', { params: { query } }))).Items;

export function useRequirements(): readonly Requirement[] {
  const { $api } = useApi();
  return $api.useQuery('get', '/requirement', { params: { query } }).data?.Items ?? [];
}

/** How many people are in each status, by requirement. */
export function useComplianceByRequirement(enabled = true) {
  const { $api } = useApi();
  const params = { query: { By: 'requirement' as const, ...query } };
  return $api.useQuery('get', '/report/compliance', { params }, { enabled });
}
