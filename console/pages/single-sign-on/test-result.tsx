import { Alert, List, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';

export type Test = components['schemas']['ConnectionTest' | 'DirectoryTest'];

/** The steps of a connection test, up to the first one that failed. */
export function TestResult({ result: { Passed, Steps } }: { result: Test }) {
  const t = useTranslations('singleSignOn');
  return (
    <Alert color={Passed ? 'green' : 'red'} role="status" title={t(Passed ? 'passed' : 'failed')}>
      <List size="sm">
        {Steps.map((step) => (
          <List.Item key={step.Step}>
            <Text span inherit fw={600}>
              {t(`steps.${step.Step}`)}: {t(step.Passed ? 'stepPassed' : 'stepFailed')}
            </Text>{' '}
            <span className="break" lang="en">
              {step.Detail}
            </span>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
