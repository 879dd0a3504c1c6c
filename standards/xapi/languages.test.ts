import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseLanguage, readLanguages } from './languages.ts';

describe('languages', () => {
  it('are read in order of preference, up to a maximum of ten', () => {
    assert.deepEqual(readLanguages('de;q=0.5, en-GB, fr;q=0, *;q=0.1'), ['en-gb', 'de', '*']);
    assert.equal(readLanguages(Array.from({ length: 300 }, (_, at) => `a${at}`).join(',')).length, 10);
    assert.deepEqual(readLanguages(`en${'-x'.repeat(300)}, de`), ['de']);
  });

  it('match the same tag first, then a longer tag, then a shorter one', () => {
    const map = { 'en-US': 'color', en: 'English', 'de-AT': 'Jänner', und: 'unknown' };
    const chosen = (header: string) => Object.keys(chooseLanguage(map, readLanguages(header)))[0];
    assert.equal(chosen('en'), 'en');
    assert.equal(chosen('EN-us'), 'en-US');
    assert.equal(chosen('en-GB'), 'en');
    assert.equal(chosen('de'), 'de-AT');
    assert.equal(chosen('de-DE'), 'de-AT');
    assert.equal(chosen('fr, de'), 'de-AT');
    assert.equal(chosen('fr'), 'und');
    assert.equal(chosen('fr, *'), 'en-US');
    assert.deepEqual(chooseLanguage({ fr: 'un' }, []), { fr: 'un' });
    assert.deepEqual(chooseLanguage({}, ['*']), {});
  });
});
