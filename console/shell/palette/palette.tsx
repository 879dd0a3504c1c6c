import './palette.css';
import { Combobox, Loader, Modal, Text, TextInput, useCombobox, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useResults } from './results.ts';

/** The active result, which Enter opens. The arrow keys move through the results and wrap around. */
function useActive(count: number, keys: string) {
  const [active, setActive] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new results begin with the first
  useEffect(() => setActive(0), [keys]);
  const onArrow = (event: KeyboardEvent): boolean => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || count === 0) return false;
    event.preventDefault();
    setActive((active + step + count) % count);
    return true;
  };
  return { active, onArrow };
}

/** Finds people, courses, enrolments and pages, and opens them. */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useTranslations('palette');
  const act = useTranslations('act');
  const navigate = useNavigate();
  const id = useId();
  const [text, setText] = useState('');
  const [sought] = useDebouncedValue(text.trim(), 150);
  const { groups, isFetching } = useResults(sought);
  // Mantine's own keyboard handling does not announce the initially active option to screen readers.
  const store = useCombobox({ opened: true });
  const results = groups.flatMap(({ results }) => results);
  const { active, onArrow } = useActive(results.length, results.map(({ key }) => key).join('\n'));
  const activeKey = results[active]?.key;
  const idOf = (key: string) => `${id}-${results.findIndex((result) => result.key === key)}`;
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  const isWaiting = isFetching || sought !== text.trim();
  // If Enter is pressed before the results have arrived, the first result opens as soon as it arrives.
  const [isEager, setEager] = useState(false);
  const open = (key: string | undefined) => {
    const result = results.find((result) => result.key === key);
    if (!result) return;
    onClose();
    result.open(navigate);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the results have arrived
  useEffect(() => {
    if (!isEager || isWaiting) return;
    setEager(false);
    open(results[0]?.key);
  }, [isEager, isWaiting]);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('title')}
      size="lg"
      centered={false}
      yOffset="8dvh"
      closeButtonProps={{ 'aria-label': act('close') }}
    >
      <Combobox store={store} onOptionSubmit={open}>
        <TextInput
          data-autofocus
          label={t('label')}
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={activeKey === undefined ? undefined : idOf(activeKey)}
          autoComplete="off"
          size="md"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setEager(false);
          }}
          onKeyDown={(event) => {
            if (onArrow(event) || event.nativeEvent.isComposing || event.key !== 'Enter') return;
            if (isWaiting) setEager(true);
            else open(activeKey);
          }}
          leftSection={<IconSearch size={18} aria-hidden />}
          rightSection={isWaiting ? <Loader size={16} /> : null}
        />
        <Combobox.Options id={id} aria-label={t('results')} className="found">
          {groups.map(({ name, results }) => (
            <Combobox.Group key={`${name} ${results[0]?.key}`} label={t(`groups.${name}`)}>
              {results.map(({ key, label, detail }) => (
                <Combobox.Option
                  key={key}
                  value={key}
                  id={idOf(key)}
                  aria-selected={key === activeKey}
                  className="found-option"
                >
                  <Text size="sm" className="break">
                    {label}
                  </Text>
                  {detail && (
                    <Text size="xs" className="break found-detail">
                      {detail}
                    </Text>
                  )}
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
          {results.length === 0 && !isWaiting && <Combobox.Empty>{t('none')}</Combobox.Empty>}
        </Combobox.Options>
        <VisuallyHidden role="status">
          {isWaiting ? '' : t('count', { count: results.length })}
        </VisuallyHidden>
      </Combobox>
    </Modal>
  );
}
