import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** ADL's test scripts and manifests as data; its README explains the fields. They are not part of the project. */
const folder = join(import.meta.dirname, '../../../../shared/scorm2004');

export type Call = {
  fn: string;
  args?: string[];
  expect?: string;
  error?: string;
  /** The type of the interaction to which a response belongs. */
  type?: string;
  /** The identifiers that `compareObjectives` expects. */
  ids?: string[];
};

export type Step = {
  activity: string;
  visit: number;
  ui: { q: string; expect: 'Y' | 'N' }[];
  calls: Call[];
  then: string[];
};

export type Script = { name: string; start: string; steps: Step[] };

/** Why the scripts cannot run; null if they can. */
export function missingScripts(): string | null {
  return existsSync(join(folder, 'scripts.ndjson'))
    ? null
    : `ADL's scripts are not in ${folder}, so nothing can be run.`;
}

export function readScripts(): Script[] {
  const lines = readFileSync(join(folder, 'scripts.ndjson'), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Script);
}

/** The manifests of a script: one, or two if the script uses two courses of one learner. */
export function manifestsOf({ name }: Script): { name: string; text: string }[] {
  const files = readdirSync(join(folder, 'manifests')).filter((file) =>
    [`${name}.xml`, `${name}a.xml`, `${name}b.xml`].includes(file),
  );
  const own = files.includes(`${name}.xml`) ? [`${name}.xml`] : files.sort();
  return own.map((file) => ({
    name: file.slice(0, -'.xml'.length),
    text: readFileSync(join(folder, 'manifests', file), 'utf8'),
  }));
}

/** Scripts that read global objectives written by another script for the same learner. */
const continuations: Record<string, string> = {
  'CO-07b': 'CO-07a',
  'OB-03b': 'OB-03a',
  'OB-03c': 'OB-03b',
  'OB-09b': 'OB-09a',
  'SX-11c': 'SX-11a',
};

/** The scripts that one learner runs: first the scripts on which a script depends, then the script itself. */
export function seriesOf(script: Script, all: readonly Script[]): Script[] {
  const before = all.find(({ name }) => name === continuations[script.name]);
  return before ? [...seriesOf(before, all), script] : [script];
}

export const groups: [prefix: string, title: string][] = [
  ['API', 'API'],
  ['DM', 'Data model, one course and two'],
  ['DDM', 'Data model, one course and two'],
  ['CM', 'Content structure and navigation'],
  ['CO', 'Completion'],
  ['CT', 'Control modes'],
  ['MS', 'Measures'],
  ['OB', 'Objectives'],
  ['RU', 'Roll-up'],
  ['SX', 'Sequencing'],
  ['T', 'Large trees'],
];

export function groupOf({ name }: Script): string {
  return (
    groups.find(([prefix]) => new RegExp(`^${prefix}(?![A-Z])|^${prefix}[A-Z]$`).test(name))?.[1] ?? name
  );
}
