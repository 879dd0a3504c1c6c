import { Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { usePercent } from '../../parts/percent.ts';
import { Instant } from '../../parts/values.tsx';
import { useResultText } from './result.tsx';
import type { Explanation } from './values.tsx';

/** Units that a rule keeps closed, and results that a page claimed but its data does not support. */
export function Findings({ explanation }: { explanation: Explanation }) {
  const t = useTranslations('enrolments.findings');
  const { Unavailable, Claims, Refused } = explanation;
  return (
    <>
      {Unavailable.length > 0 && (
        <Stack gap="xs">
          <Title order={3} size="h5">
            {t('unavailable')}
          </Title>
          <ul className="findings">
            {Unavailable.map(({ UnitID, Detail }) => (
              <Text component="li" size="sm" className="break" key={`${UnitID} ${Detail}`}>
                {Detail}
              </Text>
            ))}
          </ul>
        </Stack>
      )}
      {Claims.length > 0 && (
        <Stack gap="xs">
          <Title order={3} size="h5">
            {t('claims')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('claimsText')}
          </Text>
          <ul className="findings">
            {Claims.map((claim) => (
              <Claim key={`${claim.At} ${claim.Commit}`} claim={claim} />
            ))}
          </ul>
        </Stack>
      )}
      {Refused.length > 0 && (
        <Stack gap="xs">
          <Title order={3} size="h5">
            {t('refused')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('refusedText')}
          </Text>
          <ul className="findings">
            {Refused.map(({ At, UnitID, Code, Detail }) => (
              <Text component="li" size="sm" className="break" key={`${At} ${UnitID} ${Detail}`}>
                <Instant at={At} /> · {UnitID} · {Detail ?? Code}
              </Text>
            ))}
          </ul>
        </Stack>
      )}
    </>
  );
}

function Claim({ claim }: { claim: Explanation['Claims'][number] }) {
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
    <Text component="li" size="sm" className="break">
      <Instant at={At} /> · {UnitID} · {parts.join(' · ')}
    </Text>
  );
}
