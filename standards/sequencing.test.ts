import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFileIndex } from '../server/src/domain/catalogue/packages/file-index.ts';
import { readManifest } from './manifest.ts';
import { manifest2004 } from './test-support.ts';
import { createWarnings } from './warnings.ts';

function read(organization: string, collection = '', edition?: string) {
  const warnings = createWarnings();
  const text = manifest2004(
    organization,
    collection && `<imsss:sequencingCollection>${collection}</imsss:sequencingCollection>`,
    edition,
  );
  const files = createFileIndex(['index.html']);
  const report = readManifest(Buffer.from(text), 'imsmanifest.xml', files, warnings.warn('imsmanifest.xml'));
  return { ...report, unit: report.Tree.Units[0], warnings: warnings.list() };
}

const item = (content: string) => `<item identifier="i" identifierref="r"><title>T</title>${content}</item>`;
const sequenced = (content: string, attributes = '') =>
  item(`<imsss:sequencing ${attributes}>${content}</imsss:sequencing>`);

describe('sequencing', () => {
  it("sequencing is null if the manifest has none, and missing parts get the standard's defaults", () => {
    assert.equal(read(item('')).unit?.Sequencing, null);
    const { unit, warnings } = read(sequenced(''));
    assert.deepEqual(warnings, []);
    const { ControlMode, RollupRules, Delivery, Randomization, Objectives } = unit?.Sequencing ?? {};
    assert.deepEqual([ControlMode?.Choice, ControlMode?.Flow, ControlMode?.ChoiceExit], [true, false, true]);
    assert.deepEqual([RollupRules?.RollupObjectiveSatisfied, RollupRules?.ObjectiveMeasureWeight], [true, 1]);
    assert.deepEqual([Delivery?.Tracked, Delivery?.CompletionSetByContent], [true, false]);
    assert.deepEqual([Randomization?.SelectionTiming, Randomization?.SelectCount], ['never', null]);
    assert.deepEqual(Objectives, []);
  });

  it('the collection supplies the parts that the item does not define', () => {
    const { unit } = read(
      sequenced('<imsss:controlMode flow="true"/>', 'IDRef="shared"'),
      '<imsss:sequencing ID="shared"><imsss:controlMode choice="false"/><imsss:limitConditions attemptLimit="2"/></imsss:sequencing>',
    );
    assert.deepEqual(
      [unit?.Sequencing?.ControlMode.Flow, unit?.Sequencing?.ControlMode.Choice],
      [true, true],
    );
    assert.equal(unit?.Sequencing?.Limits.AttemptLimit, 2);
  });

  it('warns about a broken reference', () => {
    assert.match(
      read(sequenced('', 'IDRef="gone"')).warnings[0]?.Message ?? '',
      /"gone", which does not exist/,
    );
  });

  it('reads all kinds of rules and omits rules with unknown parts', () => {
    const rule = (name: string, action: string, condition = 'satisfied') =>
      `<imsss:${name}><imsss:ruleConditions conditionCombination="any"><imsss:ruleCondition condition="${condition}" operator="not" referencedObjective="x" measureThreshold="0.5"/></imsss:ruleConditions><imsss:ruleAction action="${action}"/></imsss:${name}>`;
    const rules =
      rule('preConditionRule', 'disabled') +
      rule('preConditionRule', 'explode') +
      rule('exitConditionRule', 'exit') +
      rule('postConditionRule', 'retry', 'invented');
    const { unit, warnings } = read(sequenced(`<imsss:sequencingRules>${rules}</imsss:sequencingRules>`));
    assert.deepEqual(
      unit?.Sequencing?.Rules.map(({ When, Action }) => [When, Action]),
      [
        ['pre', 'disabled'],
        ['exit', 'exit'],
      ],
    );
    assert.deepEqual(unit?.Sequencing?.Rules[0]?.Conditions, [
      { Condition: 'satisfied', Operator: 'not', ReferencedObjective: 'x', MeasureThreshold: 0.5 },
    ]);
    assert.equal(warnings.filter(({ Message }) => /is ignored/.test(Message)).length, 2);
  });

  it('reads roll-up rules and considerations', () => {
    const { unit } = read(
      sequenced(
        '<imsss:rollupRules rollupObjectiveSatisfied="false" objectiveMeasureWeight="0.25"><imsss:rollupRule childActivitySet="atLeastPercent" minimumPercent="0.5"><imsss:rollupConditions><imsss:rollupCondition condition="completed"/></imsss:rollupConditions><imsss:rollupAction action="completed"/></imsss:rollupRule></imsss:rollupRules><adlseq:rollupConsiderations requiredForSatisfied="ifNotSkipped" measureSatisfactionIfActive="false"/><adlseq:constrainedChoiceConsiderations preventActivation="true"/>',
      ),
    );
    const { RollupRules, RollupConsiderations, ConstrainedChoice } = unit?.Sequencing ?? {};
    assert.deepEqual(
      [RollupRules?.RollupObjectiveSatisfied, RollupRules?.ObjectiveMeasureWeight],
      [false, 0.25],
    );
    assert.deepEqual(
      [RollupRules?.Rules[0]?.ChildActivitySet, RollupRules?.Rules[0]?.MinimumPercent],
      ['atLeastPercent', 0.5],
    );
    assert.equal(RollupRules?.Rules[0]?.ConditionCombination, 'any');
    assert.equal(RollupConsiderations?.RequiredForSatisfied, 'ifNotSkipped');
    assert.equal(RollupConsiderations?.MeasureSatisfactionIfActive, false);
    assert.deepEqual(ConstrainedChoice, { PreventActivation: true, ConstrainChoice: false });
  });

  it('merges 4th-edition maps into those with the same target', () => {
    const { unit } = read(
      sequenced(
        '<imsss:objectives><imsss:primaryObjective objectiveID="p" satisfiedByMeasure="true"><imsss:minNormalizedMeasure>0.7</imsss:minNormalizedMeasure><imsss:mapInfo targetObjectiveID="g" writeSatisfiedStatus="true"/></imsss:primaryObjective></imsss:objectives><adlseq:objectives><adlseq:objective objectiveID="p"><adlseq:mapInfo targetObjectiveID="g" writeRawScore="true"/><adlseq:mapInfo targetObjectiveID="h"/></adlseq:objective></adlseq:objectives>',
      ),
    );
    const [primary] = unit?.Sequencing?.Objectives ?? [];
    assert.deepEqual([primary?.SatisfiedByMeasure, primary?.MinNormalizedMeasure], [true, 0.7]);
    const [first, second] = primary?.Maps ?? [];
    assert.deepEqual(
      [first?.ReadSatisfiedStatus, first?.WriteSatisfiedStatus, first?.WriteRawScore],
      [true, true, true],
    );
    assert.deepEqual(
      [second?.TargetObjectiveID, second?.ReadSatisfiedStatus, second?.ReadRawScore],
      ['h', false, true],
    );
  });

  it("reads thresholds in each edition's form", () => {
    const attributes =
      '<adlcp:completionThreshold completedByMeasure="true" minProgressMeasure="0.8" progressWeight="0.5"/>';
    const expected = { CompletedByMeasure: true, MinProgressMeasure: 0.8, ProgressWeight: 0.5 };
    assert.deepEqual(read(item(attributes)).unit?.CompletionThreshold, expected);
    const text = '<adlcp:completionThreshold>0.6</adlcp:completionThreshold>';
    const older = read(item(text), '', '2004 3rd Edition').unit?.CompletionThreshold;
    assert.deepEqual(older, { CompletedByMeasure: true, MinProgressMeasure: 0.6, ProgressWeight: 1 });
  });

  it("reads the organization's threshold", () => {
    assert.equal(read(item('')).Tree.CompletionThreshold, null);
    const threshold = '<adlcp:completionThreshold completedByMeasure="true" minProgressMeasure="0.8"/>';
    const expected = { CompletedByMeasure: true, MinProgressMeasure: 0.8, ProgressWeight: 1 };
    assert.deepEqual(read(item('') + threshold).Tree.CompletionThreshold, expected);
  });

  it('reads shared data, hidden controls and values passed to the content', () => {
    const { unit } = read(
      item(
        '<adlcp:timeLimitAction>exit,message</adlcp:timeLimitAction><adlcp:dataFromLMS>d</adlcp:dataFromLMS><adlcp:data><adlcp:map targetID="t"/><adlcp:map targetID="u" readSharedData="false" writeSharedData="false"/></adlcp:data><adlnav:presentation><adlnav:navigationInterface><adlnav:hideLMSUI>continue</adlnav:hideLMSUI><adlnav:hideLMSUI>nonsense</adlnav:hideLMSUI></adlnav:navigationInterface></adlnav:presentation>',
      ),
    );
    // CAM 4th §3.4.1.16: both are allowed unless the manifest says otherwise.
    assert.deepEqual(unit?.SharedData, [
      { TargetID: 't', Read: true, Write: true },
      { TargetID: 'u', Read: false, Write: false },
    ]);
    assert.deepEqual(unit?.HideLMSUI, ['continue']);
    assert.deepEqual([unit?.TimeLimitAction, unit?.DataFromLMS], ['exit,message', 'd']);
  });

  it("keeps the organization's identifier, by which content can choose the root", () => {
    assert.equal(read(item('')).Tree.Identifier, 'o');
  });

  it('opens no page for a group', () => {
    const { unit, warnings } = read(
      `<item identifier="g" identifierref="r"><title>G</title>${item('')}</item>`,
    );
    assert.deepEqual([unit?.Href, unit?.Kind], [null, null]);
    assert.ok(warnings.some(({ Message }) => /child items/.test(Message)));
  });
});
