import { Checkbox, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { choiceOf } from '../../parts/choices.ts';
import { type EventType, eventGroups } from '../../parts/event-types.ts';
import type { Endpoint } from './health.tsx';
import {
  emptyReceiver,
  KindField,
  newKinds,
  ReceiverFields,
  type ReceiverProps,
  type ReceiverValues,
  receiverBody,
  receiverOf,
} from './receiver-fields.tsx';

export type FormValues = ReceiverValues & {
  URL: string;
  Description: string;
  all: boolean;
  Types: string[];
};

export const emptyForm: FormValues = { ...emptyReceiver, URL: '', Description: '', all: true, Types: [] };

export const valuesOf = (endpoint: Endpoint): FormValues => ({
  ...receiverOf(endpoint),
  URL: endpoint.URL,
  Description: endpoint.Description ?? '',
  all: endpoint.Types === null,
  Types: endpoint.Types ?? [],
});

/** The URL of a learning platform is changed with the platform. */
export const bodyOf = ({ URL, Description, all, Types, ...receiver }: FormValues) => ({
  ...(receiver.Kind !== 'lti' && { URL: URL.trim() }),
  Description: Description.trim() || null,
  ...(receiver.Kind === 'events' && { Types: all ? null : Types }),
  ...receiverBody(receiver),
});

export const newBodyOf = (typed: FormValues) => ({
  ...bodyOf(typed),
  URL: typed.URL.trim(),
  Kind: choiceOf(newKinds, typed.Kind) ?? 'events',
});

export const isSame = (a: FormValues, b: FormValues) => JSON.stringify(a) === JSON.stringify(b);

type Props = { typed: FormValues; onChange: (typed: FormValues) => void; isNew?: boolean };

export function EndpointFields({ typed, onChange, isNew = false }: Props) {
  const t = useTranslations('webhooks');
  const { Kind } = typed;
  const receiver: ReceiverProps = { typed, onChange: (change) => onChange({ ...typed, ...change }) };
  return (
    <>
      {isNew && <KindField {...receiver} />}
      {Kind !== 'lti' && (
        <TextInput
          label={t('url')}
          description={t(`urlTexts.${Kind}`)}
          type="url"
          required
          data-autofocus
          value={typed.URL}
          onChange={(event) => onChange({ ...typed, URL: event.currentTarget.value })}
        />
      )}
      {(Kind === 'results' || Kind === 'xapi') && <ReceiverFields {...receiver} isNew={isNew} />}
      <TextInput
        label={t('description')}
        description={t('descriptionText')}
        maxLength={1000}
        value={typed.Description}
        onChange={(event) => onChange({ ...typed, Description: event.currentTarget.value })}
      />
      {Kind === 'events' && <TypesFields typed={typed} onChange={onChange} />}
    </>
  );
}

function TypesFields({ typed, onChange }: Props) {
  const t = useTranslations('webhooks');
  return (
    <>
      <Radio.Group
        label={t('types')}
        value={typed.all ? 'all' : 'some'}
        onChange={(value) => onChange({ ...typed, all: value === 'all' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={t('allTypes')} description={t('allTypesText')} />
          <Radio value="some" label={t('someTypes')} />
        </Stack>
      </Radio.Group>
      {!typed.all && <TypeChoice value={typed.Types} onChange={(Types) => onChange({ ...typed, Types })} />}
    </>
  );
}

type ChoiceProps = { value: readonly string[]; onChange: (value: string[]) => void };

function TypeChoice({ value, onChange }: ChoiceProps) {
  const t = useTranslations('events');
  const set = (types: readonly EventType[], isChosen: boolean) => {
    const others = value.filter((one) => !types.some((type) => type === one));
    onChange(isChosen ? [...others, ...types] : others);
  };
  return (
    <Stack gap="sm">
      {eventGroups.map(({ group, types }) => {
        const chosen = types.filter((type) => value.includes(type));
        return (
          <Stack key={group} gap="sm" className="types" role="group" aria-label={t(`groups.${group}`)}>
            <Checkbox
              fw={600}
              label={t(`groups.${group}`)}
              checked={chosen.length === types.length}
              indeterminate={chosen.length > 0 && chosen.length < types.length}
              onChange={(event) => set(types, event.currentTarget.checked)}
            />
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
              {types.map((type) => (
                <Checkbox
                  key={type}
                  label={t(`types.${type}`)}
                  description={type}
                  checked={value.includes(type)}
                  onChange={(event) => set([type], event.currentTarget.checked)}
                />
              ))}
            </SimpleGrid>
          </Stack>
        );
      })}
    </Stack>
  );
}
