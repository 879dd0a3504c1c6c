import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { routes } from '../../server/src/app/app.ts';
import { listOf } from '../../server/src/http/rows/export.ts';
import german from './de.json' with { type: 'json' };
import germanLearner from './de.learner.json' with { type: 'json' };
import germanPages from './de.pages.json' with { type: 'json' };
import english from './en.json' with { type: 'json' };
import englishLearner from './en.learner.json' with { type: 'json' };
import englishPages from './en.pages.json' with { type: 'json' };
import french from './fr.json' with { type: 'json' };
import frenchLearner from './fr.learner.json' with { type: 'json' };
import frenchPages from './fr.pages.json' with { type: 'json' };

type Texts = { [key: string]: string | Texts };

function flat(texts: Texts, above = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(texts))
    if (typeof value === 'string') found.set(above + key, value);
    else for (const [path, text] of flat(value, `${above}${key}.`)) found.set(path, text);
  return found;
}

/** A message's parameters: its arguments with their types, and its tags. */
function parametersOf(elements: readonly MessageFormatElement[]): string[] {
  const found = elements.flatMap((element): string[] => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return [];
    if (element.type === TYPE.tag) return [`<${element.value}>`, ...parametersOf(element.children)];
    const inner =
      element.type === TYPE.plural || element.type === TYPE.select
        ? Object.values(element.options).flatMap(({ value }) => parametersOf(value))
        : [];
    return [`${element.value}: ${TYPE[element.type]}`, ...inner];
  });
  return [...new Set(found)].sort();
}

/** The plural forms that a message lacks for the counts 1, 2 and 5. */
function missingPluralForms(elements: readonly MessageFormatElement[], language: string): string[] {
  return elements.flatMap((element): string[] => {
    if (element.type === TYPE.tag) return missingPluralForms(element.children, language);
    if (element.type !== TYPE.plural && element.type !== TYPE.select) return [];
    const inner = Object.values(element.options).flatMap(({ value }) => missingPluralForms(value, language));
    if (element.type === TYPE.select) return inner;
    const type = element.pluralType ?? 'cardinal';
    const forms = [1, 2, 5].map((count) => new Intl.PluralRules(language, { type }).select(count));
    return [...forms.filter((form) => !(form in element.options)), ...inner];
  });
}

/** Arguments with a format of their own, such as `percent`. The console's runtime has none, so it would ignore them. */
function styledArguments(elements: readonly MessageFormatElement[]): string[] {
  return elements.flatMap((element): string[] => {
    if (element.type === TYPE.tag) return styledArguments(element.children);
    if (element.type === TYPE.plural || element.type === TYPE.select)
      return Object.values(element.options).flatMap(({ value }) => styledArguments(value));
    return 'style' in element && element.style ? [element.value] : [];
  });
}

const source = flat({ ...english, ...englishPages, ...englishLearner });

test('the check reports mismatched parameters, missing plural forms and formats', () => {
  const message = parse('<b>{name}</b>: {count, plural, =0 {none} other {# of {all, number}}} {name}');
  assert.deepEqual(parametersOf(message), ['<b>', 'all: number', 'count: plural', 'name: argument']);
  assert.deepEqual(missingPluralForms(message, 'en'), ['one']);
  assert.deepEqual(styledArguments(parse('<b>{value, number, percent}</b> {other, number}')), ['value']);
  assert.throws(() => parse('{count, plural, one {#}'));
});

for (const [language, texts] of [
  ['en', source],
  ['de', flat({ ...german, ...germanPages, ...germanLearner })],
  ['fr', flat({ ...french, ...frenchPages, ...frenchLearner })],
] as const)
  test(`The texts in ${language} have the same keys and parameters as the English ones`, () => {
    assert.deepEqual([...texts.keys()].sort(), [...source.keys()].sort());
    for (const [key, text] of texts) {
      assert.ok(text.trim() !== '' && text === text.trim(), `${key}: ${JSON.stringify(text)}`);
      const message = parse(text);
      assert.deepEqual(parametersOf(message), parametersOf(parse(source.get(key) ?? '')), key);
      assert.deepEqual(missingPluralForms(message, language), [], `${key}: ${text}`);
      assert.deepEqual(styledArguments(message), [], key);
    }
  });

test('Each column of the lists that the console exports has a heading', () => {
  const exported = ['/user', '/enrolment', '/enrolment/key', '/certificate', '/obligation', '/report/record'];
  const lists = routes.filter(({ path }) => [...exported, '/hold', '/audit'].includes(path)).map(listOf);
  const columns = lists.flatMap((list) => list?.columns ?? []);
  assert.deepEqual(
    columns.filter((name) => !(name in englishPages.headings)),
    [],
  );
});

test('The first screen loads only its own texts', () => {
  const folder = join(import.meta.dirname, '..');
  const files = globSync(
    '{shell,parts,pages/home,pages/deployment,pages/reference,pages/sign-in,learner}/*.{ts,tsx}',
    {
      cwd: folder,
    },
  );
  assert.ok(files.length > 20);
  // These are shared by pages that load their texts later.
  const shared = files.filter(
    (file) =>
      !/(event-type-filter|parts\/change-dialog|parts\/selection|parts\/download|parts\/list|parts\/pairs|parts\/period-field|parts\/sorting|parts\/time-factor)\.tsx$/.test(
        file,
      ),
  );
  const sections = new Set(
    shared.flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/useTranslations\('(\w+)/g)].map(
        ([, name]) => name,
      ),
    ),
  );
  assert.deepEqual([...sections].sort(), Object.keys({ ...english, ...englishLearner }).sort());
});
