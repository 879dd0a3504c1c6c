import { useTranslations } from 'use-intl';
import { type EventType, eventGroups } from './event-types.ts';
import { SelectFilter } from './filters.tsx';

export function isEventType(text: string | undefined): text is EventType {
  return eventGroups.some(({ types }) => types.some((type) => type === text));
}

type Props = { value: string | undefined; onChange: (value: string | undefined) => void };

export function EventTypeFilter({ value, onChange }: Props) {
  const t = useTranslations('events');
  return (
    <SelectFilter
      label={t('type')}
      value={value}
      onChange={onChange}
      options={eventGroups.map(({ group, types }) => ({
        group: t(`groups.${group}`),
        items: types.map((type) => ({ value: type, label: t(`types.${type}`) })),
      }))}
    />
  );
}
