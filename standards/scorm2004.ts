import type { StandardReader } from './items.ts';
import { clamp, parseBoolean, parseNumber } from './numbers.ts';
import { readSequencing } from './sequencing.ts';
import type { Unit } from './types.ts';
import { noDetails } from './unit-details.ts';
import { attributeOf, childOf, childrenOf, collapse, textOf, type XmlElement } from './xml.ts';

const lmsUiElements = ['abandon', 'continue', 'exit', 'previous', 'suspendAll', 'exitAll', 'abandonAll'];

/** SCORM 2004 CAM §3.4 and SN: only leaves open pages, and groups may have sequencing. */
export function scorm2004(manifest: XmlElement): StandardReader {
  const collection = sequencingCollection(manifest);
  return {
    groupsOpenPages: false,
    item: (item, warn) => ({
      ...noDetails,
      TimeLimitAction: textOf(item, 'timeLimitAction'),
      DataFromLMS: childOf(item, 'dataFromLMS')?.text.trim() || null,
      CompletionThreshold: completionThreshold(item),
      SharedData: sharedData(item),
      HideLMSUI: hiddenInterface(item),
      Sequencing: readSequencing(childOf(item, 'sequencing'), collection, warn),
    }),
    organization: (organization, warn) => ({
      Identifier: attributeOf(organization, 'identifier')?.trim() || null,
      CompletionThreshold: completionThreshold(organization),
      Sequencing: readSequencing(childOf(organization, 'sequencing'), collection, warn),
      ObjectivesGlobalToSystem: parseBoolean(attributeOf(organization, 'objectivesGlobalToSystem'), true),
      SharedDataGlobalToSystem: parseBoolean(attributeOf(organization, 'sharedDataGlobalToSystem'), true),
    }),
  };
}

function sequencingCollection(manifest: XmlElement): Map<string, XmlElement> {
  const entries = childrenOf(manifest, 'sequencingCollection').flatMap((list) =>
    childrenOf(list, 'sequencing'),
  );
  return new Map(entries.map((entry) => [attributeOf(entry, 'ID')?.trim() ?? '', entry]));
}

/** The 4th edition uses attributes. Earlier editions write the measure as the element's text. */
function completionThreshold(item: XmlElement): Unit['CompletionThreshold'] {
  const element = childOf(item, 'completionThreshold');
  if (!element) return null;
  const measure = parseNumber(collapse(element.text));
  const minimum = parseNumber(attributeOf(element, 'minProgressMeasure')) ?? measure ?? 1;
  return {
    CompletedByMeasure: parseBoolean(attributeOf(element, 'completedByMeasure'), measure !== null),
    MinProgressMeasure: clamp(minimum, 0, 1),
    ProgressWeight: clamp(parseNumber(attributeOf(element, 'progressWeight')) ?? 1, 0, 1),
  };
}

function sharedData(item: XmlElement): Unit['SharedData'] {
  return childrenOf(childOf(item, 'data'), 'map').map((map) => ({
    TargetID: attributeOf(map, 'targetID')?.trim() ?? '',
    Read: parseBoolean(attributeOf(map, 'readSharedData'), true),
    Write: parseBoolean(attributeOf(map, 'writeSharedData'), true),
  }));
}

function hiddenInterface(item: XmlElement): string[] {
  const navigation = childOf(childOf(item, 'presentation'), 'navigationInterface');
  const hidden = childrenOf(navigation, 'hideLMSUI').map(({ text }) => collapse(text).toLowerCase());
  return lmsUiElements.filter((name) => hidden.includes(name.toLowerCase()));
}
