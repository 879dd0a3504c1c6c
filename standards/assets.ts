import type { RunTimeData, Unit } from './types.ts';

/**
 * Whether the unit reports through the run-time API. A page that the manifest declares as an asset is a SCO from its
 * first call, because many packages declare their pages wrongly. `data` is the unit's stored data.
 */
export function isSco({ Kind }: Unit, data: RunTimeData): boolean {
  return Kind === 'sco' || (Kind === 'asset' && hasReported(data));
}

export function hasReported(data: RunTimeData): boolean {
  for (const element in data) if (element.startsWith('cmi.')) return true;
  return false;
}
