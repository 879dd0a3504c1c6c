import { interval, timestamp } from '../../../../scorm/data-model/values.ts';
import { isSco } from '../../../../standards/assets.ts';
import type { RunTimeData, Standard, Unit } from '../../../../standards/types.ts';

/** What the content does differently from its standard or manifest, although it counts. */
export function acceptedDeviations(standard: Standard, unit: Unit, data: RunTimeData): string[] {
  const isAsset = unit.Kind === 'asset' && standard.startsWith('scorm') && isSco(unit, data);
  const time = standard.startsWith('scorm2004') ? impreciseTime(data) : null;
  return [
    ...(isAsset
      ? ['The manifest declares this page as an asset, but it uses the run-time API. It is treated as a SCO.']
      : []),
    ...(time ? [`${time[0]} is "${time[1]}", which is more precise than SCORM 2004 allows. It counts.`] : []),
  ];
}

/** The first one is enough, because content writes all its times in the same way. */
function impreciseTime(data: RunTimeData): [name: string, value: string] | null {
  for (const name in data) {
    const check = /\.timestamp$/.test(name)
      ? timestamp
      : /(?:latency|session_time)$/.test(name)
        ? interval
        : null;
    const value = data[name] ?? '';
    if (check && typeof check(value) === 'object') return [name, value];
  }
  return null;
}
