import { clamp, parseBoolean, parseNumber } from './numbers.ts';
import { readObjectives } from './sequencing-objectives.ts';
import { readRollupRules, readSequencingRules } from './sequencing-rules.ts';
import type { Sequencing } from './types.ts';
import type { Warn } from './warnings.ts';
import { attributeOf, type XmlElement } from './xml.ts';

const considerations = ['always', 'ifAttempted', 'ifNotSkipped', 'ifNotSuspended'];
const timings = ['never', 'once', 'onEachNewAttempt'];

/** Reads `imsss:sequencing`. Missing parts are taken from the collection entry that the item refers to. */
export function readSequencing(
  element: XmlElement | null,
  collection: Map<string, XmlElement>,
  warn: Warn,
): Sequencing | null {
  if (!element) return null;
  const parts = sequencingParts(element, collection, warn);
  const part = (name: string) => parts.get(name.toLowerCase()) ?? null;
  const control = flags(part('controlMode'));
  const constrained = flags(part('constrainedChoiceConsiderations'));
  const rollup = part('rollupConsiderations');
  const limits = part('limitConditions');
  const random = part('randomizationControls');
  const delivery = flags(part('deliveryControls'));
  return {
    ControlMode: {
      Choice: control('choice', true),
      ChoiceExit: control('choiceExit', true),
      Flow: control('flow', false),
      ForwardOnly: control('forwardOnly', false),
      UseCurrentAttemptObjectiveInfo: control('useCurrentAttemptObjectiveInfo', true),
      UseCurrentAttemptProgressInfo: control('useCurrentAttemptProgressInfo', true),
    },
    ConstrainedChoice: {
      PreventActivation: constrained('preventActivation', false),
      ConstrainChoice: constrained('constrainChoice', false),
    },
    Rules: readSequencingRules(part('sequencingRules'), warn),
    Limits: {
      AttemptLimit: count(attributeOf(limits, 'attemptLimit')),
      AttemptAbsoluteDurationLimit: attributeOf(limits, 'attemptAbsoluteDurationLimit')?.trim() || null,
    },
    RollupRules: readRollupRules(part('rollupRules'), warn),
    RollupConsiderations: {
      RequiredForSatisfied: oneOf(considerations, attributeOf(rollup, 'requiredForSatisfied')),
      RequiredForNotSatisfied: oneOf(considerations, attributeOf(rollup, 'requiredForNotSatisfied')),
      RequiredForCompleted: oneOf(considerations, attributeOf(rollup, 'requiredForCompleted')),
      RequiredForIncomplete: oneOf(considerations, attributeOf(rollup, 'requiredForIncomplete')),
      MeasureSatisfactionIfActive: flags(rollup)('measureSatisfactionIfActive', true),
    },
    Objectives: readObjectives(part('objectives'), part('adlseq:objectives'), warn),
    Randomization: {
      RandomizationTiming: oneOf(timings, attributeOf(random, 'randomizationTiming')),
      SelectCount: count(attributeOf(random, 'selectCount')),
      ReorderChildren: flags(random)('reorderChildren', false),
      SelectionTiming: oneOf(timings, attributeOf(random, 'selectionTiming')),
    },
    Delivery: {
      Tracked: delivery('tracked', true),
      CompletionSetByContent: delivery('completionSetByContent', false),
      ObjectiveSetByContent: delivery('objectiveSetByContent', false),
    },
  };
}

function sequencingParts(
  element: XmlElement,
  collection: Map<string, XmlElement>,
  warn: Warn,
): Map<string, XmlElement> {
  const reference = attributeOf(element, 'IDRef')?.trim();
  const shared = reference ? collection.get(reference) : undefined;
  if (reference && !shared) {
    warn(
      'warning',
      `The sequencing refers to "${reference.slice(0, 100)}", which does not exist; learners may navigate more freely than intended`,
      element.line,
      'sequencing references to missing entries',
    );
  }
  const parts = new Map<string, XmlElement>();
  for (const child of [...(shared?.children ?? []), ...element.children]) parts.set(partName(child), child);
  return parts;
}

/** Only `objectives` occurs in two vocabularies. All other names are unique. */
function partName({ name, namespace }: XmlElement): string {
  const lower = name.toLowerCase();
  return lower === 'objectives' && namespace.includes('adlseq') ? 'adlseq:objectives' : lower;
}

function flags(element: XmlElement | null): (name: string, otherwise: boolean) => boolean {
  return (name, otherwise) => parseBoolean(attributeOf(element, name), otherwise);
}

function count(text: string | null): number | null {
  const value = parseNumber(text);
  return value === null || value < 0 ? null : Math.trunc(clamp(value, 0, 1_000_000));
}

/** The first value of a vocabulary is its default. */
function oneOf(vocabulary: string[], text: string | null): string {
  const wanted = text?.trim().toLowerCase();
  return vocabulary.find((word) => word.toLowerCase() === wanted) ?? vocabulary[0] ?? '';
}
