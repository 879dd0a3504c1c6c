import { Alert, List, Text } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { Note } from '../../parts/values.tsx';

export type Test = components['schemas']['ConnectionTest' | 'DirectoryTest' | 'PlatformTest'];

/**
 * The steps of a connection test, up to the first one that failed. The service's own words are in English; readers of
 * other languages are also told what to do.
 */
export function TestResult({ result: { Passed, Steps } }: { result: Test }) {
  const t = useTranslations('connectionTest');
  const isEnglish = useLocale().startsWith('en');
  return (
    <Alert color={Passed ? 'green' : 'red'} role="status" title={t(Passed ? 'passed' : 'failed')}>
      <List size="sm">
        {Steps.map(({ Step, Passed, Detail }) => (
          <List.Item key={Step}>
            <Text span inherit fw={600}>
              {t(`steps.${Step}`)}: {t(Passed ? 'stepPassed' : 'stepFailed')}
            </Text>{' '}
            {!isEnglish && !Passed && t(`advice.${Step}`)}
            <Note>
              <span className="break" lang="en">
                {Detail}
              </span>
            </Note>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
