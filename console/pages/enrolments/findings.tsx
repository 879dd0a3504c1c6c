import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { usePercent } from '../../parts/percent.ts';
import { Instant } from '../../parts/values.tsx';
import { useRuleWords } from '../courses/use-rule-words.ts';
import { useResultText } from './result.tsx';
import { useRefusalText } from './use-sentence.ts';
import type { Explanation } from './values.tsx';

type Of<Name extends 'Claims' | 'Refused' | 'Unavailable'> = { of: Explanation[Name][number] };

/** Units that a rule keeps closed, and results that a page claimed but its data does not support. */
export function Findings({ explanation: { Unavailable, Claims, Refused } }: { explanation: Explanation }) {
  return (
    <>
      <Found name="unavailable">
        {Unavailable.map((unit) => (
          <Closed key={`${unit.UnitID} ${unit.Detail}`} of={unit} />
        ))}
      </Found>
      <Found name="claims" hasText>
        {Claims.map((claim) => (
          <Claim key={`${claim.At} ${claim.Commit}`} of={claim} />
        ))}
      </Found>
      <Found name="refused" hasText>
        {Refused.map((report) => (
          <Report key={`${report.At} ${report.UnitID} ${report.Detail}`} of={report} />
        ))}
      </Found>
    </>
  );
}

type FoundProps = { name: 'unavailable' | 'claims' | 'refused'; hasText?: boolean; children: ReactNode[] };

function Found({ name, hasText = false, children }: FoundProps) {
  const t = useTranslations('enrolments.findings');
  if (children.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t(name)}
      </Title>
      {hasText && (
        <Text size="sm" c="dimmed">
          {t(`${name}Text` as 'claimsText')}
        </Text>
      )}
      <ul className="findings">{children}</ul>
    </Stack>
  );
}

const Item = ({ children }: { children: ReactNode }) => (
  <Text component="li" size="sm" className="break">
    {children}
  </Text>
);

function Closed({ of: { Title, Of, Because, Rule } }: Of<'Unavailable'>) {
  const t = useTranslations('enrolments.findings.because');
  const words = useRuleWords();
  const text = Rule ? words(Rule) : t(Because === 'rule' ? 'other' : Because, { unit: Of });
  return <Item>{[Title, ...(Rule && Of !== Title ? [Of] : []), text].join(' · ')}</Item>;
}

/** What exactly was wrong is said by the rules of the standard, in English. */
function Report({ of: { At, UnitID, Code, Detail } }: Of<'Refused'>) {
  const refusalText = useRefusalText();
  return (
    <Item>
      <Instant at={At} /> · {UnitID} · {refusalText(Code)}
      {Detail !== null && (
        <Text size="xs" c="dimmed" lang="en">
          {Detail}
        </Text>
      )}
    </Item>
  );
}

function Claim({ of: claim }: Of<'Claims'>) {
  const t = useTranslations('enrolments');
  const text = useResultText();
  const percent = usePercent();
  const { At, UnitID, Completion, Success, Score, Progress } = claim;
  const parts = [
    text('Completion', Completion),
    ...(Success === 'unknown' ? [] : [text('Success', Success)]),
    ...(Score === null ? [] : [t('timeline.score', { value: percent(Score) })]),
    ...(Progress === null ? [] : [t('timeline.progress', { value: percent(Progress) })]),
  ];
  return (
    <Item>
      <Instant at={At} /> · {UnitID} · {parts.join(' · ')}
    </Item>
  );
}
