import { Checkbox, Fieldset, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { eventGroups } from '../../parts/event-types.ts';
import type { Endpoint } from './health.tsx';

export type Typed = { URL: string; Description: string; all: boolean; Types: string[] };

export const nothingTyped: Typed = { URL: '', Description: '', all: true, Types: [] };

export const typedOf = ({ URL, Description, Types }: Endpoint): Typed => ({
  URL,
  Description: Description ?? '',
  all: Types === null,
  Types: Types ?? [],
});

export const bodyOf = ({ URL, Description, all, Types }: Typed) => ({
  URL: URL.trim(),
  Description: Description.trim() || null,
  Types: all ? null : Types,
});

type Props = { typed: Typed; onChange: (typed: Typed) => void };

export function EndpointFields({ typed, onChange }: Props) {
  const t = useTranslations('webhooks');
  return (
    <>
      <TextInput
        label={t('url')}
        description={t('urlText')}
        type="url"
        required
        data-autofocus
        value={typed.URL}
        onChange={(event) => onChange({ ...typed, URL: event.currentTarget.value })}
      />
      <TextInput
        label={t('description')}
        description={t('descriptionText')}
        maxLength={1000}
        value={typed.Description}
        onChange={(event) => onChange({ ...typed, Description: event.currentTarget.value })}
      />
      <Radio.Group
        label={t('types')}
        value={typed.all ? 'all' : 'some'}
        onChange={(value) => onChange({ ...typed, all: value === 'all' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={t('allTypes')} />
          <Radio value="some" label={t('someTypes')} />
        </Stack>
      </Radio.Group>
      {!typed.all && <TypeChoice value={typed.Types} onChange={(Types) => onChange({ ...typed, Types })} />}
    </>
  );
}

function TypeChoice({ value, onChange }: { value: string[]; onChange: (value: string[]) => void }) {
  const t = useTranslations('events');
  return (
    <Checkbox.Group value={value} onChange={onChange}>
      <Stack gap="sm">
        {eventGroups.map(({ group, types }) => (
          <Fieldset key={group} legend={t(`groups.${group}`)}>
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
              {types.map((type) => (
                <Checkbox key={type} value={type} label={t(`types.${type}`)} description={type} />
              ))}
            </SimpleGrid>
          </Fieldset>
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
