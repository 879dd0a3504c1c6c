import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { applyStandardWeights } from './weights.ts';

type Activity = { objectiveNormalizedMeasure: number };
type Service = Parameters<typeof applyStandardWeights>[0] extends { getSequencingService(): infer Weighing }
  ? Weighing & {
      processNavigationRequest(request: string): boolean;
      getSequencingState(): { rootActivity: Activity };
    }
  : never;
type Engine = {
  getSequencingService(): Service;
  reset(settings: undefined, options: { preserveListeners: boolean }): void;
  Initialize(parameter: string): string;
  SetValue(element: string, value: string): string;
};

/** The script that the page loads. */
function engineOf(activityTree: object): Engine {
  const page = createContext({ console: { ...console, debug() {} }, setTimeout, clearTimeout });
  const script = createRequire(import.meta.url).resolve('scorm-again/scorm2004/min');
  runInContext(readFileSync(script, 'utf8'), page);
  const sequencing = { activityTree, autoRollupOnCMIChange: true, logLevel: 'error' };
  return new page.Scorm2004API({ logLevel: 5, sequencing });
}

test("Members of a group have the manifest's weights, whether or not they are finished", () => {
  const children = ['a', 'b'].map((id) => ({ id, title: id }));
  const engine = engineOf({ id: 'root', title: 'Root', sequencingControls: { flow: true }, children });
  applyStandardWeights(engine);
  const service = engine.getSequencingService();
  service.processNavigationRequest('start');
  engine.Initialize('');
  engine.SetValue('cmi.score.scaled', '1');
  engine.SetValue('cmi.completion_status', 'completed');
  service.processNavigationRequest('continue');
  engine.reset(undefined, { preserveListeners: true });
  engine.Initialize('');
  engine.SetValue('cmi.score.scaled', '0');
  engine.SetValue('cmi.completion_status', 'incomplete');
  assert.equal(service.getSequencingState().rootActivity.objectiveNormalizedMeasure, 0.5);
});
