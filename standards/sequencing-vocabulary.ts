// IMS Simple Sequencing 1.0: the elements and attributes that a manifest may contain.
import { flags, fraction, measure, oneOf, type Vocabulary } from './vocabulary.ts';

const combination = oneOf('all', 'any');
const operator = oneOf('not', 'noOp');
const rollupFacts = [
  ...['satisfied', 'objectiveStatusKnown', 'objectiveMeasureKnown', 'completed', 'activityProgressKnown'],
  ...['attempted', 'attemptLimitExceeded', 'timeLimitExceeded', 'outsideAvailableTimeRange'],
];
const ruleFacts = [...rollupFacts, 'objectiveMeasureGreaterThan', 'objectiveMeasureLessThan', 'always'];
const timing = oneOf('never', 'once', 'onEachNewAttempt');

export const sequencing: Vocabulary = {
  namespace: 'http://www.imsglobal.org/xsd/imsss',
  roots: ['sequencing', 'sequencingCollection'],
  attributes: {},
  elements: {
    sequencingCollection: { children: 'sequencing+' },
    sequencing: {
      children:
        'controlMode? sequencingRules? limitConditions? auxiliaryResources? rollupRules? objectives? randomizationControls? deliveryControls?',
      attributes: { ID: 'ID', IDRef: 'IDREF' },
      others: 'strict',
    },
    controlMode: {
      attributes: flags(
        ...['choice', 'choiceExit', 'flow', 'forwardOnly'],
        ...['useCurrentAttemptObjectiveInfo', 'useCurrentAttemptProgressInfo'],
      ),
    },
    sequencingRules: { children: 'preConditionRule* exitConditionRule* postConditionRule*' },
    preConditionRule: { children: 'ruleConditions? ruleAction:preConditionAction' },
    exitConditionRule: { children: 'ruleConditions? ruleAction:exitConditionAction' },
    postConditionRule: { children: 'ruleConditions? ruleAction:postConditionAction' },
    ruleConditions: { children: 'ruleCondition+', attributes: { conditionCombination: combination } },
    ruleCondition: {
      attributes: {
        referencedObjective: 'anyURI',
        measureThreshold: measure,
        operator,
        'condition!': oneOf(...ruleFacts),
      },
    },
    preConditionAction: {
      attributes: { 'action!': oneOf('skip', 'disabled', 'hiddenFromChoice', 'stopForwardTraversal') },
    },
    exitConditionAction: { attributes: { 'action!': oneOf('exit') } },
    postConditionAction: {
      attributes: {
        'action!': oneOf('exitParent', 'exitAll', 'retry', 'retryAll', 'continue', 'previous'),
      },
    },
    limitConditions: {
      attributes: {
        attemptLimit: 'nonNegativeInteger',
        attemptAbsoluteDurationLimit: 'duration',
        attemptExperiencedDurationLimit: 'duration',
        activityAbsoluteDurationLimit: 'duration',
        activityExperiencedDurationLimit: 'duration',
        beginTimeLimit: 'dateTime',
        endTimeLimit: 'dateTime',
      },
    },
    auxiliaryResources: { children: 'auxiliaryResource*' },
    auxiliaryResource: { attributes: { 'auxiliaryResourceID!': 'anyURI', 'purpose!': 'string' } },
    rollupRules: {
      children: 'rollupRule*',
      attributes: {
        ...flags('rollupObjectiveSatisfied', 'rollupProgressCompletion'),
        objectiveMeasureWeight: fraction,
      },
    },
    rollupRule: {
      children: 'rollupConditions rollupAction',
      attributes: {
        childActivitySet: oneOf('all', 'any', 'none', 'atLeastCount', 'atLeastPercent'),
        minimumCount: 'nonNegativeInteger',
        minimumPercent: fraction,
      },
    },
    rollupConditions: { children: 'rollupCondition+', attributes: { conditionCombination: combination } },
    rollupCondition: { attributes: { operator, 'condition!': oneOf(...rollupFacts) } },
    rollupAction: {
      attributes: { 'action!': oneOf('satisfied', 'notSatisfied', 'completed', 'incomplete') },
    },
    objectives: { children: 'primaryObjective objective*' },
    primaryObjective: {
      children: 'minNormalizedMeasure? mapInfo*',
      attributes: { satisfiedByMeasure: 'boolean', objectiveID: 'anyURI' },
    },
    objective: {
      children: 'minNormalizedMeasure? mapInfo*',
      attributes: { satisfiedByMeasure: 'boolean', 'objectiveID!': 'anyURI' },
    },
    minNormalizedMeasure: { text: measure },
    mapInfo: {
      attributes: {
        'targetObjectiveID!': 'anyURI',
        ...flags('readSatisfiedStatus', 'readNormalizedMeasure'),
        ...flags('writeSatisfiedStatus', 'writeNormalizedMeasure'),
      },
    },
    randomizationControls: {
      attributes: {
        randomizationTiming: timing,
        selectCount: 'nonNegativeInteger',
        reorderChildren: 'boolean',
        selectionTiming: timing,
      },
    },
    deliveryControls: {
      attributes: flags('tracked', 'completionSetByContent', 'objectiveSetByContent'),
    },
  },
};
