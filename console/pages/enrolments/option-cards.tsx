import './option-cards.css';
import { Alert, Group, Radio, Stack, Text } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { useDurationText } from './duration-text.ts';
import type { Option } from './values.tsx';

type Props = {
  options: readonly Option[];
  value: string | undefined;
  onChange: (durationId: string) => void;
  isRetired: boolean;
  /** Whether options without free seats cannot be chosen. */
  takesSeat?: boolean;
  /** The course, if options of several courses are shown. */
  title?: string;
};

/** The options that this learner can choose, shown as in a shop. */
export function OptionCards({ options, value, onChange, isRetired, takesSeat = true, title }: Props) {
  const t = useTranslations('enrolments');
  if (isRetired)
    return (
      <Alert color="orange" title={title}>
        {t('options.retired')}
      </Alert>
    );
  if (options.length === 0)
    return (
      <Alert color="orange" title={title}>
        {t('options.none')}
      </Alert>
    );
  return (
    <Radio.Group label={title ?? t('options.label')} value={value ?? null} onChange={onChange} required>
      <Stack gap="xs" mt={4}>
        {options.map((option) => (
          <OptionCard key={option.DurationID} option={option} takesSeat={takesSeat} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

function OptionCard({ option, takesSeat }: { option: Option; takesSeat: boolean }) {
  const t = useTranslations('enrolments');
  const format = useFormatter();
  const duration = useDurationText();
  const { DurationID, Name, Duration, StartsOn, SeatsLeft, Price } = option;
  const isFull = SeatsLeft !== null && SeatsLeft <= 0;
  const facts = [
    duration(Duration),
    ...(Duration !== null && StartsOn === 'launch' ? [t('options.startsOnLaunch')] : []),
    SeatsLeft === null ? t('options.unlimitedSeats') : t('options.seatsLeft', { count: SeatsLeft }),
  ];
  return (
    <Radio.Card className="option" value={DurationID} disabled={isFull && takesSeat} aria-label={Name}>
      <Group wrap="nowrap" align="flex-start">
        <Radio.Indicator mt={2} />
        <Stack gap={2} miw={0} flex={1}>
          <Group justify="space-between" gap="xs">
            <Text fw={600} size="sm" className="break">
              {Name}
            </Text>
            {Price && (
              <Text size="sm">
                {format.number(Number(Price.Amount), { style: 'currency', currency: Price.Currency })}
              </Text>
            )}
          </Group>
          <Text size="xs" c="dimmed">
            {facts.join(' · ')}
          </Text>
        </Stack>
      </Group>
    </Radio.Card>
  );
}
