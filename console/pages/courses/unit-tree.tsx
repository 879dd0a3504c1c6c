import { List, Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Release } from './upload.ts';
import { type Rule, useRuleWords } from './use-rule-words.ts';

type Props = { release: Release; order: 2 | 3 };

/** The units of a release as its table of contents shows them, each with its rules in words. */
export function UnitTree({ release: { Units, Rules }, order }: Props) {
  const t = useTranslations('courses.releases');
  return (
    <Stack gap="sm">
      <Title order={order} size="h5">
        {t('units', { count: Units.filter(({ Href }) => Href !== null).length })}
      </Title>
      <List listStyleType="none" spacing="sm" size="sm" className="unit-tree">
        {Rules.length > 0 && (
          <List.Item>
            <Text size="sm" fw={600}>
              {t('whole')}
            </Text>
            <RuleLines rules={Rules} />
          </List.Item>
        )}
        {Units.map(({ UnitID, Title, Href, Depth, Rules }) => (
          <List.Item key={UnitID} ps={`${Math.min(Depth, 6) * 1.25}rem`}>
            <Text size="sm" fw={Href === null ? 600 : 500} className="break">
              {Title}
            </Text>
            <RuleLines rules={Rules} />
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

function RuleLines({ rules }: { rules: Rule[] }) {
  const words = useRuleWords();
  if (rules.length === 0) return null;
  return (
    <Stack gap={2}>
      {rules.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes and may contain duplicates
        <Text key={index} size="sm" c="dimmed" className="break">
          {words(rule)}
        </Text>
      ))}
    </Stack>
  );
}
