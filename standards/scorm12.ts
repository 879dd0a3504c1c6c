import type { StandardReader } from './items.ts';
import { parseNumber } from './numbers.ts';
import { noDetails } from './unit-details.ts';
import type { Warn } from './warnings.ts';
import { childOf, collapse, textOf, type XmlElement } from './xml.ts';

/** SCORM 1.2 Content Aggregation Model: items with children may also open a page. */
export const scorm12: StandardReader = {
  groupsOpenPages: true,
  item: (item, warn) => ({
    ...noDetails,
    MasteryScore: masteryScore(item, warn),
    MaxTimeAllowed: textOf(item, 'maxtimeallowed'),
    TimeLimitAction: textOf(item, 'timelimitaction'),
    DataFromLMS: childOf(item, 'datafromlms')?.text.trim() || null,
    Prerequisites: textOf(item, 'prerequisites'),
  }),
  organization: () => ({
    Sequencing: null,
    ObjectivesGlobalToSystem: false,
    SharedDataGlobalToSystem: false,
  }),
};

function masteryScore(item: XmlElement, warn: Warn): number | null {
  const element = childOf(item, 'masteryscore');
  const text = collapse(element?.text ?? '');
  if (text === '') return null;
  const score = parseNumber(text);
  if (score !== null && score >= 0 && score <= 100) return score;
  warn(
    'warning',
    `The mastery score "${text.slice(0, 40)}" is not a number from 0 to 100, so the content alone decides who passes`,
    element?.line,
    'unusable mastery scores',
  );
  return null;
}
