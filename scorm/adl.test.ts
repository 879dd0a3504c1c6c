import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { manifestsOf, missingScripts, readScripts } from '../test/conformance/scorm2004/scripts.ts';
import { type Learner, playScript } from './test-support/adl-script.ts';

const missing = missingScripts();

describe("ADL's test scripts without a browser", { skip: missing ?? false }, () => {
  if (missing) return;
  /** All scripts use one learner, because some read global objectives that earlier scripts wrote. */
  const learner: Learner = { globals: [], buckets: [] };
  for (const script of readScripts())
    it(script.name, () => assert.deepEqual(playScript(script, manifestsOf(script), learner), []));
});
