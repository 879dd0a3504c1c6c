import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';

export type Pair = { id: number; name: string; value: string };

export const pairsOf = (values: Record<string, string>): Pair[] =>
  Object.entries(values).map(([name, value], id) => ({ id, name, value }));

export const recordOf = (pairs: readonly Pair[]): Record<string, string> =>
  Object.fromEntries(pairs.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]));

type Props = {
  label: string;
  text: string;
  pairs: readonly Pair[];
  onChange: (pairs: Pair[]) => void;
  max: number;
  maxName: number;
  maxValue: number;
};

/** Names with a value each. */
export function PairsField({ label, text, pairs, onChange, max, maxName, maxValue }: Props) {
  const t = useTranslations('pairs');
  const set = (id: number, changed: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...changed } : pair)));
  const next = Math.max(-1, ...pairs.map(({ id }) => id)) + 1;
  const limits = { name: maxName, value: maxValue };
  return (
    <Stack gap="xs" role="group" aria-label={label}>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Text size="xs" c="dimmed">
        {text}
      </Text>
      {pairs.map((pair, index) => (
        <Group key={pair.id} gap="xs" wrap="nowrap">
          {(['name', 'value'] as const).map((part) => (
            <TextInput
              key={part}
              aria-label={t(part, { number: index + 1 })}
              placeholder={t(`${part}Placeholder`)}
              maxLength={limits[part]}
              value={pair[part]}
              onChange={(event) => set(pair.id, { [part]: event.currentTarget.value })}
              flex={1}
              miw={0}
            />
          ))}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('remove', { number: index + 1 })}
            onClick={() => onChange(pairs.filter(({ id }) => id !== pair.id))}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      {pairs.length < max && (
        <Button
          variant="subtle"
          size="xs"
          w="fit-content"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...pairs, { id: next, name: '', value: '' }])}
        >
          {t('add')}
        </Button>
      )}
    </Stack>
  );
}
