import { Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { type Pair, PairsField, recordOf } from '../../parts/pairs.tsx';
import { LearnersPicker } from '../enrolments/pickers.tsx';
import { GroupsField } from '../users/group.tsx';
import type { Audience } from './record.ts';

type Props = { value: Audience; onChange: (value: Audience) => void };

const attributePairs = ({ Attributes = {} }: Audience): Pair[] =>
  Object.entries(Attributes).map(([name, values], id) => ({
    ...{ id, name },
    value: [values].flat().join('; '),
  }));

/** Parts without a value are left out: an empty list would match nobody. */
function audienceOf({ Groups, Managers, LoginIDs }: Audience, pairs: readonly Pair[]): Audience {
  const named = Object.entries(recordOf(pairs)).map(([name, text]) => [
    name,
    text
      .split(';')
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  ]);
  const Attributes = Object.fromEntries(named.filter(([, values]) => values?.length));
  return {
    ...(Groups?.length && { Groups }),
    ...(Object.keys(Attributes).length > 0 && { Attributes }),
    ...(Managers?.length && { Managers }),
    ...(LoginIDs?.length && { LoginIDs }),
  };
}

/** Whom a requirement concerns: everybody, or people who match each part that is given. */
export function AudienceFields({ value, onChange }: Props) {
  const t = useTranslations('requirements');
  const [isLimited, setLimited] = useState(Object.keys(value).length > 0);
  const [pairs, setPairs] = useState(() => attributePairs(value));
  const set = (change: Audience) => onChange(audienceOf({ ...value, ...change }, pairs));
  return (
    <>
      <Radio.Group
        aria-label={t('who')}
        value={isLimited ? 'some' : 'all'}
        onChange={(wanted) => {
          setLimited(wanted === 'some');
          if (wanted === 'all') {
            setPairs([]);
            onChange({});
          }
        }}
      >
        <Stack gap="xs">
          <Radio value="all" label={t('everybody')} />
          <Radio value="some" label={t('some')} />
        </Stack>
      </Radio.Group>
      {isLimited && (
        <>
          <GroupsField values={value.Groups ?? []} onChange={(Groups) => set({ Groups })} />
          <PairsField
            label={t('parts.Attributes')}
            text={t('attributesText')}
            pairs={pairs}
            onChange={(pairs) => {
              setPairs(pairs);
              onChange(audienceOf(value, pairs));
            }}
            max={10}
            maxName={100}
            maxValue={2000}
          />
          <LearnersPicker
            label={t('parts.Managers')}
            values={value.Managers ?? []}
            onChange={(Managers) => set({ Managers })}
          />
          <LearnersPicker
            label={t('parts.LoginIDs')}
            values={value.LoginIDs ?? []}
            onChange={(LoginIDs) => set({ LoginIDs })}
          />
          <Text size="sm" c="dimmed">
            {t('someText')}
          </Text>
        </>
      )}
    </>
  );
}
