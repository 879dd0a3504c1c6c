import { ActionIcon, Badge, Button, Code, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../client/src/generated.ts';
import { useDayFormat } from './day-zone.ts';

/** What stands for a missing value. On a phone, lists leave it out. */
export const None = ({ children = '–' }: { children?: React.ReactNode }) => <span data-none>{children}</span>;

type InstantProps = { at: string | null | undefined; none?: string; isDay?: boolean };

/** An instant in the viewer's time zone and format, with the exact time on hover. With `isDay`, only the tenant's day. */
export function Instant({ at, none, isDay = false }: InstantProps) {
  const format = useFormatter();
  const day = useDayFormat();
  if (!at) return <None>{none}</None>;
  return (
    <time dateTime={at} title={at}>
      {isDay ? day(at) : format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' })}
    </time>
  );
}

type Outcome = components['schemas']['Enrolment']['Outcome'];
const outcomeColors: Record<Outcome, string> = {
  not_started: 'gray',
  in_progress: 'blue',
  passed: 'green',
  failed: 'red',
  completed: 'green',
  expired: 'orange',
  withdrawn: 'gray',
};

export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  const t = useTranslations('outcomes');
  return (
    <Badge color={outcomeColors[outcome]} miw="max-content">
      {t(outcome)}
    </Badge>
  );
}

/** A secondary fact below a value or, in a list with one line per row, next to it. */
export function Note({ children }: { children: React.ReactNode }) {
  return (
    <>
      {' '}
      <Text size="xs" c="dimmed" fw={400} className="break note" component="div">
        {children}
      </Text>
    </>
  );
}

/** A value that is copied more often than it is read. */
export function Copyable({ value, label }: { value: string; label: string }) {
  const t = useTranslations('act');
  return (
    <Group gap={4} wrap="nowrap">
      <Code className="break">{value}</Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? t('copied') : t('copy')}>
            <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={`${t('copy')}: ${label}`}>
              {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}

type CopyProps = { value: string; text: string; label?: string };

/** `label` is for screen readers if the same text is on several buttons. */
export function CopyTextButton({ value, text, label }: CopyProps) {
  const t = useTranslations('act');
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          onClick={copy}
          {...(label && !copied ? { 'aria-label': label } : {})}
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
        >
          <span aria-live="polite">{copied ? t('copied') : text}</span>
        </Button>
      )}
    </CopyButton>
  );
}

/** A label and its value, for the details of one record. */
export function LabelledValue({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="fact">
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" size="sm" className="break">
        {children}
      </Text>
    </div>
  );
}

export function LabelledValues({ children }: { children: React.ReactNode }) {
  return <dl className="facts">{children}</dl>;
}
