import type { CourseTree, Objective, Sequencing, SequencingRule, Unit } from '../standards/types.ts';

/** The organization itself, which is the root of the activity tree. Its identifier in the manifest is irrelevant. */
export const rootID = 'lectern.root';

/** Converts a release's neutral sequencing into scorm-again's `activityTree`. */
export function activityTree(tree: CourseTree, title: string): object {
  return {
    id: rootID,
    title,
    children: tree.Units.map(activity),
    ...sequencingOf(tree.Sequencing, rootID),
  };
}

function activity(unit: Unit): object {
  return {
    id: unit.UnitID,
    title: unit.Title,
    isVisible: unit.Visible,
    hideLmsUi: unit.HideLMSUI,
    sharedDataMaps: unit.SharedData.map(({ TargetID, Read, Write }) => ({
      targetID: TargetID,
      readSharedData: Read,
      writeSharedData: Write,
    })),
    ...(unit.CompletionThreshold && {
      completionThreshold: {
        completedByMeasure: unit.CompletionThreshold.CompletedByMeasure,
        minProgressMeasure: unit.CompletionThreshold.MinProgressMeasure,
        progressWeight: unit.CompletionThreshold.ProgressWeight,
      },
    }),
    ...sequencingOf(unit.Sequencing, unit.UnitID),
    ...(unit.Children.length > 0 && { children: unit.Children.map(activity) }),
  };
}

/**
 * Nodes without settings keep the engine's defaults, where flow is on: a course without sequencing has a Next button.
 */
function sequencingOf(sequencing: Sequencing | null, id: string): object {
  if (!sequencing) return {};
  const primary = sequencing.Objectives.find(({ Primary }) => Primary);
  return {
    sequencingControls: controls(sequencing),
    attemptLimit: sequencing.Limits.AttemptLimit,
    attemptAbsoluteDurationLimit: sequencing.Limits.AttemptAbsoluteDurationLimit,
    ...(primary && { primaryObjective: objective(primary, id) }),
    objectives: sequencing.Objectives.filter((each) => each !== primary).map((each) => objective(each, id)),
    sequencingRules: {
      preConditionRules: rules(sequencing, 'pre'),
      postConditionRules: rules(sequencing, 'post'),
      exitConditionRules: rules(sequencing, 'exit'),
    },
    rollupRules: { rules: rollupRules(sequencing) },
    rollupConsiderations: {
      requiredForSatisfied: sequencing.RollupConsiderations.RequiredForSatisfied,
      requiredForNotSatisfied: sequencing.RollupConsiderations.RequiredForNotSatisfied,
      requiredForCompleted: sequencing.RollupConsiderations.RequiredForCompleted,
      requiredForIncomplete: sequencing.RollupConsiderations.RequiredForIncomplete,
      measureSatisfactionIfActive: sequencing.RollupConsiderations.MeasureSatisfactionIfActive,
    },
  };
}

function controls(sequencing: Sequencing): object {
  const { ControlMode, ConstrainedChoice, RollupRules, Randomization, Delivery } = sequencing;
  return {
    choice: ControlMode.Choice,
    choiceExit: ControlMode.ChoiceExit,
    flow: ControlMode.Flow,
    forwardOnly: ControlMode.ForwardOnly,
    useCurrentAttemptObjectiveInfo: ControlMode.UseCurrentAttemptObjectiveInfo,
    useCurrentAttemptProgressInfo: ControlMode.UseCurrentAttemptProgressInfo,
    preventActivation: ConstrainedChoice.PreventActivation,
    constrainChoice: ConstrainedChoice.ConstrainChoice,
    rollupObjectiveSatisfied: RollupRules.RollupObjectiveSatisfied,
    rollupProgressCompletion: RollupRules.RollupProgressCompletion,
    objectiveMeasureWeight: RollupRules.ObjectiveMeasureWeight,
    selectionTiming: Randomization.SelectionTiming,
    selectCount: Randomization.SelectCount,
    // The engine uses `reorderChildren` to remember that it has reordered.
    randomizeChildren: Randomization.ReorderChildren,
    randomizationTiming: Randomization.RandomizationTiming,
    selectionCountStatus: Randomization.SelectionTiming === 'onEachNewAttempt',
    tracked: Delivery.Tracked,
    completionSetByContent: Delivery.CompletionSetByContent,
    objectiveSetByContent: Delivery.ObjectiveSetByContent,
  };
}

function rules(sequencing: Sequencing, when: SequencingRule['When']): object[] {
  return sequencing.Rules.filter((rule) => rule.When === when).map((rule) => ({
    action: rule.Action,
    conditionCombination: rule.ConditionCombination,
    conditions: rule.Conditions.map((condition) => ({
      condition: condition.Condition,
      operator: condition.Operator,
      ...(condition.ReferencedObjective !== null && { referencedObjective: condition.ReferencedObjective }),
      ...(condition.MeasureThreshold !== null && { parameters: { threshold: condition.MeasureThreshold } }),
    })),
  }));
}

function rollupRules(sequencing: Sequencing): object[] {
  return sequencing.RollupRules.Rules.map((rule) => ({
    action: rule.Action,
    consideration: rule.ChildActivitySet,
    minimumCount: rule.MinimumCount,
    minimumPercent: rule.MinimumPercent * 100,
    conditionCombination: rule.ConditionCombination,
    conditions: rule.Conditions.map(({ Condition, Operator }) => ({
      condition: Condition,
      operator: Operator,
    })),
  }));
}

function objective(source: Objective, id: string): object {
  return {
    // The engine drops an objective without an identifier. If the identifier is a space, it is hidden from the content.
    objectiveID: source.ObjectiveID ?? (source.Primary ? ' ' : id),
    isPrimary: source.Primary,
    satisfiedByMeasure: source.SatisfiedByMeasure,
    minNormalizedMeasure: source.MinNormalizedMeasure,
    mapInfo: source.Maps.map((map) => ({
      targetObjectiveID: map.TargetObjectiveID,
      readSatisfiedStatus: map.ReadSatisfiedStatus,
      writeSatisfiedStatus: map.WriteSatisfiedStatus,
      readNormalizedMeasure: map.ReadNormalizedMeasure,
      writeNormalizedMeasure: map.WriteNormalizedMeasure,
      readRawScore: map.ReadRawScore,
      writeRawScore: map.WriteRawScore,
      readMinScore: map.ReadMinScore,
      writeMinScore: map.WriteMinScore,
      readMaxScore: map.ReadMaxScore,
      writeMaxScore: map.WriteMaxScore,
      readCompletionStatus: map.ReadCompletionStatus,
      writeCompletionStatus: map.WriteCompletionStatus,
      readProgressMeasure: map.ReadProgressMeasure,
      writeProgressMeasure: map.WriteProgressMeasure,
    })),
  };
}
