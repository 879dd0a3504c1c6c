import { identityOf } from '../../../../standards/xapi/actors.ts';
import type { Format } from '../../../../standards/xapi/formats.ts';
import { invalid } from '../../../../standards/xapi/invalid.ts';
import {
  agentParameter,
  instantParameter,
  iriParameter,
  type LrsRequest,
  truthParameter,
  uuidParameter,
} from './lrs-request.ts';
import { searchKey } from './search-keys.ts';

/**
 * Communication 2.1.3: the filters of GET statements. A statement must have one of the keys in each member of
 * `alternatives`.
 */
export type StatementFilter = {
  alternatives: string[][];
  /** In microseconds since 1970. */
  since: number | null;
  until: number | null;
  ascending: boolean;
  limit: number;
  format: Format;
  attachments: boolean;
};

/** The parameter that the LRS adds to the link to the next page. */
export const cursorParameter = 'cursor';

export const listParameters = [
  'agent',
  'verb',
  'activity',
  'registration',
  'related_activities',
  'related_agents',
  'since',
  'until',
  'limit',
  'format',
  'attachments',
  'ascending',
] as const;

export const singleParameters = ['statementId', 'voidedStatementId', 'format', 'attachments'];

/** Communication 2.1.3: 0 means as many as the server allows. */
const maxLimit = 200;

function readLimit(value: string | undefined): number {
  if (value === undefined) return maxLimit;
  if (!/^\d{1,9}$/.test(value)) invalid('limit', 'must be a non-negative integer.');
  return Math.min(Number(value) || maxLimit, maxLimit);
}

export function readFormat(value = 'exact'): Format {
  if (value === 'exact' || value === 'ids' || value === 'canonical') return value;
  return invalid('format', 'must be ids, exact or canonical.');
}

export function readFilter({ parameters, caller }: LrsRequest): StatementFilter {
  const relatedAgents = truthParameter(parameters, 'related_agents');
  const relatedActivities = truthParameter(parameters, 'related_activities');
  const agent = agentParameter(parameters);
  const verb = iriParameter(parameters, 'verb');
  const activity = iriParameter(parameters, 'activity');
  const registration = uuidParameter(parameters, 'registration');
  const alternatives: string[][] = [];
  if (caller.kind === 'au') alternatives.push([searchKey('registration', caller.session.registration)]);
  if (registration !== null) alternatives.push([searchKey('registration', registration)]);
  if (agent !== null) {
    const identity = identityOf(agent) ?? '';
    alternatives.push([
      searchKey('agent', identity),
      ...(relatedAgents ? [searchKey('related agent', identity)] : []),
    ]);
  }
  if (activity !== null)
    alternatives.push([
      searchKey('activity', activity),
      ...(relatedActivities ? [searchKey('related activity', activity)] : []),
    ]);
  if (verb !== null) alternatives.push([searchKey('verb', verb)]);
  return {
    alternatives,
    since: instantParameter(parameters, 'since'),
    until: instantParameter(parameters, 'until'),
    ascending: truthParameter(parameters, 'ascending'),
    limit: readLimit(parameters.limit),
    format: readFormat(parameters.format),
    attachments: truthParameter(parameters, 'attachments'),
  };
}
